/* SPDX-License-Identifier: MIT */
#include "trace/writer_end.h"

#include "trace/writer_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES 4096u

/* Part of the file, read at once, so that not every small record takes a system call. */
struct part {
	uint64_t at, end;
	unsigned char bytes[PAGE_BYTES];
};

static int read_head(const struct seep_writer *writer, struct part *part,
		     struct seep_trace_record *head)
{
	if (writer->at < part->at || writer->at + sizeof(*head) > part->end) {
		long n = syscall(SYS_pread64, writer->fd.fd, part->bytes, sizeof(part->bytes),
				 (off_t)writer->at);

		if (n < (long)sizeof(*head))
			return n < 0 ? -errno : -EIO;
		part->at = writer->at;
		part->end = writer->at + (uint64_t)n;
	}
	memcpy(head, part->bytes + (writer->at - part->at), sizeof(*head));
	return 0;
}

/* Steps back if only a part of the last record is there, as after a truncation. */
static int check_last(struct seep_writer *writer)
{
	size_t from = offsetof(struct seep_trace_record, kind);
	int failure;

	if (!writer->last.at)
		return 0;
	failure = seep_writer_file_get(writer, writer->record, writer->last.head.size,
				       writer->last.at);
	if (failure)
		return failure;
	if (seep_trace_check(writer->record + from, writer->last.head.size - from) !=
	    writer->last.head.check) {
		writer->at = writer->last.at;
		writer->seq = writer->last.head.seq;
		writer->last.at = 0;
	}
	return 0;
}

/* Goes to the first place without a record.  The reader checks whether the records are good. */
static int seek_end(struct seep_writer *writer, uint64_t file_bytes)
{
	struct seep_trace_record head;
	struct part part = {0};

	writer->at = SEEP_TRACE_HEADER_BYTES;
	writer->last.at = 0;
	while (writer->at + sizeof(head) <= file_bytes) {
		int failure = read_head(writer, &part, &head);

		if (failure)
			return failure;
		if (head.size < sizeof(head) || head.size % 8 ||
		    head.size > SEEP_TRACE_RECORD_MAX || head.size > file_bytes - writer->at)
			break;
		writer->last.at = writer->at;
		writer->last.head = head;
		writer->at += head.size;
		writer->seq = head.seq + 1;
	}
	return check_last(writer);
}

int seep_writer_end_find(struct seep_writer *writer, struct seep_trace_header *header)
{
	struct stat st;
	int failure = seep_writer_file_get(writer, header, sizeof(*header), 0);

	if (!failure && fstat(writer->fd.fd, &st))
		failure = -errno;
	if (failure)
		return failure;
	if (st.st_size < (off_t)SEEP_TRACE_HEADER_BYTES)
		return -ESTALE;
	return seek_end(writer, (uint64_t)st.st_size);
}

/* Records for one pwrite; writer->record has room for the largest record. */
struct batch {
	uint64_t looked;         /* bytes that wait, up to the end of the last record */
	size_t bytes;            /* of the records that are not in the file yet */
	struct seep_writer_mark last;
};

static int collect(const struct seep_writer *writer, const struct seep_pending *pending,
		   uint64_t most, struct batch *batch, unsigned char *records)
{
	uint32_t seq = writer->seq;
	long size;

	while (batch->looked < most) {
		unsigned char *record = records + batch->bytes;
		struct seep_trace_record head;

		size = seep_pending_look(pending, batch->looked, record,
					 SEEP_TRACE_RECORD_MAX - batch->bytes);
		if (size > 0)
			memcpy(&head, record, sizeof(head));
		if (size < 0 || (size > 0 && head.seq > seq))
			return batch->bytes ? 0 : -EBADMSG; /* first what is good */
		if (!size)
			break;
		batch->looked += (uint64_t)size;
		if (head.seq < seq)
			continue;
		batch->last = (struct seep_writer_mark){writer->at + batch->bytes, head};
		batch->bytes += (size_t)size;
		seq++;
	}
	return 0;
}

static int write_batch(struct seep_writer *writer, const struct batch *batch)
{
	int failure;

	if (!batch->bytes)
		return 0;
	failure = seep_writer_file_put(writer, writer->record, batch->bytes, writer->at);
	if (failure) {
		seep_writer_file_cut(writer, failure);
		return failure;
	}
	writer->last = batch->last;
	writer->at += batch->bytes;
	writer->seq = batch->last.head.seq + 1;
	return 0;
}

int seep_writer_end_recover(struct seep_writer *writer, struct seep_pending *pending)
{
	uint64_t left = seep_pending_bytes(pending);

	while (left) {
		struct batch batch = {0};
		int failure = collect(writer, pending, left, &batch, writer->record);

		if (!failure)
			failure = write_batch(writer, &batch);
		if (failure)
			return failure;
		if (!batch.looked) /* they have been taken meanwhile */
			return -EBADMSG;
		seep_pending_take(pending, batch.looked);
		left -= batch.looked < left ? batch.looked : left;
	}
	return 0;
}
