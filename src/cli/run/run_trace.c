/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/options.h"
#include "cli/run/run_trace.h"
#include "os/base_name.h"
#include "os/clock.h"
#include "os/tool/limit.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME_LETTERS 64
#define NAME_TRIES 1000
#define STRINGS_MAX 60000 /* of a record; a longer command line is cut */
#define CLOCK_SLACK_S 1 /* the clock of a file server may be behind */

/* seep.detector.4131.seep; from the second try on with a number behind the pid. */
static void make_name(char *name, size_t room, const char *command, pid_t pid, int attempt)
{
	char letters[NAME_LETTERS + 1];
	size_t n = 0;

	for (const char *c = seep_base_name(command); *c && n < NAME_LETTERS; c++)
		letters[n++] = isalnum((unsigned char)*c) || strchr("._+-", *c) ? *c : '_';
	letters[n] = 0;
	if (attempt)
		snprintf(name, room, "seep.%s.%ld-%d.seep", letters, (long)pid, attempt);
	else
		snprintf(name, room, "seep.%s.%ld.seep", letters, (long)pid);
}

int seep_run_trace_check(const struct seep_run_trace_plan *plan, struct seep_err *err)
{
	char directory[PATH_MAX];
	const char *slash;
	struct stat st;

	if (!plan->output) {
		if (access(".", W_OK | X_OK))
			return seep_err_set(err, errno,
					    "this directory is not writable (%s); name the trace "
					    "with -o FILE", strerror(errno));
		return 0;
	}
	if (!lstat(plan->output, &st)) {
		if (!plan->replace)
			return seep_err_set(err, EEXIST, "'%.200s' exists; replace it with -f, or "
					    "choose another name", plan->output);
		if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
			return seep_err_set(err, EINVAL,
					    "'%.200s' is not a file and cannot be replaced",
					    plan->output);
	}
	slash = strrchr(plan->output, '/');
	snprintf(directory, sizeof(directory), "%.*s",
		 slash ? (int)(slash - plan->output) + 1 : 1, slash ? plan->output : ".");
	if (access(directory, W_OK | X_OK))
		return seep_err_set(err, errno, "'%.200s' is not writable (%s); choose another "
				    "location with -o FILE", directory, strerror(errno));
	return 0;
}

static int make_absolute(char *path, const char *name, struct seep_err *err)
{
	char here[PATH_MAX];

	if (*name == '/')
		here[0] = 0;
	else if (!getcwd(here, sizeof(here)))
		return seep_err_set(err, errno, "the path of the current directory is unknown "
				    "(%s); use -o with an absolute path", strerror(errno));
	if (snprintf(path, PATH_MAX, "%s%s%s", here, *here ? "/" : "", name) >= PATH_MAX)
		return seep_err_set(err, ENAMETOOLONG, "the name of the trace is too long");
	return 0;
}

/* Calls visit for each file beside path whose name is the same with a dot and a number behind. */
static void visit_children(const char *path,
			   void (*visit)(int directory, const char *name, uint64_t pid, void *),
			   void *context)
{
	char directory[PATH_MAX];
	const char *base = seep_base_name(path);
	size_t n = strlen(base);
	struct dirent *entry;
	DIR *dir;

	snprintf(directory, sizeof(directory), "%.*s", base > path ? (int)(base - path) : 1,
		 base > path ? path : ".");
	dir = opendir(directory);
	while (dir && (entry = readdir(dir))) {
		const char *tail = entry->d_name + n;

		if (strncmp(entry->d_name, base, n) || *tail != '.')
			continue;
		tail++;
		if (*tail && !tail[strspn(tail, "0123456789")])
			visit(dirfd(dir), entry->d_name, strtoull(tail, NULL, 10), context);
	}
	if (dir)
		closedir(dir);
}

/* Only what is a trace. */
static void remove_child(int directory, const char *name, uint64_t pid, void *context)
{
	char magic[sizeof(SEEP_TRACE_MAGIC)] = "";
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	(void)pid;
	(void)context;
	if (fd < 0)
		return;
	if (read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	    !memcmp(magic, SEEP_TRACE_MAGIC, sizeof(magic)))
		unlinkat(directory, name, 0);
	close(fd);
}

