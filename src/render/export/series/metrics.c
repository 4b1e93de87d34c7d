/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/emitter.h"
#include "render/export/series/metrics.h"
#include "render/safe.h"

#include <math.h>
#include <string.h>

#define VALUE_COLUMNS 160

/* A safe text has no control characters; what remains to be escaped is the same in both formats. */
const char *seep_metrics_label(const struct seep_view *view, const char *key, const char *value)
{
	const char *safe = seep_safe_shorten(view->arena, seep_safe_text(view->arena, value),
					     VALUE_COLUMNS);
	char *escaped = seep_arena_alloc(view->arena, 2 * strlen(safe) + 1);
	size_t n = 0;

	for (; *safe; safe++) {
		if (*safe == '"' || *safe == '\\')
			escaped[n++] = '\\';
		escaped[n++] = *safe;
	}
	return seep_arena_printf(view->arena, "%s=\"%s\"", key, escaped);
}

void seep_metrics_sample(FILE *out, const char *name, const char *labels, double value)
{
	fprintf(out, "%s{%s} %s", name, labels,
		isinf(value) ? value > 0 ? "+Inf" : "-Inf" : seep_emitter_digits(value).text);
}
