/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The regular expression of --event lines: and file:, and of seep watch --events-file, in the
 * syntax of Perl.
 *
 *	event (?<event>\d+): (?<hits>\d+) hits
 *
 * The group "event" is the index of the event.  Every other named group is a counter; last_NAME is
 * the counter NAME of the event that ends where this line begins the next.
 *
 * A line comes from a program that we know nothing about, and the expression from a user in a
 * hurry: a match that takes too many steps is given up.
 */
#ifndef SEEP_CLI_LINES_LINES_REGEX_H
#define SEEP_CLI_LINES_LINES_REGEX_H

#define PCRE2_CODE_UNIT_WIDTH 8

#include "base/err.h"
#include "trace/told.h"

#include <pcre2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_lines_counter {
	uint32_t group;
	char name[SEEP_TOLD_NAME];
	bool of_last;
};

struct seep_lines_regex {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	uint32_t event_group;    /* 0: none */
	uint32_t n_counters;
	struct seep_lines_counter counters[SEEP_TOLD_COUNTERS];
};

enum seep_lines_found {
	SEEP_LINES_NOTHING,
	SEEP_LINES_EVENT,
	SEEP_LINES_GAVE_UP,      /* after too many steps */
};

/* pattern has so many bytes; no zero follows.  option: its name, for the error message. */
struct seep_lines_pattern {
	const char *option, *text;
	size_t bytes;
};
int seep_lines_regex_init(struct seep_lines_regex *regex, struct seep_lines_pattern pattern,
			  struct seep_err *err);
void seep_lines_regex_release(struct seep_lines_regex *regex);

/*
 * Fills index (if the line has one), given and values of the event.  *odd is the number of groups
 * that matched something else than a number.
 */
enum seep_lines_found seep_lines_regex_match(const struct seep_lines_regex *regex,
					     const char *line, size_t bytes,
					     struct seep_told_event *event, uint32_t *odd);

/* The group "event", or the first one if there is none of that name; 0: there is no group. */
uint32_t seep_lines_regex_main_group(const struct seep_lines_regex *regex);

/*
 * Looks for a match from that place in the line on.  Returns where it ends (at least one further
 * than from), or 0.  *group is set to where the group begins; to bytes if it has no part in it.
 */
size_t seep_lines_regex_find(const struct seep_lines_regex *regex, const char *line, size_t bytes,
			     size_t from, size_t *group);

#endif
