/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/load/loading.h"

#include <inttypes.h>
#include <string.h>

/* The names of started programs in the header: "make, cc1, ...". */
static const char *list_started(struct seep_load *load, const struct seep_trace_header *header)
{
	size_t room = sizeof(header->started_name), known = 1, i;
	const char *list = seep_arena_printf(load->arena, "%.*s",
					     (int)strnlen(header->started_name, room),
					     header->started_name);

	for (i = 0; i < sizeof(header->started_more) / room && header->started_more[i][0]; i++) {
		list = seep_arena_printf(load->arena, "%s, %.*s", list,
					 (int)strnlen(header->started_more[i], room),
					 header->started_more[i]);
		known++;
	}
	return header->started > known ? seep_arena_printf(load->arena, "%s, ...", list) : list;
}

static void note_started(struct seep_load *load, const struct seep_trace_header *header)
{
	bool one = header->started == 1;

	if (header->started)
		*(const char **)seep_table_add(&load->notes) = seep_arena_printf(load->arena,
			"%" PRIu32 " other program%s %s started and not tracked (%s); use %s to "
			"track %s", header->started, one ? "" : "s", one ? "was" : "were",
			list_started(load, header),
			header->follow_max ? "--follow without names" : "--follow",
			one ? "it" : "them");
}

void seep_load_header_notes(struct seep_load *load)
{
	const struct seep_trace_header *header = load->header;

	if (header->state == SEEP_TRACE_STOPPED && !load->stopped)
		*(const char **)seep_table_add(&load->notes) = seep_arena_printf(load->arena,
			"recording ended before the program did: %s",
			strerror((int)(header->failure & 0xfff)));
	note_started(load, header);
}
