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

static int add_pool(struct seep_run_pools *pools, const char *option, const char *value, bool frees,
		    struct seep_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < pools->n; i++)
		n += pools->frees[i] == frees;
	if (!*value || n == SEEP_RUN_POOLS_MOST)
		return seep_err_set(err, EINVAL, *value ? "%s: at most %d functions"
				    : "%s: write the name of a function", option,
				    SEEP_RUN_POOLS_MOST);
	pools->frees[pools->n] = frees;
	pools->names[pools->n++] = value;
	return 0;
}

int seep_run_entry_set_alloc(void *field, const char *value, struct seep_err *err)
{
	return add_pool(field, "--alloc-fn", value, false, err);
}

int seep_run_entry_set_free(void *field, const char *value, struct seep_err *err)
{
	return add_pool(field, "--free-fn", value, true, err);
}

int seep_run_entry_plan(const char *binary, const struct seep_run_event *event,
			const struct seep_run_stamps *stamps,
			const struct seep_run_pools *pools, struct seep_arena *arena,
			const char **text, struct seep_err *err)
{
	struct seep_entry_wanted wanted[2 * SEEP_ENTRY_WANTED_MOST + 1];
	size_t n = 0;

	*text = NULL;
	if (event->source == SEEP_SOURCE_FUNCTION)
		wanted[n++] = (struct seep_entry_wanted){ "--event fn:", event->text, 'e' };
	for (size_t i = 0; stamps && i < stamps->n; i++)
		wanted[n++] = (struct seep_entry_wanted){ "--stamp fn:", stamps->names[i], 's' };
	for (size_t i = 0; pools && i < pools->n; i++)
		wanted[n++] = (struct seep_entry_wanted){
			pools->frees[i] ? "--free-fn " : "--alloc-fn ", pools->names[i],
			pools->frees[i] ? 'f' : 'a',
		};
	return seep_entry_plan(binary, wanted, n, arena, text, err);
}
