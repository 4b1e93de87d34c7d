/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NumPy arrays in which Opticks saves the memory of a run:
 *
 *	int64 (n, 3)       stamps: time in us, VM and RSS in kB; X_names.txt has the names
 *	int64 (e, s, 3)    the same for e events of s stamps each
 *	float32 (n, 4)     G4OpticksProfilePlot: seconds of the day, VM and RSS in MB, 0
 *	uint64 (n, 8)      smonitor: us, device, free, total, used bytes, pid, its bytes, 0
 *
 * Rows are read, checked and passed on one by one, so an array may have any length.
 */
#include "import/quantity.h"
#include "import/series/npy_head.h"
#include "import/series/npy_names.h"
#include "import/series/stamp_lines.h"
#include "import/series/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS_MAX 8
#define NS_PER_US 1000
#define KB_PER_MB 1000
#define DAY_S 86400.0
#define BACK_S (DAY_S / 2)       /* if the clock goes back by more, it is the next day */
#define EVENT_NAME_BYTES 1100

struct array {
	struct seep_import *import;
	struct seep_source *source;
	struct seep_npy_head head;
	size_t columns;
	int64_t rows, row;       /* ... and those read so far */
	uint64_t cells[COLUMNS_MAX]; /* of the last row, as raw bits */
};

static bool recognise(const struct seep_import_head *head)
{
	return head->bytes >= sizeof(SEEP_NPY_MAGIC) - 1 &&
	       !memcmp(head->data, SEEP_NPY_MAGIC, sizeof(SEEP_NPY_MAGIC) - 1);
}

static uint64_t unpack(const unsigned char *bytes, const struct seep_npy_head *head)
{
	uint64_t value = 0;

	for (size_t i = 0; i < head->item_bytes; i++)
		value = value << 8 | bytes[head->swapped ? i : head->item_bytes - 1 - i];
	return value;
}

/* Returns 1 if cells holds the next row, 0 at the end, or -errno. */
static int next_row(struct array *array, struct seep_err *err)
{
	unsigned char bytes[COLUMNS_MAX * sizeof(uint64_t)];
	size_t size = array->columns * array->head.item_bytes;
	bool more = array->row < array->rows;
	int64_t n = seep_source_read(array->source, bytes, more ? size : 1, err);

	if (n < 0)
		return (int)n;
	if (!more && n)
		return seep_source_refuse_byte(array->source, EBADMSG, err, "more bytes than the "
					       "%" PRId64 " rows that the header promises",
					       array->rows);
	if (!more)
		return 0;
	if ((size_t)n < size)
		return seep_source_refuse_byte(array->source, EBADMSG, err, "the file ends in row %"
					       PRId64 " of %" PRId64, array->row + 1, array->rows);
	array->row++;
	for (size_t i = 0; i < array->columns; i++)
		array->cells[i] = unpack(bytes + i * array->head.item_bytes, &array->head);
	return 1;
}

static int refuse_row(const struct array *array, struct seep_err *err)
{
	return seep_source_refuse_byte(array->source, ERANGE, err, "row %" PRId64 " of "
				       "%" PRId64 ": an impossible time or size",
				       array->row, array->rows);
}

/* Time, VM and RSS of a row of integers. */
static bool take_stamp(const struct array *array, struct seep_stamp_lines_line *line)
{
	int64_t unit = seep_stamp_lines_unit(array->import), t = (int64_t)array->cells[0];

	line->place = (uint64_t)array->row;
	return t >= 0 && !__builtin_mul_overflow(t, NS_PER_US, &line->t_ns) &&
	       line->t_ns <= SEEP_QUANTITY_TIME_MAX &&
	       seep_quantity_bytes((int64_t)array->cells[1], unit, &line->vm_bytes) &&
	       seep_quantity_bytes((int64_t)array->cells[2], unit, &line->rss_bytes);
}

