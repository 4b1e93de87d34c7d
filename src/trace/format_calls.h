/* SPDX-License-Identifier: MIT */
/*
 * What begins events, above all the calls of the C library that the tracker counts, and that
 * `seep run --event call:NAME` takes for the start of an event.  A part of trace/format.h.
 *
 * The numbers of calls are their places in the list; they are in traces and never change.  New
 * ones come at the end.
 */
#ifndef SEEP_TRACE_FORMAT_CALLS_H
#define SEEP_TRACE_FORMAT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What begins an event; the values of seep_trace_header.source. */
enum seep_trace_source {
	SEEP_SOURCE_API = 0,     /* seep_event_begin of seep.h */
	SEEP_SOURCE_FUNCTION = 1, /* a function is entered */
	SEEP_SOURCE_CALL = 2,    /* a function of the C library returns */
	SEEP_SOURCE_PYTHON = 3,  /* a function of Python is called */
	SEEP_SOURCE_LINES = 4,   /* a line of output matches */
	SEEP_SOURCE_FILE = 5,    /* a line of a log file matches */
};

#define SEEP_TRACE_SOURCES 6u
#define SEEP_TRACE_SOURCE_MAX 127u      /* longest source_text */

/* Number, name, and whether the first argument is a descriptor. */
#define SEEP_TRACE_CALLS(CALL)                                     \
	CALL(ACCEPT, "accept", 1)                                  \
	CALL(ACCEPT4, "accept4", 1)                                \
	CALL(READ, "read", 1)                                      \
	CALL(READV, "readv", 1)                                    \
	CALL(RECV, "recv", 1)                                      \
	CALL(RECVFROM, "recvfrom", 1)                              \
	CALL(RECVMSG, "recvmsg", 1)                                \
	CALL(RECVMMSG, "recvmmsg", 1)                              \
	CALL(POLL, "poll", 0)                                      \
	CALL(PPOLL, "ppoll", 0)                                    \
	CALL(SELECT, "select", 0)                                  \
	CALL(PSELECT, "pselect", 0)                                \
	CALL(EPOLL_WAIT, "epoll_wait", 1)                          \
	CALL(EPOLL_PWAIT, "epoll_pwait", 1)                        \
	CALL(EPOLL_PWAIT2, "epoll_pwait2", 1)                      \
	CALL(WRITE, "write", 1)                                    \
	CALL(WRITEV, "writev", 1)                                  \
	CALL(SEND, "send", 1)                                      \
	CALL(SENDTO, "sendto", 1)                                  \
	CALL(SENDMSG, "sendmsg", 1)                                \
	CALL(FGETS, "fgets", 0)                                    \
	CALL(GETLINE, "getline", 0)                                \
	CALL(SEM_WAIT, "sem_wait", 0)                              \
	CALL(SEM_TIMEDWAIT, "sem_timedwait", 0)                    \
	CALL(COND_WAIT, "pthread_cond_wait", 0)                    \
	CALL(COND_TIMEDWAIT, "pthread_cond_timedwait", 0)          \
	CALL(COND_CLOCKWAIT, "pthread_cond_clockwait", 0)          \
	CALL(MQ_RECEIVE, "mq_receive", 1)                          \
	CALL(MQ_TIMEDRECEIVE, "mq_timedreceive", 1)

#define SEEP_CALL_NUMBER_(id, name, takes_fd) SEEP_CALL_##id,

enum seep_call {
	SEEP_TRACE_CALLS(SEEP_CALL_NUMBER_)
	SEEP_CALLS
};

#undef SEEP_CALL_NUMBER_

struct seep_call_name {
	const char *name;
	bool takes_fd;
};

#define SEEP_CALL_NAME_(id, name, takes_fd) [SEEP_CALL_##id] = { name, takes_fd },

static inline const struct seep_call_name *seep_call_describe(enum seep_call call)
{
	static const struct seep_call_name names[] = { SEEP_TRACE_CALLS(SEEP_CALL_NAME_) };

	return &names[call];
}

#undef SEEP_CALL_NAME_

#define SEEP_CALL_PREFIX "call:" /* of --event */
#define SEEP_CALL_FD ":fd="

/*
 * Reads NAME[:fd=N].  Returns SEEP_CALLS if there is no such call.  fd becomes -1 without a
 * number, and -2 if that is wrong.
 */
static inline enum seep_call seep_call_parse(const char *name, int *fd)
{
	size_t letters = strcspn(name, ":");
	uint32_t call = 0;
	const char *rest = name + letters;
	char *end = NULL;

	*fd = -1;
	if (*rest) {
		bool starts = !strncmp(rest, SEEP_CALL_FD, sizeof(SEEP_CALL_FD) - 1);
		long number = -1;

		rest += sizeof(SEEP_CALL_FD) - 1;
		if (starts && *rest >= '0' && *rest <= '9')
			number = strtol(rest, &end, 10);
		*fd = number >= 0 && !*end && number <= INT32_MAX ? (int)number : -2;
	}
	for (; call < SEEP_CALLS; call++) {
		const char *known = seep_call_describe((enum seep_call)call)->name;

		if (!strncmp(known, name, letters) && !known[letters])
			break;
	}
	return (enum seep_call)call;
}

#define SEEP_CALLS_ROOM 40   /* in the header */

/* What happened to one of them.  Slices are the time slices of seep run, counted from its start. */
struct seep_trace_call {
	uint64_t calls;
	uint64_t returns;        /* those that returned with success */
	uint32_t slices;         /* in which at least one did so */
	uint32_t first, last;    /* of these slices */
	uint32_t gap;            /* the longest way from one to the next */
};

#endif
