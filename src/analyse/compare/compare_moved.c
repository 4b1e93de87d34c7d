/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sites that seem new although they only moved.  Without debug information, a function that the
 * compiler inlines in only one of two builds is missing from the stacks of that build.  A new
 * site and one that is gone may therefore be the same if they keep the same amount and one stack
 * is the other without some of its functions.
 */
#include "analyse/compare/compare_sides.h"

#define PAIRS_MOST 4000000       /* pairs examined at most, largest differences first */

/* Whether few equals many without some of its entries. */
static bool is_within(const struct seep_table *few, const struct seep_table *many)
{
	const uint32_t *one = few->items, *two = many->items;
	size_t found = 0;

	for (size_t i = 0; i < many->n && found < few->n; i++)
		found += one[found] == two[i];
	return few->n && found == few->n;
}

static bool keeps_as_much(const struct seep_compare_site *gone,
			  const struct seep_compare_site *fresh, double stretch)
{
	struct seep_compare_pair pair = seep_compare_pair(&gone->bytes.before,
							  &fresh->bytes.after);

	return gone->kind == fresh->kind &&
	       seep_compare_tell(&pair.difference, stretch) == SEEP_CHANGE_SAME;
}

struct keys {
	struct seep_compare_names *names;
	struct seep_table one, two; /* uint32_t */
};

static bool is_alike(struct keys *keys, const struct seep_stack *one, const struct seep_stack *two)
{
	seep_compare_names_key(keys->names, one, &keys->one);
	seep_compare_names_key(keys->names, two, &keys->two);
	return is_within(&keys->one, &keys->two) || is_within(&keys->two, &keys->one);
}

void seep_compare_moved(struct seep_compare *compare, struct seep_compare_names *names,
			double stretch, struct seep_arena *arena)
{
	struct keys keys = { names, SEEP_TABLE(arena, uint32_t), SEEP_TABLE(arena, uint32_t) };
	size_t pairs = 0;

	for (size_t i = 0; i < compare->n_sites; i++) {
		struct seep_compare_site *fresh = &compare->sites[i];

		for (size_t k = 0; k < compare->n_sites && fresh->change == SEEP_CHANGE_NEW; k++) {
			struct seep_compare_site *gone = &compare->sites[k];

			if (pairs++ > PAIRS_MOST)
				return;
			if (gone->change == SEEP_CHANGE_GONE &&
			    keeps_as_much(gone, fresh, stretch) &&
			    is_alike(&keys, gone->stack, fresh->stack))
				gone->change = fresh->change = SEEP_CHANGE_PERHAPS;
		}
	}
}