/* With the trace go those of its children: pids come back, and theirs would be in the way. */
static void remove_old(const struct seep_run_trace_plan *plan)
{
	char path[PATH_MAX];
	struct seep_err ignored;

	unlink(plan->output);
	if (plan->follow_max && !make_absolute(path, plan->output, &ignored))
		visit_children(path, remove_child, NULL);
}

/* Tries names until one is free: pids come back, above all in containers. */
static int create_file(struct seep_run_trace *trace, const struct seep_run_trace_plan *plan,
		       pid_t pid, struct seep_err *err)
{
	char name[NAME_LETTERS + 64];
	int rc = -EEXIST;

	if (plan->output && plan->replace)
		remove_old(plan);
	for (int attempt = 0; rc == -EEXIST && attempt < NAME_TRIES; attempt++) {
		if (!plan->output)
			make_name(name, sizeof(name), plan->command[0], pid, attempt);
		else if (attempt)
			break;
		rc = make_absolute(trace->path, plan->output ? plan->output : name, err);
		if (rc)
			return rc;
		rc = seep_writer_create(&trace->writer, trace->path, (uint32_t)pid);
	}
	trace->name = plan->output ? plan->output : seep_base_name(trace->path);
	if (rc)
		return seep_err_set(err, -rc, "the trace '%.300s' could not be created: %s; choose "
				    "another location with -o FILE", trace->path, strerror(-rc));
	return 0;
}

/* One string with its zero, cut to what is left.  False if nothing was left. */
static bool put_string(char *strings, size_t *used, const char *text)
{
	size_t n = strlen(text), left = STRINGS_MAX - *used;

	if (left < 2)
		return false;
	if (n > left - 1)
		n = left - 1;
	memcpy(strings + *used, text, n);
	strings[*used + n] = 0;
	*used += n + 1;
	return true;
}

static int append_run(struct seep_run_trace *trace, const struct seep_run_trace_plan *plan)
{
	struct seep_rec_run head = { 0 };
	char here[PATH_MAX], *strings = malloc(STRINGS_MAX);
	char *exe = realpath(plan->exe, NULL);
	size_t used = 0;
	int rc;

	if (!strings) {
		free(exe);
		return -ENOMEM;
	}
	put_string(strings, &used, exe ? exe : plan->exe);
	put_string(strings, &used, getcwd(here, sizeof(here)) ? here : "");
	for (char **word = plan->command; *word && put_string(strings, &used, *word); word++)
		head.argc++;
	head.bytes = (uint32_t)used;
	rc = seep_writer_append(&trace->writer, SEEP_REC_RUN, 0, &head, sizeof(head), strings,
				used);
	free(strings);
	free(exe);
	return rc;
}

static int append_limit(struct seep_run_trace *trace, const struct seep_limit_found *limit,
			uint16_t flags)
{
	static const enum seep_limit_counts counts[] = {
		[SEEP_LIMIT_SCOPE_PROCESS] = SEEP_LIMIT_RSS,
		[SEEP_LIMIT_SCOPE_GROUP] = SEEP_LIMIT_GROUP,
		[SEEP_LIMIT_SCOPE_ADDRESSES] = SEEP_LIMIT_VM,
	};
	struct seep_rec_limit_others others = { .bytes = limit->others_bytes };
	char tail[SEEP_LIMIT_SOURCE_MAX + 8 + sizeof(others)] = "";
	struct seep_rec_limit head = {
		.bytes = limit->bytes,
		.source_bytes = (uint32_t)strlen(limit->source),
		.counts = counts[limit->scope],
	};
	size_t used = ((size_t)head.source_bytes + 7) / 8 * 8;

	memcpy(tail, limit->source, head.source_bytes);
	memcpy(tail + used, &others, sizeof(others));
	flags |= SEEP_LIMIT_OTHERS | (limit->slows ? SEEP_LIMIT_SLOWS : 0);
	return seep_writer_append(&trace->writer, SEEP_REC_LIMIT, flags, &head, sizeof(head), tail,
				  used + sizeof(others));
}

/* While the program has not begun, or has ended, all that is used is used by others. */
int seep_run_trace_limits(struct seep_run_trace *trace, pid_t pid, int64_t own_bytes,
			  uint16_t flags)
{
	struct seep_limit_found found[SEEP_LIMIT_ROOM];
	size_t n = seep_limit_find("", pid, found, SEEP_LIMIT_ROOM);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		found[i].others_bytes -= own_bytes < found[i].others_bytes ? own_bytes
									   : found[i].others_bytes;
		rc = append_limit(trace, &found[i], flags);
	}
	return rc;
}

