/* SPDX-License-Identifier: MIT */
#include "record/follow.h"

#include "os/base_name.h"
#include "os/fd.h"
#include "os/mmap.h"
#include "os/process.h"
#include "os/shared.h"
#include "os/statm.h"
#include "record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIMIT_RECORD_MAX 1024u
#define ADDRESS_SHARE 128u /* of a limited address space, for records that wait */
#define FIRST_RECORDS 32 /* seep run's own records; the limits are among them */

/* Matches a glob that ends at a comma or a zero.  Backtracks to the last star only. */
static bool matches(const char *pattern, const char *text)
{
	const char *star = NULL, *behind = NULL;

	for (;;) {
		bool ended = !*pattern || *pattern == ',';

		if (!ended && *pattern == '*') {
			star = ++pattern;
			behind = text;
		} else if (*text && !ended && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (!*text && ended) {
			return true;
		} else if (star && *behind) {
			pattern = star;
			text = ++behind;
		} else {
			return false;
		}
	}
}

static bool is_in(const char *names, const char *name)
{
	while (names) {
		if (matches(names, name))
			return true;
		names = strchr(names, ',');
		names = names ? names + 1 : NULL;
	}
	return false;
}

bool seep_follow_is_named(const char *names)
{
	static char text[4096]; /* static: the stack may be small, and only one thread is here */

	seep_process_exe(text, sizeof(text));
	if (is_in(names, seep_base_name(text)))
		return true;
	return seep_process_arguments(text, sizeof(text)) && is_in(names, seep_base_name(text));
}

struct seep_trace_header *seep_follow_share(const char *name, uint32_t pid)
{
	struct seep_trace_header *shared = seep_shared_open(
		name, (struct seep_shared_part){0, SEEP_TRACE_HEADER_BYTES});
	size_t checked = offsetof(struct seep_trace_header, check);

	if (!shared)
		return NULL;
	/* The name comes from the environment: never write to memory of another kind. */
	if (!memcmp(shared->magic, SEEP_TRACE_MAGIC, sizeof(shared->magic)) &&
	    shared->check == seep_trace_check(shared, checked) && (!pid || shared->pid == pid))
		return shared;
	seep_shared_close(shared, SEEP_TRACE_HEADER_BYTES);
	return NULL;
}

struct seep_pending *seep_follow_pending(const char *name)
{
	size_t bytes = sizeof(struct seep_pending);
	struct seep_pending *pending;

	if (seep_statm_address_left() / ADDRESS_SHARE < bytes)
		return NULL;
	pending = seep_shared_open(name, (struct seep_shared_part){SEEP_TRACE_HEADER_BYTES, bytes});
	if (pending)
		seep_mmap_know(pending, bytes);
	return pending;
}

struct seep_told *seep_follow_told(const char *name, const struct seep_trace_header *shared)
{
	struct seep_shared_part part = {SEEP_TOLD_AT, SEEP_TOLD_BYTES};

	return shared && seep_told_is_used(shared) ? seep_shared_open(name, part) : NULL;
}

void seep_follow_count(struct seep_trace_header *shared)
{
	if (shared)
		__atomic_fetch_add(&shared->follow_begun, 1, __ATOMIC_RELAXED);
}

bool seep_follow_claim(struct seep_trace_header *shared)
{
	return __atomic_fetch_add(&shared->followed, 1, __ATOMIC_RELAXED) < shared->follow_max;
}

void seep_follow_write_run(void)
{
	static char text[16384];
	struct seep_rec_run run = {0};
	size_t used = seep_process_exe(text, 4096) + 1, n, i;

	used += seep_process_directory(text + used, 4096) + 1;
	n = seep_process_arguments(text + used, sizeof(text) - used);
	for (i = 0; i < n; i++)
		run.argc += text[used + i] == '\0';
	run.bytes = (uint32_t)(used + n);
	seep_recording_write(SEEP_REC_RUN, 0, &run, sizeof(run), text, run.bytes);
}

static bool read_at(int fd, void *buffer, size_t bytes, uint64_t at)
{
	return syscall(SYS_pread64, fd, buffer, bytes, at) == (long)bytes;
}

/* The limits follow the command record, before anything that a recorder wrote. */
static void copy_limits(int fd)
{
	static unsigned char payload[LIMIT_RECORD_MAX];
	struct seep_trace_record head;
	uint64_t at = SEEP_TRACE_HEADER_BYTES;
	int i;

	for (i = 0; i < FIRST_RECORDS && read_at(fd, &head, sizeof(head), at); i++) {
		size_t bytes = head.size - sizeof(head);

		if (head.size < sizeof(head) || head.size > SEEP_TRACE_RECORD_MAX ||
		    (head.kind != SEEP_REC_RUN && head.kind != SEEP_REC_LIMIT))
			return;
		if (head.kind == SEEP_REC_LIMIT && bytes >= sizeof(struct seep_rec_limit) &&
		    bytes <= sizeof(payload) && read_at(fd, payload, bytes, at + sizeof(head)))
			seep_recording_write(SEEP_REC_LIMIT, head.flags, payload, bytes, NULL, 0);
		at += head.size;
	}
}

void seep_follow_write_limits(const char *path)
{
	struct seep_fd fd;
	int saved = errno;

	if (seep_fd_open(&fd, path, O_RDONLY, 0))
		return;
	copy_limits(fd.fd);
	seep_fd_close(&fd);
	errno = saved;
}

bool seep_follow_is_private(int fd)
{
	struct stat st;
	int saved = errno;
	bool private = !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077) &&
		       st.st_nlink == 1;

	errno = saved;
	return private;
}

/* Where the name goes: its own place, a free one, or else the last, which is overwritten. */
static char *place_for(struct seep_trace_header *header, const char *name)
{
	size_t n = sizeof(header->started_name), i;

	if (!header->started_name[0] || !strncmp(header->started_name, name, n - 1))
		return header->started_name;
	for (i = 0; i + 1 < sizeof(header->started_more) / n; i++)
		if (!header->started_more[i][0] || !strncmp(header->started_more[i], name, n - 1))
			break;
	return header->started_more[i];
}

void seep_follow_count_started(struct seep_trace_header *shared)
{
	char exe[256], *place;
	const char *name;
	size_t i;

	if (!shared)
		return;
	seep_process_exe(exe, sizeof(exe));
	name = seep_base_name(exe);
	place = place_for(shared, name);
	for (i = 0; name[i] && i + 1 < sizeof(shared->started_name); i++)
		place[i] = name[i];
	place[i] = '\0';
	__atomic_fetch_add(&shared->started, 1, __ATOMIC_RELAXED);
	seep_shared_close(shared, SEEP_TRACE_HEADER_BYTES);
}
