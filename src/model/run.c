/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/run.h"

const char *seep_run_event_source_name(enum seep_event_source source)
{
	static const char *const names[] = {
		[SEEP_EVENTS_NONE] = "none",
		[SEEP_EVENTS_API] = "api",
		[SEEP_EVENTS_TIME] = "time",
		[SEEP_EVENTS_FILE] = "file",
		[SEEP_EVENTS_FUNCTION] = "fn",
		[SEEP_EVENTS_CALL] = "call",
		[SEEP_EVENTS_PYTHON] = "py",
		[SEEP_EVENTS_LINES] = "lines",
	};

	return names[source];
}
