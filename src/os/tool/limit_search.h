/* SPDX-License-Identifier: MIT */
/* What the files that look for limits share: the list they add to, and reading numbers. */
#ifndef SEEP_OS_TOOL_LIMIT_SEARCH_H
#define SEEP_OS_TOOL_LIMIT_SEARCH_H

#include "os/tool/limit.h"

#include <stdio.h>

#define SEEP_LIMIT_SEARCH_MAX 64

struct seep_limit_search {
	const char *root;
	char proc[64];           /* "/proc/self" or "/proc/123" */
	int64_t swap_bytes;      /* free on the machine */
	struct seep_limit_found found[SEEP_LIMIT_SEARCH_MAX];
	size_t n;
};

/* NULL if it cannot be read. */
FILE *seep_limit_search_open(const struct seep_limit_search *search, const char *path);

/* The number in a file that contains nothing else; -1 if there is none. */
int64_t seep_limit_search_number(const struct seep_limit_search *search, const char *path);

/* The number after a word at the start of a line; factor is its unit. */
int64_t seep_limit_search_word(const struct seep_limit_search *search, const char *path,
			       const char *word, int64_t factor);

/* Adds a limit, unless its bytes mean that there is none; source is a printf format. */
__attribute__((format(printf, 3, 4)))
struct seep_limit_found *seep_limit_search_add(struct seep_limit_search *search, int64_t bytes,
					       const char *source, ...);

/* Adds the limits of all control groups that the process is in. */
void seep_limit_search_groups(struct seep_limit_search *search);

#endif
