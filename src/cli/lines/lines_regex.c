/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lines/lines_regex.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_MAX 1000
#define STEPS_MAX 100000u   /* of one match: a few milliseconds */
#define MEMORY_MAX 4096u    /* of one match, in KiB */
#define NUMBER_MAX 40       /* letters of a number */
#define LAST "last_"

static int refuse(const char *option, int code, size_t at, const char *pattern,
		  struct seep_err *err)
{
	PCRE2_UCHAR why[160] = "";

	if (code == PCRE2_ERROR_DUPLICATE_SUBPATTERN_NAME)
		return seep_err_set(err, EINVAL, "%s: two groups of '%.200s' have the same name "
				    "(the second ends at position %zu); each counter needs a name "
				    "of its own", option, pattern, at);
	pcre2_get_error_message(code, why, sizeof(why));
	return seep_err_set(err, EINVAL, "%s: '%.200s' is not a valid regular expression: %s at "
			    "position %zu", option, pattern, (const char *)why, at);
}

static int compile(struct seep_lines_regex *regex, struct seep_lines_pattern pattern,
		   struct seep_err *err)
{
	char text[PATTERN_MAX + 1];
	PCRE2_SIZE at;
	int code;

	if (!pattern.bytes)
		return seep_err_set(err, EINVAL, "%s: the regular expression is empty",
				    pattern.option);
	if (pattern.bytes > PATTERN_MAX)
		return seep_err_set(err, EINVAL, "%s: the regular expression is longer than %d "
				    "letters", pattern.option, PATTERN_MAX);
	memcpy(text, pattern.text, pattern.bytes);
	text[pattern.bytes] = 0;
	regex->code = pcre2_compile((PCRE2_SPTR)text, pattern.bytes,
				    PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &code, &at, NULL);
	if (!regex->code)
		return refuse(pattern.option, code, at, text, err);
	regex->match = pcre2_match_data_create_from_pattern(regex->code, NULL);
	regex->limits = pcre2_match_context_create(NULL);
	if (!regex->match || !regex->limits)
		return seep_err_set(err, ENOMEM, "out of memory");
	pcre2_set_match_limit(regex->limits, STEPS_MAX);
	pcre2_set_heap_limit(regex->limits, MEMORY_MAX);
	return 0;
}

static int add_counter(struct seep_lines_regex *regex, uint32_t group, const char *name,
		       const char *option, struct seep_err *err)
{
	struct seep_lines_counter *counter = &regex->counters[regex->n_counters];
	size_t prefix = strlen(LAST);

	if (regex->n_counters == SEEP_TOLD_COUNTERS)
		return seep_err_set(err, EINVAL, "%s: the regular expression has more than %u "
				    "named groups, which are counters", option,
				    SEEP_TOLD_COUNTERS);
	counter->group = group;
	counter->of_last = !strncmp(name, LAST, prefix) && name[prefix];
	snprintf(counter->name, sizeof(counter->name), "%s",
		 counter->of_last ? name + prefix : name);
	for (uint32_t i = 0; i < regex->n_counters; i++)
		if (!strcmp(regex->counters[i].name, counter->name))
			return seep_err_set(err, EINVAL, "%s: the regular expression has two "
					    "groups for the counter '%s'; each counter needs a "
					    "name of its own", option, counter->name);
	regex->n_counters++;
	return 0;
}

/* An entry of the table: the number of the group in two bytes, its name, a zero. */
static int find_groups(struct seep_lines_regex *regex, const char *option, struct seep_err *err)
{
	uint32_t n = 0, size = 0;
	PCRE2_SPTR table = NULL;
	int rc = 0;

	pcre2_pattern_info(regex->code, PCRE2_INFO_NAMECOUNT, &n);
	pcre2_pattern_info(regex->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(regex->code, PCRE2_INFO_NAMETABLE, &table);
	for (uint32_t i = 0; i < n && !rc; i++, table += size) {
		uint32_t group = (uint32_t)table[0] << 8 | table[1];
		const char *name = (const char *)table + 2;

		if (!strcmp(name, "event"))
			regex->event_group = group;
		else
			rc = add_counter(regex, group, name, option, err);
	}
	return rc;
}

int seep_lines_regex_init(struct seep_lines_regex *regex, struct seep_lines_pattern pattern,
			  struct seep_err *err)
{
	int rc;

	memset(regex, 0, sizeof(*regex));
	rc = compile(regex, pattern, err);
	if (!rc)
		rc = find_groups(regex, pattern.option, err);
	if (rc)
		seep_lines_regex_release(regex);
	return rc;
}

void seep_lines_regex_release(struct seep_lines_regex *regex)
{
	pcre2_code_free(regex->code);
	pcre2_match_data_free(regex->match);
	pcre2_match_context_free(regex->limits);
	memset(regex, 0, sizeof(*regex));
}

/* Copies the text of a group; false if the group did not take part in the match. */
static bool read_group(const struct seep_lines_regex *regex, const char *line, uint32_t group,
		       char text[NUMBER_MAX + 1])
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(regex->match);
	PCRE2_SIZE from = ends[2 * group], to = ends[2 * group + 1];

	if (group >= pcre2_get_ovector_count(regex->match) || from == PCRE2_UNSET || to < from)
		return false;
	if (to - from > NUMBER_MAX)
		to = from + NUMBER_MAX;
	memcpy(text, line + from, to - from);
	text[to - from] = 0;
	return true;
}

/* What strtod takes for a number but nobody else does, such as "information", is none. */
static bool is_number(const char *text)
{
	text += strspn(text, " \t");
	text += *text == '-' || *text == '+';
	text += *text == '.';
	return *text >= '0' && *text <= '9';
}

enum seep_lines_found seep_lines_regex_match(const struct seep_lines_regex *regex,
					     const char *line, size_t bytes,
					     struct seep_told_event *event, uint32_t *odd)
{
	char text[NUMBER_MAX + 1];
	int code = pcre2_match(regex->code, (PCRE2_SPTR)line, bytes, 0, 0, regex->match,
			       regex->limits);

	if (code < 0)
		return code == PCRE2_ERROR_NOMATCH ? SEEP_LINES_NOTHING : SEEP_LINES_GAVE_UP;
	*odd = 0;
	event->given = 0;
	if (regex->event_group && read_group(regex, line, regex->event_group, text)) {
		if (is_number(text))
			event->index = strtoll(text, NULL, 10);
		else
			++*odd;
	}
	for (uint32_t i = 0; i < regex->n_counters; i++) {
		if (!read_group(regex, line, regex->counters[i].group, text))
			continue;
		event->values[i] = is_number(text) ? strtod(text, NULL) : NAN;
		if (isfinite(event->values[i]))
			event->given |= 1u << i;
		else
			++*odd;
	}
	return SEEP_LINES_EVENT;
}

uint32_t seep_lines_regex_main_group(const struct seep_lines_regex *regex)
{
	uint32_t n = 0;

	pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &n);
	return regex->event_group ? regex->event_group : n > 0;
}

size_t seep_lines_regex_find(const struct seep_lines_regex *regex, const char *line, size_t bytes,
			     size_t from, size_t *group)
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(regex->match);
	uint32_t number = seep_lines_regex_main_group(regex);

	if (from >= bytes || pcre2_match(regex->code, (PCRE2_SPTR)line, bytes, from, 0,
					 regex->match, regex->limits) < 0)
		return 0;
	*group = ends[2 * number] == PCRE2_UNSET ? bytes : ends[2 * number];
	return ends[1] > from ? ends[1] : from + 1;
}
