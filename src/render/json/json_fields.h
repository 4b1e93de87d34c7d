/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of JSON objects, for json_read*.c: what is missing or of another type is a default. */
#ifndef SEEP_RENDER_JSON_JSON_FIELDS_H
#define SEEP_RENDER_JSON_JSON_FIELDS_H

#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define SEEP_JSON_COUNT_MAX ((double)((int64_t)1 << 53))

/* NAN if it is not a number. */
static inline double seep_json_number(const json_t *object, const char *key)
{
	const json_t *number = json_object_get(object, key);

	return json_is_number(number) ? json_number_value(number) : NAN;
}

/* 0 if it is not known. */
static inline double seep_json_figure(const json_t *object, const char *key)
{
	double number = seep_json_number(object, key);

	return isfinite(number) ? number : 0;
}

/* From 0 to what a double can count. */
static inline int64_t seep_json_count(const json_t *object, const char *key)
{
	double number = seep_json_figure(object, key);

	return number > 0 ? (int64_t)fmin(number, SEEP_JSON_COUNT_MAX) : 0;
}

static inline bool seep_json_bool(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* NULL if there is none. */
static inline const char *seep_json_text(const json_t *object, const char *key,
					 struct seep_arena *arena)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? seep_arena_copy(arena, text, strlen(text)) : NULL;
}

static inline struct seep_estimate seep_json_estimate(const json_t *object, const char *key)
{
	struct seep_estimate e = {
		.value = seep_json_number(object, key),
		.low = seep_json_number(object, "low"),
		.high = seep_json_number(object, "high"),
	};

	e.known = e.low <= e.value && e.value <= e.high && isfinite(e.low) && isfinite(e.high);
	return e.known ? e : (struct seep_estimate){ .known = false };
}

/* The number of a name in the run's table; 0 for NULL, and if the table is full. */
uint32_t seep_json_read_name(struct seep_run *run, const char *name);

/* The sites of a report, and what its suspects are about. */
void seep_json_read_sites(struct seep_run *run, struct seep_verdict *verdict,
			  const json_t *report, struct seep_arena *arena);

#endif
