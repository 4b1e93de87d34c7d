/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulation that marks no events, but writes a log: a line such as
 *
 *	--> Event 17 starts with 42 tracks
 *
 * at the start of each event, and "Event 17 made 420 hits" when it is over.  It keeps 256 bytes for
 * each hit, ten of them for each track; all else is freed.
 *
 *	geant [-b] [-e] [-a] [-p] [-f FILE] [EVENTS]
 *
 *	-b   does not flush its lines: they come when the buffer is full
 *	-e   writes the log to stderr
 *	-f   writes it to a file
 *	-a   waits for a line on stdin after each line of an event: somebody has seen it
 *	-p   takes five milliseconds for an event
 */
#include "truth.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HIT_BYTES 256
#define HITS_PER_TRACK 10

struct hit {
	struct hit *next;
	char data[HIT_BYTES - sizeof(struct hit *)];
};

static struct hit *hits;
static FILE *sink;
static int flushes = 1, waits, takes_time;

SITE static void make_hit(void)
{
	struct hit *hit = malloc(sizeof(*hit));

	memset(hit->data, 1, sizeof(hit->data));
	hit->next = hits;
	hits = hit;
}

static void end_line(void)
{
	char answer[64];

	if (flushes)
		fflush(sink);
	if (waits && !fgets(answer, sizeof(answer), stdin))
		exit(3);
}

/* The same in each run, and like nothing else that grows. */
static int tracks_of(int event)
{
	return 5 + (event * 7919 % 101) / 2;
}

SITE static void run_event(int event)
{
	int tracks = tracks_of(event);
	char *scratch;

	fprintf(sink, "--> Event %d starts with %d tracks\n", event, tracks);
	end_line();
	if (takes_time)
		usleep(5000);
	scratch = malloc(100000);
	memset(scratch, 1, 100000);
	for (int i = 0; i < tracks * HITS_PER_TRACK; i++)
		make_hit();
	free(scratch);
	fprintf(sink, "Event %d made %d hits\n", event, tracks * HITS_PER_TRACK);
	end_line();
}

int main(int argc, char **argv)
{
	int option, events, n = 0;

	sink = stdout;
	while ((option = getopt(argc, argv, "beapf:")) != -1) {
		flushes &= option != 'b';
		waits |= option == 'a';
		takes_time |= option == 'p';
		if (option == 'e')
			sink = stderr;
		if (option == 'f')
			sink = fopen(optarg, "w");
	}
	events = optind < argc ? (int)strtol(argv[optind], NULL, 10) : 200;
	if (!sink)
		return 2;
	if (sink == stderr && !flushes)
		setvbuf(stderr, NULL, _IOFBF, 4096);
	for (int event = 0; event < events; event++)
		run_event(event);
	for (const struct hit *hit = hits; hit; hit = hit->next)
		n++;
	if (!waits)
		truth_site("make_hit", n, (long long)n * HIT_BYTES);
	return 0;
}