static int append_given_limit(struct seep_run_trace *trace, int64_t bytes)
{
	struct seep_limit_found given = { .bytes = bytes, .source = "--limit" };

	return bytes ? append_limit(trace, &given, 0) : 0;
}

int seep_run_trace_create(struct seep_run_trace *trace, const struct seep_run_trace_plan *plan,
			  pid_t pid, struct seep_err *err)
{
	int rc = create_file(trace, plan, pid, err);

	if (rc)
		return rc;
	trace->started_real_ns = trace->writer.header->started_real_ns;
	seep_run_event_describe(&plan->event, trace->writer.header);
	trace->writer.header->follow_max = plan->follow_max;
	trace->writer.header->collect = plan->collect;
	rc = seep_writer_publish(&trace->writer);
	if (!rc)
		rc = append_run(trace, plan);
	if (!rc)
		rc = append_given_limit(trace, plan->limit_bytes);
	if (!rc)
		rc = seep_run_trace_limits(trace, plan->watched, plan->watched_bytes, 0);
	if (!rc)
		return 0;
	seep_run_trace_discard(trace);
	return seep_err_set(err, -rc, "the trace '%.300s' could not be written: %s; %s",
			    trace->path, strerror(-rc), rc == -EFBIG ? "try ulimit -f unlimited"
							: "choose another location with -o FILE");
}

void seep_run_trace_share(struct seep_run_trace *trace)
{
	bool told = seep_told_is_used(trace->writer.header);
	size_t bytes = told ? SEEP_TOLD_AT + SEEP_TOLD_BYTES : SEEP_PENDING_SHARED_BYTES;
	struct seep_trace_header *shared = seep_shared_create(bytes, trace->share);

	if (shared)
		trace->pending = (struct seep_pending *)((char *)shared + SEEP_TRACE_HEADER_BYTES);
	if (shared && told)
		trace->told = (struct seep_told *)((char *)shared + SEEP_TOLD_AT);
	if (!shared) /* limited, by ulimit -f or -v */
		shared = seep_shared_create(SEEP_TRACE_HEADER_BYTES, trace->share);
	if (!shared)
		return;
	*shared = *trace->writer.header;
	trace->writer.header = shared;
}

void seep_run_trace_discard(struct seep_run_trace *trace)
{
	seep_writer_close(&trace->writer, SEEP_TRACE_CREATED);
	unlink(trace->path);
}

int seep_run_trace_exit(struct seep_run_trace *trace, int64_t t_ns, int wait_status)
{
	struct seep_rec_exit head = { .t_ns = t_ns, .code = -1 };

	if (WIFSIGNALED(wait_status))
		head.signal = WTERMSIG(wait_status);
	else
		head.code = WEXITSTATUS(wait_status);
	return seep_writer_append(&trace->writer, SEEP_REC_EXIT, 0, &head, sizeof(head), NULL, 0);
}

bool seep_run_trace_is_replaced(const struct seep_run_trace *trace)
{
	struct stat st;

	return lstat(trace->path, &st) || (uint64_t)st.st_ino != trace->writer.fd.inode ||
	       (uint64_t)st.st_dev != trace->writer.fd.device;
}

/* A recorder that could not open the shared memory has used the header in the file. */
static void take_header(struct seep_trace_header *header, const struct seep_trace_header *found)
{
	if (header->state != SEEP_TRACE_CREATED)
		return;
	header->events = found->events;
	header->failure = found->failure;
	header->slice_origin_ns = found->slice_origin_ns;
	header->slice_first = found->slice_first;
	header->collections = found->collections;
	header->collect_ns = found->collect_ns;
	header->state = found->state;
}

static void append_note(struct seep_run_trace *trace, int64_t t_ns, const char *text,
			uint16_t flags)
{
	struct seep_rec_note head = { .t_ns = t_ns, .bytes = (uint32_t)strlen(text) };

	seep_writer_append(&trace->writer, SEEP_REC_NOTE, flags, &head, sizeof(head), text,
			   head.bytes);
}

