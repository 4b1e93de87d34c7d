/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

struct job {
	size_t size;
	int (*compare)(const void *a, const void *b);
};

static bool is_sorted(const struct job *job, const char *items, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (job->compare(items + (i - 1) * job->size, items + i * job->size) > 0)
			return false;
	return true;
}

/* Merges the runs [0, middle) and [middle, n) of from into to. */
static void merge(const struct job *job, char *to, const char *from, size_t middle, size_t n)
{
	size_t left = 0, right = middle, i;

	for (i = 0; i < n; i++) {
		bool take_left = right == n ||
				 (left < middle && job->compare(from + left * job->size,
								from + right * job->size) <= 0);
		size_t pick = take_left ? left++ : right++;

		memcpy(to + i * job->size, from + pick * job->size, job->size);
	}
}

void seep_sort_stable(void *items, size_t n, size_t size,
		      int (*compare)(const void *a, const void *b), struct seep_arena *scratch)
{
	struct job job = { .size = size, .compare = compare };
	char *from = items, *to;
	size_t width, at;

	if (is_sorted(&job, items, n))
		return;
	to = seep_arena_array(scratch, n, size);
	for (width = 1; width < n; width *= 2) {
		char *swap = from;

		for (at = 0; at < n; at += 2 * width) {
			size_t middle = n - at < width ? n - at : width;
			size_t end = n - at < 2 * width ? n - at : 2 * width;

			merge(&job, to + at * size, from + at * size, middle, end);
		}
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * size);
}
