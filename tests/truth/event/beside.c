/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program may lose beside memory: beside MODE EVENTS
 *   gauge     a gauge that rises by 14336 bytes in each event
 *   level     a gauge that goes up and down
 *   files     one descriptor lost in each event
 *   pool      up to 24 descriptors, opened in the first events and kept
 *   churn     descriptors that come and go
 *   threads   one thread more in each event
 */
#include <seep.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POOL 24

static pthread_mutex_t ends = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_end(void *unused)
{
	pthread_mutex_lock(&ends);
	pthread_mutex_unlock(&ends);
	return unused;
}

static void start_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	if (pthread_create(&thread, &attributes, wait_for_end, NULL))
		abort();
	pthread_attr_destroy(&attributes);
}

static void open_file(void)
{
	if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
		abort();
}

/* Between 1 and 12 descriptors, closed again by the event that opened the next ones. */
static void churn(int event)
{
	static int files[12], n;

	while (n)
		close(files[--n]);
	for (n = 0; n < 1 + event * 7 % 12; n++)
		files[n] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "level";
	int events = argc > 2 ? atoi(argv[2]) : 100;

	pthread_mutex_lock(&ends);
	for (int e = 0; e < events; e++) {
		seep_event_begin(e);
		if (!strcmp(mode, "gauge"))
			seep_gauge("pool", 1200000 + INT64_C(14336) * e);
		else if (!strcmp(mode, "level"))
			seep_gauge("pool", 1200000 + INT64_C(1000) * (e * 7 % 5));
		else if (!strcmp(mode, "files") || (!strcmp(mode, "pool") && e < POOL))
			open_file();
		else if (!strcmp(mode, "churn"))
			churn(e);
		else if (!strcmp(mode, "threads"))
			start_thread();
		seep_event_end();
	}
	pthread_mutex_unlock(&ends);
	return 0;
}
