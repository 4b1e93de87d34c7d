/* SPDX-License-Identifier: MIT */
/* The symbols that seep.h refers to, weakly.  Their names and arguments must never change. */
#ifndef SEEP_RECORD_API_H
#define SEEP_RECORD_API_H

#include <stdbool.h>
#include <stdint.h>

#define SEEP_API __attribute__((visibility("default")))

SEEP_API void seep_api_event_begin(int64_t index);
SEEP_API void seep_api_event_end(void);

/*
 * The same as seep_api_event_begin, whose result must stay void: returns the slot.  The header
 * calls it if it is there.
 */
SEEP_API int seep_api_event_open(int64_t index);
SEEP_API int seep_api_event_switch(int slot);
SEEP_API void seep_api_stamp(const char *name);
SEEP_API void seep_api_count(const char *name, double value);
SEEP_API void seep_api_gauge(const char *name, int64_t bytes);

/*
 * For language bindings: the garbage collector of an interpreter will free all it can, or has just
 * done so.  Only the tracker has these.
 */
enum seep_api_collect {
	SEEP_API_COLLECT_USUAL = 0, /* the interpreter or the program wanted it */
	SEEP_API_COLLECT_OVER = 1,  /* the program has done its work; it will be cleaned up next */
	SEEP_API_COLLECT_SAID = 2,  /* the same, but the program goes on with what is not judged */
	SEEP_API_COLLECT_ASKED = 3, /* between two events, for seep run --collect */
};
SEEP_API void seep_api_collect_begin(int why);
SEEP_API void seep_api_collect_end(int why);

/* In libseep: whether a loaded tracker takes the calls. */
bool seep_api_is_passed_on(void);

#endif
