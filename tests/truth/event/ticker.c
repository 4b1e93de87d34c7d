/* SPDX-License-Identifier: MIT */
/*
 * Keeps bytes for each event and tells in a file how many events it has done, in the words
 * of an Athena job.
 *
 *	ticker EVENTS BYTES_PER_EVENT EVENTS_PER_TICK TICK_MS FILE [rename|over|append|late]
 *
 * FILE is written anew under another name and renamed (rename), written over in place (over),
 * appended to (append), or not there for the first third (late).
 */
#include "truth.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void tell(const char *path, const char *how, long done)
{
	char line[200], other[4096];
	int append = !strcmp(how, "append"), fresh = !strcmp(how, "rename");
	int n = snprintf(line, sizeof(line), " done processing event #%ld, run #276689 %ld events "
			 "read so far  <<<===\n", 20166959 + 7 * done, done);
	int fd;

	snprintf(other, sizeof(other), "%s.new", path);
	fd = open(fresh ? other : path, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0600);
	if (fd < 0 || write(fd, line, (size_t)n) != n || close(fd))
		exit(3);
	if (fresh && rename(other, path))
		exit(3);
}

int main(int argc, char **argv)
{
	long events, per_tick, ms, done = 0;
	size_t bytes, used = 0;
	const char *how = argc > 6 ? argv[6] : "over";
	struct timespec wait;
	char *room;

	if (argc < 6)
		return 2;
	events = atol(argv[1]);
	bytes = strtoul(argv[2], NULL, 10);
	per_tick = atol(argv[3]);
	ms = atol(argv[4]);
	wait = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
	room = mmap(NULL, (size_t)events * bytes + 1, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return 3;
	while (done < events) {
		memset(room + used, 1, (size_t)per_tick * bytes);
		used += (size_t)per_tick * bytes;
		done += per_tick;
		if (strcmp(how, "late") || done > events / 3)
			tell(argv[5], how, done);
		nanosleep(&wait, NULL);
	}
	printf("truth events %ld bytes_per_event %zu\n", done, bytes);
	fflush(stdout);
	_exit(0);
}
