/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/recurring.h"

#include "analyse/threshold/thresholds.h"

/*
 * Output is not proposed, since a program may write for any reason.  Neither are semaphores and
 * conditions, which interpreters use for their locks.
 */
static const enum seep_call by_meaning[] = {
	SEEP_CALL_EPOLL_WAIT, SEEP_CALL_EPOLL_PWAIT, SEEP_CALL_EPOLL_PWAIT2,
	SEEP_CALL_POLL, SEEP_CALL_PPOLL, SEEP_CALL_SELECT, SEEP_CALL_PSELECT,
	SEEP_CALL_ACCEPT4, SEEP_CALL_ACCEPT,
	SEEP_CALL_MQ_RECEIVE, SEEP_CALL_MQ_TIMEDRECEIVE,
	SEEP_CALL_RECVMSG, SEEP_CALL_RECVMMSG, SEEP_CALL_RECVFROM, SEEP_CALL_RECV,
	SEEP_CALL_GETLINE, SEEP_CALL_FGETS, SEEP_CALL_READ, SEEP_CALL_READV,
};

static bool recurs(const struct seep_run *run, const struct seep_run_call *call)
{
	double missing = CALL_GAP * run->call_slices;

	return call->returns >= CALL_RETURNS && call->slices >= CALL_SLICES &&
	       call->first <= missing && call->gap <= missing &&
	       run->call_slices - call->last <= missing &&
	       (double)call->returns <= CALL_RATE * (double)run->wall_ns / 1e9;
}

const struct seep_run_call *seep_recurring_call(const struct seep_run *run)
{
	size_t n = sizeof(by_meaning) / sizeof(by_meaning[0]);

	if (seep_run_has_marks(run) || !(run->call_slices > 0))
		return NULL;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < run->n_calls; j++)
			if (run->calls[j].call == by_meaning[i] && recurs(run, &run->calls[j]))
				return &run->calls[j];
	return NULL;
}
