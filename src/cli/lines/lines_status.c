/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lines/lines_status.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define BURSTS_LEAST 3 /* one may be chance: a long line that was written in two parts */
#define AT_ONCE_LEAST 3

struct seep_lines_status *seep_lines_status_create(void)
{
	pthread_mutexattr_t shared;
	struct seep_lines_status *status = mmap(NULL, sizeof(*status), PROT_READ | PROT_WRITE,
						MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (status == MAP_FAILED)
		return NULL;
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&status->terminal, &shared);
	pthread_mutexattr_destroy(&shared);
	return status;
}

static bool is_taken(struct seep_lines_status *status, int code)
{
	if (code == EOWNERDEAD)
		pthread_mutex_consistent(&status->terminal);
	return !code || code == EOWNERDEAD;
}

bool seep_lines_status_try(struct seep_lines_status *status)
{
	return !status || is_taken(status, pthread_mutex_trylock(&status->terminal));
}

void seep_lines_status_take(struct seep_lines_status *status)
{
	if (status)
		is_taken(status, pthread_mutex_lock(&status->terminal));
}

void seep_lines_status_give(struct seep_lines_status *status)
{
	if (status)
		pthread_mutex_unlock(&status->terminal);
}

void seep_lines_status_keep(struct seep_lines_status *status, const char *line, size_t bytes)
{
	char *place = status->recent[status->n_recent % SEEP_LINES_RECENT];

	if (!bytes)
		return;
	if (bytes >= SEEP_LINES_RECENT_BYTES)
		bytes = SEEP_LINES_RECENT_BYTES - 1;
	memcpy(place, line, bytes);
	place[bytes] = 0;
	status->n_recent++;
}

bool seep_lines_status_bursts(const struct seep_lines_status *status)
{
	return status->bursts >= BURSTS_LEAST;
}

bool seep_lines_status_was_one_burst(const struct seep_lines_status *status)
{
	return status->readings == 1 && status->events >= AT_ONCE_LEAST;
}
