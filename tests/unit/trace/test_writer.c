/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer in a program that does what it likes with descriptors and files. */
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define KIND 1000
#define ENOUGH (1 << 20) /* bytes of records */

static char path[64], moved[80];
static struct seep_writer writer;

static int make(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/seep-writer-%d", (int)getpid());
	snprintf(moved, sizeof(moved), "%s.moved", path);
	unlink(path);
	unlink(moved);
	return seep_writer_create(&writer, path, 0);
}

static int drop(void **state)
{
	(void)state;
	seep_writer_abandon(&writer);
	unlink(path);
	unlink(moved);
	return 0;
}

/* Returns what the last of many records returned. */
static int append_enough(void)
{
	char text[1000];
	int failure = 0;

	memset(text, 'x', sizeof(text));
	for (size_t n = 0; n < ENOUGH && !failure; n += sizeof(text))
		failure = seep_writer_append(&writer, KIND, 0, text, sizeof(text), NULL, 0);
	return failure;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_file(const char *name, const char *text)
{
	char read[100] = "";
	FILE *file = fopen(name, "r");
	size_t n;

	assert_non_null(file);
	n = fread(read, 1, sizeof(read) - 1, file);
	fclose(file);
	assert_int_equal(n, strlen(text));
	assert_string_equal(read, text);
}

static void a_closed_descriptor_is_opened_again(void **state)
{
	(void)state;
	close(writer.fd.fd);
	assert_int_equal(append_enough(), 0);
	assert_int_equal(writer.failure, 0);
}

static void a_descriptor_that_is_another_file_is_left_alone(void **state)
{
	int other;

	(void)state;
	write_file(moved, "not ours\n");
	other = open(moved, O_RDWR);
	assert_true(other >= 0);
	assert_int_equal(dup2(other, writer.fd.fd), writer.fd.fd);
	close(other);
	assert_int_equal(append_enough(), 0);
	assert_file(moved, "not ours\n");
}

static void another_file_of_that_name_is_not_the_trace(void **state)
{
	(void)state;
	close(writer.fd.fd);
	assert_int_equal(rename(path, moved), 0);
	write_file(path, "not ours\n");
	assert_int_equal(append_enough(), -ESTALE);
	assert_int_equal(writer.failure, -ESTALE);
	assert_file(path, "not ours\n");
}

static void after_a_failure_nothing_is_written(void **state)
{
	(void)state;
	close(writer.fd.fd);
	assert_int_equal(rename(path, moved), 0);
	assert_int_equal(append_enough(), -ENOENT);
	assert_int_equal(rename(moved, path), 0);
	assert_int_equal(append_enough(), -ENOENT);
}

/* Not by SIGXFSZ, which would end the program. */
static void a_limit_of_file_sizes_is_a_failure(void **state)
{
	struct rlimit old, limit;
	int failure;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = ENOUGH / 2;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	failure = append_enough();
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(failure, -EFBIG);
	assert_int_equal(append_enough(), -EFBIG);
}

static void append_one(size_t bytes)
{
	char text[1000];

	memset(text, 'x', sizeof(text));
	assert_int_equal(seep_writer_append(&writer, KIND, 0, text, bytes, NULL, 0), 0);
}

/* Nothing is mapped.  Sanitizers need no more address space meanwhile. */
static void no_address_space_does_not_matter(void **state)
{
	struct rlimit old, limit;
	int failure;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
	limit = old;
	limit.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	failure = append_enough();
	setrlimit(RLIMIT_AS, &old);
	assert_int_equal(failure, 0);
}

/* The file is not changed. */
static void the_trace_of_another_process_is_left_alone(void **state)
{
	struct stat before, after;

	(void)state;
	append_one(100);
	seep_writer_abandon(&writer);
	assert_int_equal(truncate(path, (off_t)writer.at - 8), 0);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(seep_writer_attach(&writer, path, (uint32_t)getpid() + 1), -ESTALE);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
}

static void a_trace_goes_on_behind_its_last_record(void **state)
{
	uint64_t end;

	(void)state;
	append_one(100);
	append_one(7);
	append_one(900);
	end = writer.at;
	seep_writer_abandon(&writer);
	assert_int_equal(seep_writer_attach(&writer, path, (uint32_t)getpid()), 0);
	assert_int_equal(writer.at, end);
	assert_int_equal(writer.seq, 3);
	append_one(100);
	assert_int_equal(writer.seq, 4);
}

static void a_record_that_was_cut_is_written_over(void **state)
{
	struct stat st;
	uint64_t end;

	(void)state;
	append_one(100);
	end = writer.at;
	append_one(900);
	seep_writer_abandon(&writer);
	assert_int_equal(truncate(path, (off_t)end + 500), 0);
	assert_int_equal(seep_writer_attach(&writer, path, (uint32_t)getpid()), 0);
	assert_int_equal(writer.at, end);
	assert_int_equal(writer.seq, 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, end);
}

static void errno_is_kept(void **state)
{
	(void)state;
	close(writer.fd.fd);
	errno = 12345;
	assert_int_equal(append_enough(), 0);
	assert_int_equal(errno, 12345);
}

static struct seep_pending pending;

static int make_shared(void **state)
{
	int failure = make(state);

	memset(&pending, 0, offsetof(struct seep_pending, ring));
	return failure ? failure : seep_writer_share(&writer, &pending);
}

static int append_count(uint32_t number)
{
	struct seep_rec_count count = { .event = number, .name = 1 };

	return seep_writer_append(&writer, SEEP_REC_COUNT, 0, &count, sizeof(count), NULL, 0);
}

static void append_counts(uint32_t from, uint32_t to)
{
	for (; from < to; from++)
		assert_int_equal(append_count(from), 0);
}

/* All records are counts, in their order, and nothing follows them. */
static void assert_counts(uint32_t n)
{
	struct seep_trace_record head;
	struct seep_rec_count count;
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_int_equal(fseek(file, SEEP_TRACE_HEADER_BYTES, SEEK_SET), 0);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(fread(&head, sizeof(head), 1, file), 1);
		assert_int_equal(fread(&count, sizeof(count), 1, file), 1);
		assert_int_equal(head.kind, SEEP_REC_COUNT);
		assert_int_equal(head.seq, i);
		assert_int_equal(count.event, i);
	}
	assert_int_equal(fgetc(file), EOF);
	fclose(file);
}

