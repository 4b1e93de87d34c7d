/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of the comparison. */
#ifndef SEEP_ANALYSE_COMPARE_COMPARE_SIDES_H
#define SEEP_ANALYSE_COMPARE_COMPARE_SIDES_H

#include "analyse/compare/compare.h"
#include "analyse/compare/compare_live.h"
#include "analyse/compare/compare_names.h"

/* Sites regarded as the same: their results in each side's verdict. */
struct seep_compare_match {
	const struct seep_site_result **results[2]; /* before, after */
	size_t n[2];
	bool lost;               /* on one side only, perhaps for lack of names on the other */
};

struct seep_compare_matches {
	struct seep_compare_match *items;
	size_t n;
	bool lost;               /* at least one of them is lost */
	struct seep_compare_names names;
};

/* Puts every site of both sides into one of the matches. */
void seep_compare_match(struct seep_compare_matches *matches,
			const struct seep_compare_side *sides, struct seep_arena *arena);

void seep_compare_note(struct seep_compare *compare, const char *note, struct seep_arena *arena);

/* Selects the series and sets the rates before and after, per event. */
void seep_compare_series(struct seep_compare *compare, const struct seep_compare_side *sides,
			 struct seep_arena *arena);

/* If a new site and one that is gone may be the same, marks both as perhaps. */
void seep_compare_moved(struct seep_compare *compare, struct seep_compare_names *names,
			double stretch, struct seep_arena *arena);

/* Compares the sites by live memory, and sets the totals. */
void seep_compare_site_levels(struct seep_compare *compare, const struct seep_compare_side *sides,
			      struct seep_arena *arena);

/* The factor by which 95 % intervals must be widened to hold for n of them together. */
double seep_compare_stretch(size_t n);

/* The kind of change, judged by the difference with its interval widened by stretch. */
enum seep_compare_change seep_compare_tell(const struct seep_estimate *difference, double stretch);

/* Sorts by difference, largest first. */
void seep_compare_sort(struct seep_compare_site *sites, size_t n);

void seep_compare_write(struct seep_compare *compare, const struct seep_compare_side *sides,
			struct seep_arena *arena);

#endif
