/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/run_entry.h"

#include <errno.h>
#include <string.h>

int seep_run_entry_set_stamp(void *field, const char *value, struct seep_err *err)
{
	struct seep_run_stamps *stamps = field;

	if (strncmp(value, "fn:", 3) || !value[3])
		return seep_err_set(err, EINVAL, "--stamp: '%.100s' is not valid; write fn: and "
				    "the name of a function, such as fn:handle", value);
	if (stamps->n == SEEP_ENTRY_WANTED_MOST)
		return seep_err_set(err, EINVAL, "--stamp: at most %d functions",
				    SEEP_ENTRY_WANTED_MOST);
	stamps->names[stamps->n++] = value + 3;
	return 0;
}

int seep_run_entry_plan(const char *binary, const struct seep_run_event *event,
			const struct seep_run_stamps *stamps, struct seep_arena *arena,
			const char **text, struct seep_err *err)
{
	struct seep_entry_wanted wanted[SEEP_ENTRY_WANTED_MOST + 1];
	size_t n = 0;

	*text = NULL;
	if (event->source == SEEP_SOURCE_FUNCTION)
		wanted[n++] = (struct seep_entry_wanted){ "--event", event->text, 'e' };
	for (size_t i = 0; stamps && i < stamps->n; i++)
		wanted[n++] = (struct seep_entry_wanted){ "--stamp", stamps->names[i], 's' };
	return seep_entry_plan(binary, wanted, n, arena, text, err);
}
