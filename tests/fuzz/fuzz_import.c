/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the file of another program: the first byte says of which, those beyond the last
 * format leave it to the content.  What comes out must be a trace without damage.
 */
#include "import/import.h"
#include "model/load/load.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static volatile uint64_t sink;

static void demand(bool truth)
{
	if (!truth)
		abort();
}

static void look(const struct seep_run *run)
{
	demand(!run->damaged && run->complete);
	for (size_t i = 0; i < run->n_stamps; i++) {
		const struct seep_stamp *stamp = &run->stamps[i];

		demand(stamp->name < run->n_names);
		demand(stamp->event >= SEEP_EVENT_NONE && stamp->event < (int64_t)run->n_events);
		demand(!i || stamp[-1].t_ns <= stamp->t_ns);
		demand(!i || stamp[-1].event <= stamp->event);
	}
	for (size_t i = 0; i < run->n_counters; i++)
		demand(run->counters[i].given <= run->n_events);
	for (size_t i = 0; i < run->n_notes; i++)
		sink += strlen(run->notes[i]);
	for (size_t i = 0; run->command[i]; i++)
		sink += strlen(run->command[i]);
	for (size_t i = 0; i < run->n_sites; i++)
		sink += run->sites[i].stack.n_pcs;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct seep_import_format *format = NULL;
	struct seep_err err = { 0 };
	struct seep_arena arena;
	struct seep_reader reader;
	struct seep_run run;

	if (!bytes)
		return 0;
	if (*data < seep_import_n_formats)
		format = seep_import_formats[*data];
	if (seep_import_open_bytes(&reader, format, data + 1, bytes - 1, &err)) {
		demand(err.code && err.text[0]);
		return 0;
	}
	seep_arena_init(&arena);
	seep_load_records(&run, &reader, &arena);
	seep_reader_close(&reader);
	look(&run);
	seep_arena_release(&arena);
	return 0;
}
