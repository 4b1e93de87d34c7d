/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cli/common/stored_names.h"
#include "base/table.h"
#include "base/words.h"
#include "trace/reader.h"
#include "trace/unpack.h"
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BATCH_BYTES 60000u /* of texts or packed numbers in a record */
#define TEXT_BYTES 16384u  /* longer names are cut */
#define NUMBER_BYTES 10u   /* the longest packed number */

/* Names on their way into the trace. */
struct store {
	struct seep_writer *writer;
	struct seep_words words; /* the texts */
	struct seep_table numbers; /* uint32_t: number of a text in the trace, by its word */
	uint32_t next;           /* number of the next new text */
	uint32_t first, count;   /* of the batch in progress */
	uint32_t module;
	size_t used;
	unsigned char batch[BATCH_BYTES];
	int rc;
};

static void flush_texts(struct store *store)
{
	struct seep_rec_texts head = { .first = store->first, .count = store->count,
				       .bytes = (uint32_t)store->used };

	if (store->count && !store->rc)
		store->rc = seep_writer_append(store->writer, SEEP_REC_TEXTS, 0, &head,
					       sizeof(head), store->batch, store->used);
	store->count = 0;
	store->used = 0;
}

static void flush_addresses(struct store *store)
{
	struct seep_rec_addresses head = { .module = store->module, .count = store->count,
					   .bytes = (uint32_t)store->used };

	if (store->count && !store->rc)
		store->rc = seep_writer_append(store->writer, SEEP_REC_ADDRESSES, 0, &head,
					       sizeof(head), store->batch, store->used);
	store->count = 0;
	store->used = 0;
}

static size_t length_of(const char *text)
{
	return strnlen(text, TEXT_BYTES);
}

/* The number that the text has in the trace, 0 if it has none yet. */
static uint32_t *number_of(struct store *store, const char *text)
{
	bool is_new;

	return seep_table_at(&store->numbers, seep_words_put(&store->words, text, length_of(text),
							     &is_new));
}

static void add_text(struct store *store, const char *text)
{
	size_t n = text ? length_of(text) : 0;
	uint32_t *number;

	if (!text)
		return;
	number = number_of(store, text);
	if (*number)
		return;
	if (store->used + n + 1 > BATCH_BYTES)
		flush_texts(store);
	if (!store->count)
		store->first = store->next;
	memcpy(store->batch + store->used, text, n);
	store->batch[store->used + n] = 0;
	store->used += n + 1;
	store->count++;
	*number = store->next++;
}

static void know_texts(struct store *store, const struct seep_run *run)
{
	store->next = run->n_texts ? (uint32_t)run->n_texts : 1;
	for (size_t i = 1; i < run->n_texts; i++)
		if (run->texts[i])
			*number_of(store, run->texts[i]) = (uint32_t)i;
}

static void put(struct store *store, uint64_t number)
{
	store->used += seep_pack_number(store->batch + store->used, number);
}

static void put_text(struct store *store, const char *text)
{
	put(store, text ? *number_of(store, text) : 0);
}

static void add_address(struct store *store, const struct seep_symbols_found *found)
{
	size_t most = (2 + 4 * found->n_frames) * NUMBER_BYTES;

	if (store->module != found->module || store->used + most > BATCH_BYTES)
		flush_addresses(store);
	store->module = found->module;
	put(store, found->pc);
	put(store, found->n_frames);
	for (size_t i = 0; i < found->n_frames; i++) {
		const struct seep_frame *frame = &found->frames[i];

		put_text(store, frame->function);
		put_text(store, frame->file);
		put_text(store, frame->directory);
		put(store, frame->line > 0 ? (uint64_t)frame->line : 0);
	}
	store->count++;
}

/* Texts go first: if the disk is full then, no address refers to one that is missing. */
static int write_all(struct store *store, const struct seep_run *run,
		     const struct seep_symbols_found *found, size_t n)
{
	know_texts(store, run);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < found[i].n_frames; j++) {
			add_text(store, found[i].frames[j].function);
			add_text(store, found[i].frames[j].file);
			add_text(store, found[i].frames[j].directory);
		}
	flush_texts(store);
	for (size_t i = 0; i < n; i++)
		add_address(store, &found[i]);
	flush_addresses(store);
	return store->rc;
}

/* A newer file must not look as if it had been recorded later. */
static void keep_time(int fd, const struct stat *before)
{
	struct timespec times[2] = { before->st_atim, before->st_mtim };

	futimens(fd, times);
}