static int read_stamps(struct array *array, struct seep_err *err)
{
	struct seep_stamp_lines *stamps = seep_stamp_lines_begin(array->import, "row", false);
	struct seep_npy_names *names;
	int rc = seep_npy_names_open(&names, seep_source_path(array->source), err);

	while (!rc && (rc = next_row(array, err)) > 0) {
		struct seep_stamp_lines_line line = { 0 };

		if (!take_stamp(array, &line))
			rc = refuse_row(array, err);
		else
			rc = seep_npy_names_next(names, &line, array->rows, err);
		if (!rc)
			seep_stamp_lines_add(stamps, &line);
	}
	if (!rc)
		rc = seep_npy_names_check_end(names, array->rows, err);
	seep_npy_names_close(names);
	if (rc)
		return rc;
	seep_stamp_lines_finish(stamps);
	seep_stamp_lines_note_unit(array->import);
	return 0;
}

/* Puts the number of the event into the name, where the stamp reader finds it. */
static int read_events(struct array *array, struct seep_err *err)
{
	struct seep_stamp_lines *stamps = seep_stamp_lines_begin(array->import, "row", false);
	int64_t per_event = array->head.dims[1];
	const char *const *names;
	uint64_t empty = 0;
	int rc = seep_npy_names_of_stamps(&names, seep_source_path(array->source), per_event,
					  &array->import->arena, err);

	while (!rc && (rc = next_row(array, err)) > 0) {
		int64_t event = (array->row - 1) / per_event, at = (array->row - 1) % per_event;
		char name[EVENT_NAME_BYTES];
		struct seep_stamp_lines_line line = { .name = name };

		rc = take_stamp(array, &line) ? 0 : refuse_row(array, err);
		if (!array->cells[0])
			empty++;
		if (rc || !array->cells[0])
			continue;
		line.n_name = (size_t)(names ? snprintf(name, sizeof(name), "A%03" PRId64 "_%s",
							event, names[at]) :
				       snprintf(name, sizeof(name), "A%03" PRId64 "_stamp %" PRId64,
						event, at));
		seep_stamp_lines_add(stamps, &line);
	}
	if (rc)
		return rc;
	seep_stamp_lines_finish(stamps);
	seep_stamp_lines_note_unit(array->import);
	if (empty)
		seep_compose_note(&array->import->compose, "%" PRIu64 " stamps have no time and "
				  "were left out", empty);
	return 0;
}

static float take_float(uint64_t bits)
{
	uint32_t half = (uint32_t)bits;
	float value;

	memcpy(&value, &half, sizeof(value));
	return value;
}

/* The time of day restarts at midnight. */
static bool take_plot(const struct array *array, double *day_s, double *last_s,
		      struct seep_compose_at *at)
{
	double unit = (double)seep_stamp_lines_unit(array->import) * KB_PER_MB;
	double s = (double)take_float(array->cells[0]);

	if (array->row > 1 && *last_s - s > BACK_S)
		*day_s += DAY_S;
	*last_s = s;
	return seep_quantity_seconds(s + *day_s, &at->t_ns) && s < 2 * DAY_S &&
	       seep_quantity_bytes_decimal((double)take_float(array->cells[1]), unit,
					   &at->vm_bytes) &&
	       seep_quantity_bytes_decimal((double)take_float(array->cells[2]), unit,
					   &at->rss_bytes);
}

static int read_plot(struct array *array, struct seep_err *err)
{
	struct seep_compose *c = &array->import->compose;
	struct seep_timeline timeline = { 0 };
	double day_s = 0, last_s = 0;
	bool no_rss = false;
	int rc;

	while ((rc = next_row(array, err)) > 0) {
		struct seep_compose_at at = { .has_rss = true };

		if (!take_plot(array, &day_s, &last_s, &at))
			return refuse_row(array, err);
		if (take_float(array->cells[3]) != 0)
			return seep_source_refuse_byte(array->source, ENOTSUP, err, "row "
						       "%" PRId64 ": the last column is not 0, so "
						       "this array holds differences, like "
						       "OpticksProfile.npy, not levels",
						       array->row);
		if (array->row == 1)
			no_rss = !at.rss_bytes;
		if (no_rss)
			at.rss_bytes = at.vm_bytes;
		at.t_ns = seep_timeline_next(&timeline, at.t_ns, (uint64_t)array->row);
		seep_compose_event(c, array->row - 1, &at);
	}
	if (rc)
		return rc;
	seep_timeline_note(&timeline, c, "row");
	seep_stamp_lines_note_unit(array->import);
	if (no_rss)
		seep_compose_note(c, "the file has no RSS, so the size of the address space "
				  "(VmSize) is used instead; it includes memory that was never "
				  "touched");
	return 0;
}

