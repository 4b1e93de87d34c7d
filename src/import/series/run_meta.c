/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_meta.txt: the metadata of an Opticks run as key:value lines, including the stamps of its
 * events.  A value that is set again stays in its first place, so stamps may be out of order.
 */
#include "import/series/command_line.h"
#include "import/series/sprof_line.h"

#include <errno.h>
#include <string.h>

/* Keys that a plain list of stamps never has. */
static const char *const known[] = {
	"CMDLINE", "PWD", "HOME", "USER", "SCRIPT", "GEOM", "VERSION", "TEST",
	"CUDA_VISIBLE_DEVICES", "GPUMeta", "InitTimestamp", "InitTimestampFmt", "QSim__Switches",
	"C4Version", "optixpath", "creator", "source",
};

static bool is_known(const char *line, size_t n)
{
	static const char prefix[] = "OPTICKS_";

	if (n >= sizeof(prefix) && !memcmp(line, prefix, sizeof(prefix) - 1))
		return memchr(line, ':', n);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (seep_sprof_value(line, n, known[i]))
			return true;
	return false;
}

static bool is_named_so(const char *path)
{
	static const char end[] = "_meta.txt";
	size_t n = strlen(path), m = sizeof(end) - 1;

	return n >= m && !strcmp(path + n - m, end);
}

static bool recognise(const struct seep_import_head *head)
{
	const char *line;
	size_t at = 0, n;

	while (seep_sprof_head_line(head, &at, &line, &n)) {
		if (is_known(line, n))
			return true;
		if (is_named_so(head->path) && memchr(line, ':', n))
			return true;
	}
	return false;
}

static int read_lines(struct seep_import *import, struct seep_stamp_lines *stamps,
		      struct seep_source *source, struct seep_err *err)
{
	int64_t unit = seep_stamp_lines_unit(import);
	const char *command;
	bool commanded = false;
	char *text;
	size_t n;
	int rc;

	while ((rc = seep_source_whole_line(source, &text, &n, err)) > 0) {
		struct seep_stamp_lines_line line = { 0 };
		int one = *text == '_' ? -EINVAL : seep_sprof_line(text, n, unit, &line);

		if (one == -ERANGE)
			return seep_source_refuse(source, ERANGE, err, "a stamp whose number is "
						  "too large: '%.100s'", text);
		line.place = seep_source_line_number(source);
		if (!one)
			seep_stamp_lines_add(stamps, &line);
		command = seep_sprof_value(text, n, "CMDLINE");
		if (one && command && !commanded) {
			seep_command_line(import, command);
			commanded = true;
		}
	}
	return rc;
}

static int read_meta(struct seep_import *import, struct seep_source *source,
		     struct seep_err *err)
{
	struct seep_stamp_lines *stamps = seep_stamp_lines_begin(import, "line", true);
	int rc = read_lines(import, stamps, source, err);

	if (rc)
		return rc;
	if (!seep_stamp_lines_finish(stamps))
		return seep_err_set(err, ENODATA, "%s: this looks like run metadata, but it holds "
				    "no stamps (name:time,VM,RSS); newer programs write them to "
				    "SProf.txt",
				    seep_source_path(source));
	seep_stamp_lines_note_unit(import);
	return 0;
}

const struct seep_import_format seep_import_run_meta = {
	.name = "run metadata (run_meta.txt)",
	.recognise = recognise,
	.read = read_meta,
};