static int add_found(struct seep_stored_names *names, const struct seep_run *run,
		     const struct seep_symbols_found *found, size_t n, struct store *store)
{
	struct seep_writer *writer = store->writer;
	int rc = seep_writer_attach(writer, names->path, names->pid);
	uint64_t before;

	if (rc)
		return rc;
	before = writer->at;
	rc = write_all(store, run, found, n);
	names->n_added = rc ? 0 : n;
	names->bytes_added = writer->at - before;
	seep_writer_close(writer, writer->header->state);
	return rc;
}

int seep_stored_names_add(struct seep_stored_names *names, const struct seep_run *run,
			  const struct seep_symbols *symbols, struct seep_err *err)
{
	struct seep_arena arena;
	struct store *store;
	struct stat before;
	size_t n;
	const struct seep_symbols_found *found = seep_symbols_found(symbols, &n);
	int rc = 0;

	if (!n)
		return 0;
	seep_arena_init(&arena);
	store = seep_arena_alloc(&arena, sizeof(*store));
	store->writer = seep_arena_alloc(&arena, sizeof(*store->writer));
	store->numbers = SEEP_TABLE(&arena, uint32_t);
	seep_words_init(&store->words, &arena);
	if (fstat(names->fd, &before))
		rc = -errno;
	if (!rc)
		rc = add_found(names, run, found, n, store);
	keep_time(names->fd, &before);
	seep_arena_release(&arena);
	if (!rc)
		return 0;
	return seep_err_set(err, -rc, "names could not be added to '%.300s': %s", names->path,
			    strerror(-rc));
}

/*
 * Whether a recorder may still append to it.  A lease is granted only if nobody else has the file
 * open; a process that opens it meanwhile would cause a signal.
 */
static bool is_in_use(int fd, const struct seep_trace_header *header)
{
	bool in_use;

	if (header->state != SEEP_TRACE_ATTACHED && header->state != SEEP_TRACE_CREATED)
		return false;
	signal(SIGIO, SIG_IGN);
	in_use = fcntl(fd, F_SETLEASE, F_WRLCK);
	if (in_use && errno != EAGAIN)
		in_use = !kill((pid_t)header->pid, 0) || errno == EPERM;
	else if (!in_use)
		fcntl(fd, F_SETLEASE, F_UNLCK);
	signal(SIGIO, SIG_DFL);
	return in_use;
}

static int check(struct seep_stored_names *names, const struct seep_reader *reader,
		 struct seep_err *err)
{
	if (reader->damaged || reader->cut ||
	    reader->header.header_bytes != SEEP_TRACE_HEADER_BYTES)
		return seep_err_set(err, EBADMSG, "'%.300s' is damaged: names cannot be added to "
				    "it", names->path);
	if (is_in_use(names->fd, &reader->header))
		return seep_err_set(err, EBUSY, "'%.300s' is still being recorded: add names when "
				    "the program has ended", names->path);
	names->pid = reader->header.pid;
	names->failure = reader->header.failure;
	return 0;
}

static int read_whole(struct seep_stored_names *names, struct seep_err *err)
{
	struct seep_reader_record record;
	struct seep_reader reader;
	int rc = seep_reader_open(&reader, names->path, err);

	if (rc)
		return rc;
	while (seep_reader_next(&reader, &record))
		;
	rc = check(names, &reader, err);
	seep_reader_close(&reader);
	return rc;
}

static int lock(struct seep_stored_names *names, const char *path, struct seep_err *err)
{
	names->fd = open(names->path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (names->fd < 0)
		return seep_err_set(err, errno, "'%.300s' cannot be written: %s", path,
				    strerror(errno));
	if (flock(names->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return seep_err_set(err, EBUSY, "names are being added to '%.300s' already", path);
	return 0;
}

int seep_stored_names_open(struct seep_stored_names *names, const char *path,
			   struct seep_err *err)
{
	int rc;

	memset(names, 0, sizeof(*names));
	names->fd = -1;
	if (!realpath(path, names->path))
		return seep_err_set(err, errno, "%s: %s", path, strerror(errno));
	rc = lock(names, path, err);
	if (!rc)
		rc = read_whole(names, err);
	if (rc)
		seep_stored_names_close(names);
	return rc;
}

void seep_stored_names_close(struct seep_stored_names *names)
{
	if (names->fd >= 0)
		close(names->fd);
	names->fd = -1;
}
