/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reads.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define THRESHOLDS_MAX 512

static bool was_read[THRESHOLDS_MAX];

static void *address_of(size_t i)
{
	const struct seep_threshold *t = &seep_thresholds[i];

	return t->real ? (void *)t->real : (void *)t->count;
}

static void protect(size_t i, int how)
{
	mprotect(address_of(i), SEEP_THRESHOLD_PAGE, how);
}

/* Any other fault comes again behind this, and then it is as deadly as ever. */
static void note(int number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	size_t i;

	(void)context;
	for (i = 0; i < seep_n_thresholds; i++)
		if (at - (uintptr_t)address_of(i) < SEEP_THRESHOLD_PAGE) {
			was_read[i] = true;
			protect(i, PROT_READ | PROT_WRITE);
			return;
		}
	signal(number, SIG_DFL);
}

/* With larger pages all of them count as read. */
static bool can_tell(void)
{
	return sysconf(_SC_PAGESIZE) == SEEP_THRESHOLD_PAGE && seep_n_thresholds <= THRESHOLDS_MAX;
}

void reads_start(void)
{
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
	size_t i;

	if (!can_tell())
		return;
	sigaction(SIGSEGV, &action, NULL);
	for (i = 0; i < seep_n_thresholds; i++) {
		was_read[i] = false;
		protect(i, PROT_NONE);
	}
}

void reads_end(void)
{
	size_t i;

	for (i = 0; i < seep_n_thresholds && can_tell(); i++)
		protect(i, PROT_READ | PROT_WRITE);
	signal(SIGSEGV, SIG_DFL);
}

bool reads_has(const struct seep_threshold *threshold)
{
	return !can_tell() || was_read[threshold - seep_thresholds];
}