static uint64_t file_bytes(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

/* As seep run does after the program has died: with a writer of its own. */
static int recover(void)
{
	static struct seep_writer other;
	struct seep_trace_header found;
	int failure;

	assert_int_equal(seep_writer_attach(&other, path, (uint32_t)getpid()), 0);
	assert_int_equal(seep_writer_resume(&other, &found), 0);
	failure = seep_writer_drain(&other, &pending);
	seep_writer_abandon(&other);
	return failure;
}

static void many_counts_wait_until_the_header_is_published(void **state)
{
	uint64_t before;

	(void)state;
	append_counts(0, 100);
	before = file_bytes();
	assert_true(before < seep_writer_bytes(&writer));
	assert_int_equal(seep_writer_publish(&writer), 0);
	assert_int_equal(file_bytes(), seep_writer_bytes(&writer));
	append_counts(100, 101);
	assert_int_equal(file_bytes(), seep_writer_bytes(&writer));
	assert_counts(101);
}

static void another_record_comes_after_those_that_wait(void **state)
{
	(void)state;
	append_counts(0, 10000); /* more than may wait */
	append_one(100);
	append_counts(10000, 10100);
	seep_writer_close(&writer, SEEP_TRACE_FINISHED);
	assert_int_equal(truncate(path, SEEP_TRACE_HEADER_BYTES + 10000 * 32), 0);
	assert_counts(10000);
}

static void what_waits_when_the_program_dies_is_written(void **state)
{
	(void)state;
	append_counts(0, 1000);
	assert_int_equal(recover(), 0);
	assert_counts(1000);
	assert_int_equal(recover(), 0);
	assert_counts(1000);
}

/* It dies between the write and the note that it was done. */
static void what_was_written_is_not_written_twice(void **state)
{
	uint64_t taken;

	(void)state;
	append_counts(0, 500);
	taken = pending.taken;
	assert_int_equal(seep_writer_publish(&writer), 0);
	pending.taken = taken;
	assert_int_equal(recover(), 0);
	assert_counts(500);
}

static void the_next_program_goes_on(void **state)
{
	(void)state;
	append_counts(0, 200);
	seep_writer_abandon(&writer); /* as exec does */
	assert_int_equal(seep_writer_attach(&writer, path, (uint32_t)getpid()), 0);
	assert_int_equal(seep_writer_share(&writer, &pending), 0);
	append_counts(200, 400);
	assert_int_equal(seep_writer_publish(&writer), 0);
	assert_counts(400);
}

static void what_was_written_over_is_left_out(void **state)
{
	(void)state;
	append_counts(0, 17);
	append_counts(17, 50);
	pending.ring[(pending.taken + 10 * 32 + 20) & (SEEP_PENDING_OWN_BYTES - 1)] ^= 1;
	assert_int_equal(recover(), -EBADMSG);
	assert_counts(26);
	pending.filled = (uint64_t)1 << 60;
	assert_int_equal(recover(), -EBADMSG);
	pending.filled = pending.taken + 40; /* a size that is longer than what waits */
	pending.ring[pending.taken & (SEEP_PENDING_OWN_BYTES - 1)] = 48;
	assert_int_equal(recover(), -EBADMSG);
	assert_counts(26);
}

/* More than the ring holds, so that the reader has to keep up; a process, as seep run is. */
static void records_that_are_handed_over_arrive(void **state)
{
	struct seep_pending *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static struct seep_writer other;
	uint32_t n = 400000;
	pid_t child;
	int status;

	(void)state;
	assert_true(shared != MAP_FAILED);
	assert_int_equal(seep_writer_share(&writer, shared), 0);
	append_counts(0, 100);
	assert_int_equal(seep_writer_hand_over(&writer, NULL), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		for (uint32_t i = 100; i < n; i++)
			if (append_count(i))
				_exit(1);
		_exit(0);
	}
	assert_int_equal(seep_writer_attach(&other, path, (uint32_t)getpid()), 0);
	while (!waitpid(child, &status, WNOHANG))
		assert_int_equal(seep_writer_drain(&other, shared), 0);
	assert_int_equal(status, 0);
	assert_int_equal(seep_writer_drain(&other, shared), 0);
	seep_writer_abandon(&other);
	assert_counts(n);
	munmap(shared, sizeof(*shared));
}

/* seep run has more to do than to take them out: it takes at most what waited when it came. */
static void a_reader_comes_to_an_end_while_records_keep_coming(void **state)
{
	struct seep_pending *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static struct seep_writer other;
	pid_t child;

	(void)state;
	assert_true(shared != MAP_FAILED);
	assert_int_equal(seep_writer_share(&writer, shared), 0);
	assert_int_equal(seep_writer_hand_over(&writer, NULL), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		for (uint32_t i = 0; !append_count(i); i++)
			;
		_exit(1);
	}
	assert_int_equal(seep_writer_attach(&other, path, (uint32_t)getpid()), 0);
	alarm(60); /* kills the test if it never comes to an end */
	for (uint64_t i = 0, taken = 0; i < 5; i++, taken = shared->taken) {
		assert_int_equal(seep_writer_drain(&other, shared), 0);
		assert_true(shared->taken - taken <= SEEP_PENDING_HANDED_BYTES);
		usleep(10000);
	}
	alarm(0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(seep_writer_drain(&other, shared), 0);
	assert_counts(other.seq);
	seep_writer_abandon(&other);
	munmap(shared, sizeof(*shared));
}

/* A signal handler forks in the middle of a record: the child goes on with it, and must not. */
static void a_child_of_fork_hands_nothing_over(void **state)
{
	uint32_t alive = 1;

	(void)state;
	assert_int_equal(seep_writer_hand_over(&writer, &alive), 0);
	append_counts(0, 5);
	alive = 0;
	append_counts(5, 10);
	assert_int_equal(recover(), 0);
	assert_counts(5);
}

static void memory_that_nobody_takes_ends_the_recording(void **state)
{
	(void)state;
	assert_int_equal(seep_writer_hand_over(&writer, NULL), 0);
	append_counts(0, 5);
	writer.header->failure = ENOSPC; /* as seep run does if it cannot write */
	seep_pending_set_state(&pending, SEEP_PENDING_CLOSED);
	assert_int_equal(append_count(5), -ENOSPC);
	assert_int_equal(append_count(6), -ENOSPC);
}

static void memory_that_was_handed_over_is_not_shared_again(void **state)
{
	(void)state;
	assert_int_equal(seep_writer_hand_over(&writer, NULL), 0);
	assert_int_equal(seep_writer_share(&writer, &pending), -EBUSY);
}

#define SHARED(test) cmocka_unit_test_setup_teardown(test, make_shared, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_closed_descriptor_is_opened_again, make, drop),
		cmocka_unit_test_setup_teardown(a_descriptor_that_is_another_file_is_left_alone,
						make, drop),
		cmocka_unit_test_setup_teardown(another_file_of_that_name_is_not_the_trace, make,
						drop),
		cmocka_unit_test_setup_teardown(after_a_failure_nothing_is_written, make, drop),
		cmocka_unit_test_setup_teardown(a_limit_of_file_sizes_is_a_failure, make, drop),
		cmocka_unit_test_setup_teardown(no_address_space_does_not_matter, make, drop),
		cmocka_unit_test_setup_teardown(the_trace_of_another_process_is_left_alone, make,
						drop),
		cmocka_unit_test_setup_teardown(a_trace_goes_on_behind_its_last_record, make,
						drop),
		cmocka_unit_test_setup_teardown(a_record_that_was_cut_is_written_over, make, drop),
		cmocka_unit_test_setup_teardown(errno_is_kept, make, drop),
		SHARED(many_counts_wait_until_the_header_is_published),
		SHARED(another_record_comes_after_those_that_wait),
		SHARED(what_waits_when_the_program_dies_is_written),
		SHARED(what_was_written_is_not_written_twice),
		SHARED(the_next_program_goes_on),
		SHARED(what_was_written_over_is_left_out),
		SHARED(records_that_are_handed_over_arrive),
		SHARED(a_reader_comes_to_an_end_while_records_keep_coming),
		SHARED(a_child_of_fork_hands_nothing_over),
		SHARED(memory_that_nobody_takes_ends_the_recording),
		SHARED(memory_that_was_handed_over_is_not_shared_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
