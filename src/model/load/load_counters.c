/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters and gauges: one value per event.
 *
 * A table of all counters by all events can be far larger than the file, which names each of them
 * once, so its size is limited.  While the table is being filled, missing values are NaN.
 */
#include "model/load/loading.h"

#include <math.h>

#define CELLS_LEAST ((size_t)8 << 20)

static uint32_t name_of(const struct seep_reader_record *record)
{
	if (record->kind == SEEP_REC_GAUGE)
		return ((const struct seep_rec_gauge *)record->payload)->name;
	return ((const struct seep_rec_count *)record->payload)->name;
}

void seep_load_counters_add(struct seep_load *load, const struct seep_reader_record *record)
{
	if (seep_load_name_exists(load, name_of(record)))
		*(struct seep_reader_record *)seep_table_add(&load->counts) = *record;
}

static void add_value(const struct seep_load *load, struct seep_counter *counter,
		      const struct seep_reader_record *record)
{
	const struct seep_rec_gauge *gauge = record->payload;
	const struct seep_rec_count *count = record->payload;
	int64_t event = seep_load_event(load, counter->gauge ? gauge->event : count->event);
	size_t place = seep_run_place(load->run, event + 1);
	double *value;

	if (event < 0 || event >= seep_run_marked(load->run) || !place)
		return;
	if (!counter->gauge && !isfinite(count->value))
		return;
	value = &counter->values[place - 1];
	if (isnan(*value))
		counter->given++;
	if (counter->gauge)
		*value = (double)gauge->bytes;
	else
		*value = isnan(*value) ? count->value : *value + count->value;
}

/* The counter that a record belongs to, created if necessary; NULL if there is no room for it. */
static struct seep_counter *find_counter(struct seep_load *load, struct seep_table *counters,
					 uint32_t *places, const struct seep_reader_record *record)
{
	struct seep_run *run = load->run;
	bool gauge = record->kind == SEEP_REC_GAUGE;
	uint32_t *place = &places[(size_t)name_of(record) * 2 + gauge];
	struct seep_counter *counter;
	size_t i;

	if (*place)
		return *place == UINT32_MAX ? NULL :
		       (struct seep_counter *)counters->items + (*place - 1);
	if ((counters->n + 1) * run->n_events > CELLS_LEAST + load->file_bytes / 2) {
		load->counters_dropped++;
		*place = UINT32_MAX;
		return NULL;
	}
	*place = (uint32_t)counters->n + 1;
	counter = seep_table_add(counters);
	counter->name = run->names[name_of(record)];
	counter->gauge = gauge;
	counter->values = seep_arena_array(load->arena, run->n_events, sizeof(double));
	for (i = 0; i < run->n_events; i++)
		counter->values[i] = NAN;
	return counter;
}

static void clear_gaps(const struct seep_run *run, struct seep_counter *counter)
{
	size_t i;

	for (i = 0; i < run->n_events; i++)
		if (isnan(counter->values[i]))
			counter->values[i] = 0;
}

void seep_load_counters_build(struct seep_load *load)
{
	const struct seep_reader_record *records = load->counts.items;
	struct seep_table counters = SEEP_TABLE(load->arena, struct seep_counter);
	struct seep_run *run = load->run;
	uint32_t *places = seep_arena_array(&load->scratch, run->n_names * 2, sizeof(*places));
	size_t i;

	for (i = 0; i < load->counts.n; i++) {
		struct seep_counter *counter = find_counter(load, &counters, places, &records[i]);

		if (counter)
			add_value(load, counter, &records[i]);
	}
	run->counters = counters.items;
	run->n_counters = counters.n;
	for (i = 0; i < run->n_counters; i++)
		clear_gaps(run, &run->counters[i]);
}
