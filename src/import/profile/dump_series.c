/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/profile/dump_series.h"

#include "import/number.h"
#include "import/profile/dump_plan.h"
#include "import/quantity.h"

/* The state after the files read so far. */
struct series {
	size_t n;                /* dumps */
	int64_t first_ns, last_ns; /* when the dumps were written */
	uint64_t period;         /* the largest so far */
};

static struct series *series_of(struct seep_import *import)
{
	if (!import->state)
		import->state = seep_arena_alloc(&import->arena, sizeof(struct series));
	return import->state;
}

bool seep_dump_series_forgive(struct seep_import *import, struct seep_err *err)
{
	if (import->n_paths < 2 || import->at + 1 < import->n_paths)
		return false;
	seep_compose_note(&import->compose, "the last dump is truncated and was left out; was the "
			  "program killed? %s", err->text);
	*err = (struct seep_err){ 0 };
	return true;
}

static int64_t event_of(const struct seep_import *import, const struct series *series)
{
	const struct seep_dump_plan *plan = import->plan;

	return plan ? plan->files[import->at].event : (int64_t)series->n;
}

/* Copied files may all have the time of the copy; time then stands still. */
static int64_t tell_time(struct seep_import *import, struct series *series, int64_t written_ns)
{
	if (!series->n) {
		series->first_ns = series->last_ns = written_ns;
		seep_compose_started(&import->compose, written_ns);
	}
	if (written_ns > series->last_ns)
		series->last_ns = written_ns;
	return series->last_ns - series->first_ns;
}

static struct seep_compose_at sum_up(const struct seep_dump_levels *dump, int64_t t_ns)
{
	struct seep_compose_level *const *levels = dump->levels.items;
	struct seep_compose_at at = { .t_ns = t_ns, .has_heap = true };

	for (size_t i = 0; i < dump->levels.n; i++) {
		at.live_bytes = seep_quantity_add(at.live_bytes, levels[i]->bytes);
		at.live_blocks = seep_quantity_add(at.live_blocks, levels[i]->blocks);
	}
	return at;
}

void seep_dump_series_add(struct seep_import *import, const struct seep_dump_levels *dump,
			  int64_t written_ns, uint64_t period)
{
	struct series *series = series_of(import);
	struct seep_compose_at at = sum_up(dump, tell_time(import, series, written_ns));

	seep_compose_event_numbered(&import->compose, event_of(import, series), &at);
	seep_dump_levels_compose(dump, &import->compose);
	series->n++;
	if (period > series->period)
		series->period = period;
}

int seep_dump_series_finish(struct seep_import *import, struct seep_err *err)
{
	struct series *series = series_of(import);
	const struct seep_dump_plan *plan = import->plan;

	(void)err;
	if (series->period)
		seep_compose_sampled(&import->compose, series->period);
	if (plan && plan->has_end)
		seep_compose_exit(&import->compose, (int)plan->retcode, (int)plan->signal,
				  series->last_ns - series->first_ns);
	return 0;
}

/* Compares digits as numbers: jeprof.1.9.m9.heap comes before jeprof.1.10.m10.heap. */
int seep_dump_series_compare(const char *path, const char *other)
{
	while (*path && *other) {
		const char *behind = path, *behind_other = other;
		uint64_t one, two;

		if (seep_number_decimal(&behind, &one) &&
		    seep_number_decimal(&behind_other, &two)) {
			if (one != two)
				return one < two ? -1 : 1;
			path = behind;
			other = behind_other;
			continue;
		}
		if (*path != *other)
			return (unsigned char)*path < (unsigned char)*other ? -1 : 1;
		path++;
		other++;
	}
	return *path ? 1 : *other ? -1 : 0;
}