/* The recorder has noticed it, and could not write it. */
static void note_failure(struct seep_run_trace *trace, int64_t t_ns)
{
	if (trace->writer.header->failure == ESTALE)
		append_note(trace, t_ns, "recording ended before the program did: the "
			    "trace was truncated", SEEP_NOTE_STOPPED);
	if (trace->writer.header->failure == EBADMSG)
		append_note(trace, t_ns, "recording ended before the program did: the program "
			    "has overwritten the tracker's memory", SEEP_NOTE_STOPPED);
}

/*
 * The recorder was killed before it wrote them, or has handed them over.  In that case it does not
 * know whether they could be written, and its state may say that all is well.
 */
static void take_waiting(struct seep_run_trace *trace, int64_t t_ns)
{
	struct seep_trace_header *header = trace->writer.header;
	int rc = 0;

	if (!trace->pending)
		return;
	if (!header->failure)
		rc = seep_writer_drain(&trace->writer, trace->pending);
	if (rc == -EBADMSG && seep_pending_state(trace->pending) == SEEP_PENDING_OWN) {
		append_note(trace, t_ns, "the program has overwritten the tracker's memory: some "
			    "stamps and counts are missing", SEEP_NOTE_INFO);
		return;
	}
	if (rc)
		header->failure = (uint32_t)-rc;
	if (rc || seep_pending_state(trace->pending) == SEEP_PENDING_CLOSED)
		header->state = SEEP_TRACE_STOPPED;
}

/* The recorder is gone by now, so the file is ours again. */
enum seep_trace_state seep_run_trace_finish(struct seep_run_trace *trace, int wait_status,
					    const struct seep_run_samples *samples)
{
	struct seep_trace_header *header = trace->writer.header, found;
	int64_t t_ns = seep_clock_mono_ns() - header->started_mono_ns;
	int rc = seep_writer_resume(&trace->writer, &found);
	enum seep_trace_state state;

	trace->lost = rc == -ESTALE || seep_run_trace_is_replaced(trace);
	if (!rc)
		take_waiting(trace, t_ns);
	if (!rc)
		take_header(header, &found);
	state = __atomic_load_n(&header->state, __ATOMIC_ACQUIRE);
	trace->events = __atomic_load_n(&header->events, __ATOMIC_RELAXED);
	trace->follow_begun = header->follow_begun;
	trace->followed = header->followed;
	if (!rc) {
		note_failure(trace, t_ns);
		for (size_t i = 0; i < SEEP_RUN_NOTES; i++)
			if (trace->notes[i])
				append_note(trace, t_ns, trace->notes[i], SEEP_NOTE_INFO);
		seep_run_trace_exit(trace, t_ns, wait_status);
		seep_run_trace_limits(trace, 0, 0, SEEP_LIMIT_LATER);
		seep_run_samples_append(samples, &trace->writer);
	}
	seep_writer_close(&trace->writer, state);
	return state;
}

int seep_run_trace_refuse(const struct seep_run_trace *trace, struct seep_err *err)
{
	return seep_err_set(err, ESTALE, "the trace '%.300s' was truncated, replaced or removed "
			    "while the program ran, so there is no report; give each run its own "
			    "-o FILE", trace->name);
}

static void add_child(struct seep_run_children *children, uint64_t pid)
{
	size_t at = children->n < SEEP_RUN_CHILDREN ? children->n : SEEP_RUN_CHILDREN;

	children->n++;
	for (; at && children->pids[at - 1] > pid; at--)
		if (at < SEEP_RUN_CHILDREN)
			children->pids[at] = children->pids[at - 1];
	if (at < SEEP_RUN_CHILDREN)
		children->pids[at] = pid;
}

/* Those of an earlier run that had the same name do not count. */
static bool is_since(int directory, const char *name, int64_t started_real_ns)
{
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW))
		return false;
	return (int64_t)st.st_mtim.tv_sec >= started_real_ns / 1000000000 - CLOCK_SLACK_S;
}

struct search {
	struct seep_run_children *children;
	int64_t started_real_ns;
};

static void note_child(int directory, const char *name, uint64_t pid, void *context)
{
	struct search *search = context;

	if (is_since(directory, name, search->started_real_ns))
		add_child(search->children, pid);
}

void seep_run_trace_children(const char *name, int64_t started_real_ns,
			     struct seep_run_children *children)
{
	struct search search = { children, started_real_ns };

	memset(children, 0, sizeof(*children));
	visit_children(name, note_child, &search);
}
