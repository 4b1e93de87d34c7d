/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash_map.h"
#include "base/table.h"
#include "cli/common/analysis.h"
#include "cli/common/command.h"
#include "cli/common/newest.h"
#include "cli/common/option_table.h"
#include "cli/common/progress.h"
#include "cli/common/stored_names.h"
#include "model/symbols/symbols.h"
#include "render/safe.h"
#include "render/sizes.h"
#include "trace/reader.h"

#include <stdio.h>
#include <unistd.h>

#define PROGRESS_AFTER_MS 1000

static const struct seep_option option_table[] = {
	{ .name = NULL },
};

static void add_nodes(struct seep_table *nodes, const struct seep_rec_nodes *record)
{
	const struct seep_rec_node *from = (const void *)(record + 1);

	for (uint32_t i = 0; i < record->count; i++)
		*(struct seep_rec_node *)seep_table_add(nodes) = from[i];
}

/* All addresses in stacks, those of the last program if the process called exec. */
static int read_nodes(struct seep_table *nodes, const char *path, struct seep_err *err)
{
	struct seep_reader_record record;
	struct seep_reader reader;
	int rc = seep_reader_open(&reader, path, err);

	if (rc)
		return rc;
	while (seep_reader_next(&reader, &record)) {
		if (record.kind == SEEP_REC_RESTART)
			seep_table_clear(nodes);
		if (record.kind == SEEP_REC_NODES)
			add_nodes(nodes, record.payload);
	}
	seep_reader_close(&reader);
	return 0;
}

/* A report may show stacks that no site has at the end: those of an earlier event, of frees. */
static int resolve_all(struct seep_analysis *analysis, const char *path, struct seep_err *err)
{
	struct seep_table nodes = SEEP_TABLE(&analysis->arena, struct seep_rec_node);
	const struct seep_rec_node *items;
	int rc = read_nodes(&nodes, path, err);

	if (rc)
		return rc;
	seep_analysis_resolve(analysis, 0, 0);
	items = nodes.items;
	for (size_t i = 0; i < nodes.n; i++) {
		struct seep_stack stack = { .pcs = &items[i].pc, .modules = &items[i].module,
					    .n_pcs = 1 };

		seep_symbols_resolve(analysis->symbols, &stack);
	}
	seep_symbols_note(analysis->symbols, &analysis->run);
	return 0;
}

static void tell(const struct seep_stored_names *names, struct seep_analysis *analysis,
		 const char *path)
{
	const struct seep_run *run = &analysis->run;
	const char *shown = seep_safe_text(&analysis->arena, path);

	seep_progress_end();
	if (names->n_added)
		printf("%s: added the names of %zu address%s (%s)\n", shown, names->n_added,
		       names->n_added == 1 ? "" : "es",
		       seep_size_format((double)names->bytes_added).text);
	else
		printf("%s: nothing to add: it has all names that can be found here\n", shown);
	for (size_t i = analysis->n_recorded_notes; i < run->n_notes; i++)
		printf("  note    %s\n", seep_safe_text(&analysis->arena, run->notes[i]));
}

static int pack(const char *path, struct seep_err *err)
{
	struct seep_stored_names names;
	struct seep_analysis analysis;
	int rc = seep_stored_names_open(&names, path, err);

	if (rc)
		return rc;
	rc = seep_analysis_open(&analysis, names.path, err);
	if (!rc) {
		rc = resolve_all(&analysis, names.path, err);
		if (!rc)
			rc = seep_stored_names_add(&names, &analysis.run, analysis.symbols, err);
		if (!rc)
			tell(&names, &analysis, path);
		seep_analysis_close(&analysis);
	}
	seep_stored_names_close(&names);
	return rc;
}

static int run_pack(int argc, char **argv, struct seep_err *err)
{
	struct seep_operands_found found;
	struct seep_arena arena;
	char *newest = NULL;
	int status = seep_option_table_parse(&seep_command_pack, argc, argv, NULL, &found, err);

	if (status)
		return status;
	seep_arena_init(&arena);
	if (isatty(STDERR_FILENO))
		seep_progress_start(STDERR_FILENO, PROGRESS_AFTER_MS);
	if (!found.n) {
		newest = seep_newest_trace(&arena, err);
		found.words = &newest;
		found.n = newest ? 1 : 0;
	}
	for (size_t i = 0; i < found.n && !err->code; i++)
		pack(found.words[i], err);
	seep_progress_end();
	seep_arena_release(&arena);
	return err->code ? SEEP_STATUS_FAILED : 0;
}

const struct seep_command seep_command_pack = {
	.name = "pack",
	.summary = "store all names in a trace, so that it can be read anywhere",
	.operands_text = "[TRACE]...",
	.operands = SEEP_OPERANDS_FILES,
	.examples =
		"  seep pack                     the newest trace in this directory\n"
		"  seep pack run.seep && scp run.seep laptop:\n",
	.notes =
		"seep run stores the names of the sites that grow or that a report shows; pack\n"
		"adds those of all others, as seep report --all needs them. The trace stays valid\n"
		"at all times, and packing it again changes nothing.\n\n"
		"The exit status is 0, or 125 if a trace could not be packed.\n",
	.options = option_table,
	.run = run_pack,
};
