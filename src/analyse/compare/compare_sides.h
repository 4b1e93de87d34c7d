/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the comparison share. */
#ifndef SEEP_ANALYSE_COMPARE_COMPARE_SIDES_H
#define SEEP_ANALYSE_COMPARE_COMPARE_SIDES_H

#include "analyse/compare/compare.h"
#include "analyse/compare/compare_live.h"
#include "analyse/compare/compare_names.h"

/* Sites that are taken for the same: results of the verdict of each side. */
struct seep_compare_match {
	const struct seep_site_result **results[2]; /* before, after */
	size_t n[2];
	bool lost;               /* only on one side, perhaps for want of names on the other */
};

struct seep_compare_matches {
	struct seep_compare_match *items;
	size_t n;
	bool lost;               /* one of them is */
	struct seep_compare_names names;
};

/* Every site of both sides is in one of them. */
void seep_compare_match(struct seep_compare_matches *matches,
			const struct seep_compare_side *sides, struct seep_arena *arena);

void seep_compare_note(struct seep_compare *compare, const char *note, struct seep_arena *arena);

/* Picks the series, and fills the rates before and after, per event. */
void seep_compare_series(struct seep_compare *compare, const struct seep_compare_side *sides,
			 struct seep_arena *arena);

/* A site that is new and one that is gone become perhaps where they may be the same. */
void seep_compare_moved(struct seep_compare *compare, struct seep_compare_names *names,
			double stretch, struct seep_arena *arena);

/* Fills the sites by what is alive, with the totals. */
void seep_compare_site_levels(struct seep_compare *compare, const struct seep_compare_side *sides,
			      struct seep_arena *arena);

/* By how much an interval of one must be stretched to hold for n of them together. */
double seep_compare_stretch(size_t n);

/* What an interval says once it was stretched. */
enum seep_compare_change seep_compare_tell(const struct seep_estimate *difference, double stretch);

/* Largest differences first. */
void seep_compare_sort(struct seep_compare_site *sites, size_t n);

void seep_compare_write(struct seep_compare *compare, const struct seep_compare_side *sides,
			struct seep_arena *arena);

#endif
