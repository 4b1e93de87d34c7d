/* SPDX-License-Identifier: MIT */
#include "record/api.h"

#include "record/stamp.h"

void seep_api_event_begin(int64_t index)
{
	seep_stamp_event_begin(index);
}

void seep_api_event_end(void)
{
	seep_stamp_event_end();
}

void seep_api_stamp(const char *name)
{
	seep_stamp_named(name);
}

void seep_api_count(const char *name, double value)
{
	seep_stamp_count(name, value);
}

void seep_api_gauge(const char *name, int64_t bytes)
{
	seep_stamp_gauge(name, bytes);
}

void seep_api_collect_begin(int over)
{
	if (over)
		seep_stamp_over();
}

void seep_api_collect_end(int over)
{
	seep_stamp_collected(over);
}
