/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The folder of arrays that sleak of Opticks makes, for its plots and for NumPy.
 *
 *	run.npy         empty; only carries run_meta.txt
 *	runprof.npy     two rows per event: its start and its end
 *	SProf_txt.npy   one row per stamp, as sprof of Opticks makes it
 *
 * sleak takes every second row for a start.  So if an event has no end of its own, the start of
 * the next event takes its place; an event that was cut off, or of which one end was not
 * measured, is left out.
 */
#include "base/table.h"
#include "render/export/export.h"
#include "render/export/series/npy_write.h"
#include "render/export/series/points.h"
#include "render/export/series/sprof_write.h"

struct row {
	const struct seep_stamp *stamp;
	const struct seep_event *event; /* that the row starts or ends; NULL: a plain stamp */
	bool end;
};

struct rows {
	const struct seep_sprof *sprof;
	const struct row *items;
	size_t n;
};

typedef void (*write_part)(FILE *out, const struct rows *rows);

static void add_row(struct seep_table *table, const struct seep_stamp *stamp,
		    const struct seep_event *event, bool end)
{
	*(struct row *)seep_table_add(table) = (struct row){ stamp, event, end };
}

/* NULL if it is not in the trace. */
static const struct seep_stamp *find_end(const struct seep_run *run, size_t i)
{
	const struct seep_event *event = &run->events[i];

	for (size_t j = 0; j < event->n_stamps; j++)
		if (run->stamps[event->first_stamp + j].flags & SEEP_STAMP_END)
			return &run->stamps[event->first_stamp + j];
	if (i + 1 < run->n_events && event[1].number == event->number + 1)
		return &run->stamps[event[1].first_stamp];
	return NULL;
}

static struct rows collect_edges(const struct seep_view *view, const struct seep_sprof *sprof)
{
	const struct seep_run *run = view->run;
	struct seep_table table = SEEP_TABLE(view->arena, struct row);

	for (size_t i = 0; i < run->n_events; i++) {
		const struct seep_event *event = &run->events[i];
		const struct seep_stamp *begin = &run->stamps[event->first_stamp];
		const struct seep_stamp *end = find_end(run, i);

		if (!end || !seep_points_usable(run, begin) || !seep_points_usable(run, end))
			continue;
		add_row(&table, begin, event, false);
		add_row(&table, end, event, true);
	}
	return (struct rows){ sprof, table.items, table.n };
}

static struct rows collect_stamps(const struct seep_view *view, const struct seep_sprof *sprof)
{
	struct seep_table table = SEEP_TABLE(view->arena, struct row);

	for (size_t i = 0; i < view->run->n_stamps; i++)
		if (seep_sprof_shows(sprof, &view->run->stamps[i]))
			add_row(&table, &view->run->stamps[i], NULL, false);
	return (struct rows){ sprof, table.items, table.n };
}

static void write_name(FILE *out, const struct rows *rows, size_t i)
{
	const struct row *row = &rows->items[i];

	if (row->event)
		seep_sprof_write_edge(out, rows->sprof, row->event, row->end);
	else
		seep_sprof_write_name(out, rows->sprof, row->stamp);
}

static void write_array(FILE *out, const struct rows *rows)
{
	seep_npy_begin(out, SEEP_NPY_INT64, rows->n, 3);
	for (size_t i = 0; i < rows->n; i++) {
		const struct seep_stamp *stamp = rows->items[i].stamp;

		seep_npy_int64(out, seep_points_us(rows->sprof->run, stamp));
		seep_npy_int64(out, stamp->vm_bytes / 1024);
		seep_npy_int64(out, stamp->rss_bytes / 1024);
	}
}

static void write_names(FILE *out, const struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		write_name(out, rows, i);
		fputc('\n', out);
	}
}

static void write_labels(FILE *out, const struct rows *rows)
{
	(void)rows;
	fputs("st[us]\nvm[kb]\nrs[kb]\n", out);
}

/* The array as text, from which sleak and sprof could rebuild it. */
static void write_meta(FILE *out, const struct rows *rows)
{
	fputs("creator:seep export\n", out);
	for (size_t i = 0; i < rows->n; i++) {
		write_name(out, rows, i);
		fputc(':', out);
		seep_sprof_write_triplet(out, rows->sprof, rows->items[i].stamp);
		fputc('\n', out);
	}
}

static void write_run(FILE *out, const struct rows *rows)
{
	(void)rows;
	seep_npy_begin(out, SEEP_NPY_FLOAT32, 1, 0);
	seep_npy_float32(out, 0);
}

static void write_index(FILE *out, const struct rows *rows)
{
	fputs("run.npy\n", out);
	if (rows->n)
		fputs("runprof.npy\n", out);
	fputs("SProf_txt.npy\n", out);
}

static int write_file(struct seep_export_folder *folder, const char *name, write_part write,
		      const struct rows *rows, struct seep_err *err)
{
	FILE *out = folder->open(folder, name, err);

	if (!out)
		return err->code ? -err->code : -1;
	write(out, rows);
	return 0;
}

static int write_npy(const struct seep_view *view, struct seep_export_folder *folder,
		     struct seep_err *err)
{
	struct seep_sprof sprof = seep_sprof_of(view);
	struct rows edges = collect_edges(view, &sprof), stamps = collect_stamps(view, &sprof);
	const struct {
		const char *name;
		write_part write;
		const struct rows *rows;
	} files[] = {
		{ "NPFold_index.txt", write_index, &edges },
		{ "run.npy", write_run, &edges },
		{ "run_meta.txt", write_meta, &edges },
		{ "SProf_txt.npy", write_array, &stamps },
		{ "SProf_txt_names.txt", write_names, &stamps },
		{ "SProf_txt_labels.txt", write_labels, &stamps },
		{ "SProf_txt_meta.txt", write_meta, &stamps },
		{ "runprof.npy", write_array, &edges },
		{ "runprof_names.txt", write_names, &edges },
		{ "runprof_labels.txt", write_labels, &edges },
		{ "runprof_meta.txt", write_meta, &edges },
	};
	size_t n = edges.n ? sizeof(files) / sizeof(files[0]) : 7;
	int rc = seep_points_need(view, "npy", err);

	for (size_t i = 0; !rc && i < n; i++)
		rc = write_file(folder, files[i].name, files[i].write, files[i].rows, err);
	return rc;
}

const struct seep_export_format seep_export_npy = {
	.name = "npy",
	.what = "Opticks' sleak, NumPy: a folder of arrays",
	.write_folder = write_npy,
};
