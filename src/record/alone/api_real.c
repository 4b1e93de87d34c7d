/* SPDX-License-Identifier: MIT */
/*
 * The symbols of seep.h in libseep.  Under seep run, those of the preloaded tracker come first,
 * unless the program is linked with libseep.a: then the calls arrive here and are passed on.
 */
#include "record/api.h"

#include "record/stamp.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

static struct {
	bool asked;
	void (*event_begin)(int64_t index);
	int (*event_open)(int64_t index); /* NULL: the tracker is older */
	int (*event_switch)(int slot);
	void (*event_end)(void);
	void (*stamp)(const char *name);
	void (*count)(const char *name, double value);
	void (*gauge)(const char *name, int64_t bytes);
} next;

static void find(void *function, const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(function, &symbol, sizeof(symbol));
}

bool seep_api_is_passed_on(void)
{
	if (!__atomic_load_n(&next.asked, __ATOMIC_ACQUIRE)) {
		find(&next.event_begin, "seep_api_event_begin");
		find(&next.event_open, "seep_api_event_open");
		find(&next.event_switch, "seep_api_event_switch");
		find(&next.event_end, "seep_api_event_end");
		find(&next.count, "seep_api_count");
		find(&next.gauge, "seep_api_gauge");
		find(&next.stamp, "seep_api_stamp");
		__atomic_store_n(&next.asked, true, __ATOMIC_RELEASE);
	}
	return next.stamp;
}

void seep_api_event_begin(int64_t index)
{
	if (seep_api_is_passed_on())
		next.event_begin(index);
	else
		seep_stamp_event_begin(index);
}

int seep_api_event_open(int64_t index)
{
	if (!seep_api_is_passed_on())
		return seep_stamp_event_open(index);
	if (next.event_open)
		return next.event_open(index);
	next.event_begin(index);
	return 0;
}

int seep_api_event_switch(int slot)
{
	if (!seep_api_is_passed_on())
		return seep_stamp_event_switch(slot);
	return next.event_switch ? next.event_switch(slot) : 0;
}

void seep_api_event_end(void)
{
	if (seep_api_is_passed_on())
		next.event_end();
	else
		seep_stamp_event_end();
}

void seep_api_stamp(const char *name)
{
	if (seep_api_is_passed_on())
		next.stamp(name);
	else
		seep_stamp_named(name);
}

void seep_api_count(const char *name, double value)
{
	if (seep_api_is_passed_on())
		next.count(name, value);
	else
		seep_stamp_count(name, value);
}

void seep_api_gauge(const char *name, int64_t bytes)
{
	if (seep_api_is_passed_on())
		next.gauge(name, bytes);
	else
		seep_stamp_gauge(name, bytes);
}
