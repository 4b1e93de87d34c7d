/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SProf.txt: the stamps of Opticks, one per line. */
#include "import/series/sprof_line.h"

#include <errno.h>
#include <inttypes.h>

static bool recognise(const struct seep_import_head *head)
{
	struct seep_stamp_lines_line ignored = { 0 };
	const char *line;
	size_t at = 0, n;

	while (seep_sprof_head_line(head, &at, &line, &n))
		if (seep_sprof_line(line, n, 1, &ignored) != -EINVAL)
			return true;
	return false;
}

static int read_lines(struct seep_import *import, struct seep_stamp_lines *stamps,
		      struct seep_source *source, uint64_t *others, struct seep_err *err)
{
	int64_t unit = seep_stamp_lines_unit(import);
	char *text;
	size_t n;
	int rc, one;

	while ((rc = seep_source_whole_line(source, &text, &n, err)) > 0) {
		struct seep_stamp_lines_line line = { 0 };

		one = seep_sprof_line(text, n, unit, &line);
		if (one == -ERANGE)
			return seep_source_refuse(source, ERANGE, err, "a stamp whose number is "
						  "too large: '%.100s'", text);
		if (one) {
			*others += n > 0;
			continue;
		}
		line.place = seep_source_line_number(source);
		seep_stamp_lines_add(stamps, &line);
	}
	return rc;
}

static int read_sprof(struct seep_import *import, struct seep_source *source,
		      struct seep_err *err)
{
	struct seep_stamp_lines *stamps = seep_stamp_lines_begin(import, "line", false);
	uint64_t others = 0;
	int rc = read_lines(import, stamps, source, &others, err);

	if (rc)
		return rc;
	seep_stamp_lines_finish(stamps);
	seep_stamp_lines_note_unit(import);
	if (others)
		seep_compose_note(&import->compose, "%" PRIu64 " line%s skipped because %s "
				  "(name:time,VM,RSS)", others, others == 1 ? " was" : "s were",
				  others == 1 ? "it is not a stamp" : "they are not stamps");
	return 0;
}

const struct seep_import_format seep_import_sprof = {
	.name = "a file of stamps (SProf.txt)",
	.recognise = recognise,
	.read = read_sprof,
};