enum {
	MONITOR_TIME, MONITOR_DEVICE, MONITOR_FREE, MONITOR_TOTAL, MONITOR_USED, MONITOR_PID,
	MONITOR_OF_PID
};

static int read_monitor(struct array *array, struct seep_err *err)
{
	struct seep_compose *c = &array->import->compose;
	struct seep_timeline timeline = { 0 };
	uint32_t of_pid = seep_compose_name(c, "usedGpuMemory", strlen("usedGpuMemory"));
	uint64_t device = 0, others = 0;
	int64_t bytes;
	int rc;

	seep_compose_ticks(c);
	while ((rc = next_row(array, err)) > 0) {
		const uint64_t *cells = array->cells;
		struct seep_compose_at at = { .has_rss = true };

		if (cells[MONITOR_TIME] > (uint64_t)SEEP_QUANTITY_TIME_MAX / NS_PER_US ||
		    !seep_quantity_bytes((int64_t)cells[MONITOR_USED], 1, &at.rss_bytes) ||
		    !seep_quantity_bytes((int64_t)cells[MONITOR_OF_PID], 1, &bytes))
			return refuse_row(array, err);
		if (array->row == 1) {
			device = cells[MONITOR_DEVICE];
			seep_compose_started(c, (int64_t)cells[MONITOR_TIME] * NS_PER_US);
			seep_compose_pid(c, (uint32_t)cells[MONITOR_PID]);
		}
		if (cells[MONITOR_DEVICE] != device) {
			others++;
			continue;
		}
		at.vm_bytes = at.rss_bytes;
		at.t_ns = seep_timeline_next(&timeline, (int64_t)cells[MONITOR_TIME] * NS_PER_US,
					     (uint64_t)array->row);
		seep_compose_event(c, array->row - 1, &at);
		seep_compose_gauge(c, of_pid, bytes, at.t_ns);
	}
	if (rc)
		return rc;
	seep_timeline_note(&timeline, c, "row");
	seep_compose_note(c, "RSS is the memory of GPU %" PRIu64 " in use by all programs",
			  device);
	if (others)
		seep_compose_note(c, "%" PRIu64 " rows of other GPUs were left out", others);
	return 0;
}

static bool is_shaped(const struct seep_npy_head *head, char kind, size_t bytes, size_t n_dims,
		      int64_t columns)
{
	return head->kind == kind && head->item_bytes == bytes && head->n_dims == n_dims &&
	       head->dims[n_dims - 1] == columns;
}

static int read_npy(struct seep_import *import, struct seep_source *source, struct seep_err *err)
{
	struct array array = { .import = import, .source = source };
	char name[200];
	int rc = seep_npy_head_read(&array.head, source, err);

	if (rc)
		return rc;
	array.columns = array.head.n_dims ? (size_t)array.head.dims[array.head.n_dims - 1] : 0;
	array.rows = array.columns ? array.head.items / (int64_t)array.columns : 0;
	if (is_shaped(&array.head, 'i', 8, 2, 3))
		return read_stamps(&array, err);
	if (is_shaped(&array.head, 'i', 8, 3, 3))
		return read_events(&array, err);
	if (is_shaped(&array.head, 'f', 4, 2, 4))
		return read_plot(&array, err);
	if (is_shaped(&array.head, 'u', 8, 2, COLUMNS_MAX))
		return read_monitor(&array, err);
	seep_npy_head_name(&array.head, name, sizeof(name));
	return seep_err_set(err, ENOTSUP, "%s: an array of %s does not hold memory values; seep "
			    "reads int64 (n, 3) or (events, stamps, 3), float32 (n, 4), uint64 (n, "
			    "8)",
			    seep_source_path(source), name);
}

const struct seep_import_format seep_import_npy = {
	.name = "a NumPy array (.npy)",
	.recognise = recognise,
	.read = read_npy,
};
