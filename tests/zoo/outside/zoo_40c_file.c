/* SPDX-License-Identifier: MIT */
/* A file is mapped once; every event reads the next 128 kB of it, which then are in RSS. */
#include "work.h"

#include <unistd.h>

#define PART_BYTES (128 << 10)

static ZOO_SITE const char *map_input(FILE *file, size_t bytes)
{
	void *input = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fileno(file), 0);

	if (input == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	return input;
}

static FILE *write_input(long parts)
{
	static char part[PART_BYTES];
	FILE *file = tmpfile();
	long i;

	if (!file) {
		perror("tmpfile");
		exit(2);
	}
	memset(part, 'x', sizeof(part));
	for (i = 0; i < parts; i++)
		if (write(fileno(file), part, sizeof(part)) != (ssize_t)sizeof(part)) {
			perror("write");
			exit(2);
		}
	return file;
}

static long read_part(const char *part)
{
	long sum = 0, at;

	for (at = 0; at < PART_BYTES; at += 64)
		sum += *(const volatile char *)(part + at);
	return sum;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "non-heap" }, .bytes_per_event = PART_BYTES,
				   .phase = "read", .site = "map_input" };
	long i, sum = 0, n = zoo_start(argc, argv, 200);
	const char *input = map_input(write_input(n), (size_t)n * PART_BYTES);

	work_settle();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		sum += read_part(input + i * PART_BYTES);
		seep_stamp("digest");
		work_read(i);
		work_handle(i);
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	printf("sum %ld\n", sum);
	zoo_tell(&truth);
	return 0;
}
