/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the sites that two runs have in common. */
#include "analyse/compare/compare_names.h"
#include "analyse/compare/compare_sides.h"
#include "base/sort.h"
#include "base/table.h"
#include "base/words.h"
#include "model/key.h"
#include "os/base_name.h"

#include <string.h>

/* The sites with one key: their place in the lists of struct matching, before and after. */
struct group {
	size_t first[2], n[2];
	bool recursive;          /* so their lines are not comparable */
};

struct matching {
	const struct seep_compare_side *sides;
	struct seep_arena *arena;
	struct seep_compare_names *names;
	struct seep_words keys;
	struct seep_table groups; /* struct group, by number of the key */
	const struct seep_site_result **results[2]; /* by group */
	struct seep_table matches; /* struct seep_compare_match */
	bool same_build;
	bool nameless[2];        /* the side has nameless sites that grow or hold memory */
};

static bool has_same_id(const struct seep_module *a, const struct seep_module *b)
{
	return a->build_id_bytes == b->build_id_bytes &&
	       (!a->build_id_bytes || !memcmp(a->build_id, b->build_id, a->build_id_bytes));
}

static const struct seep_module **module_of(struct seep_table *found, struct seep_words *paths,
					    const struct seep_module *module)
{
	const char *path = module->path ? module->path : "";
	bool is_new;

	return seep_table_at(found, seep_words_put(paths, path, strlen(path), &is_new));
}

/* Whether no module that both runs use was rebuilt between them. */
static bool is_same_build(const struct seep_run *a, const struct seep_run *b,
			  struct seep_arena *arena)
{
	struct seep_table found = SEEP_TABLE(arena, const struct seep_module *);
	struct seep_words paths;

	seep_words_init(&paths, arena);
	for (size_t i = 1; i < a->n_modules; i++)
		*module_of(&found, &paths, &a->modules[i]) = &a->modules[i];
	for (size_t i = 1; i < b->n_modules; i++) {
		const struct seep_module *other = *module_of(&found, &paths, &b->modules[i]);

		if (other && !has_same_id(other, &b->modules[i]))
			return false;
	}
	return !a->exe || !b->exe || !strcmp(a->exe, b->exe);
}

/* The number of the key of a site: its functions up to main, and its kind. */
static uint32_t number_of(struct matching *matching, const struct seep_site *site,
			  struct seep_table *key, bool *recursive)
{
	bool is_new;

	*recursive = seep_compare_names_key(matching->names, &site->stack, key);
	*(uint32_t *)seep_table_add(key) = site->kind;
	return seep_words_put(&matching->keys, key->items, key->n * sizeof(uint32_t), &is_new);
}

/* Returns the key number of each site, and counts the sites with each key. */
static uint32_t *number_side(struct matching *matching, int side)
{
	const struct seep_verdict *verdict = matching->sides[side].verdict;
	uint32_t *numbers = seep_arena_array(matching->arena, verdict->n_sites, sizeof(*numbers));
	struct seep_table key = SEEP_TABLE(matching->arena, uint32_t);
	bool recursive;

	for (size_t i = 0; i < verdict->n_sites; i++) {
		struct group *group;

		numbers[i] = number_of(matching, verdict->sites[i].site, &key, &recursive);
		group = seep_table_at(&matching->groups, numbers[i]);
		group->n[side]++;
		group->recursive = group->recursive || recursive;
	}
	return numbers;
}

/* Makes the sites of each group adjacent, in the order of the verdict. */
static void sort_side(struct matching *matching, int side, const uint32_t *numbers)
{
	const struct seep_verdict *verdict = matching->sides[side].verdict;
	struct group *groups = matching->groups.items;
	size_t first = 0, i;

	matching->results[side] = seep_arena_array(matching->arena, verdict->n_sites,
						   sizeof(*matching->results[side]));
	for (i = 0; i < matching->groups.n; i++) {
		groups[i].first[side] = first;
		first += groups[i].n[side];
		groups[i].n[side] = 0;
	}
	for (i = 0; i < verdict->n_sites; i++) {
		struct group *group = &groups[numbers[i]];

		matching->results[side][group->first[side] + group->n[side]++] =
			&verdict->sites[i];
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct seep_site_result *const *x = a, *const *y = b;

	return seep_key_compare_lines(&(*x)->site->stack, &(*y)->site->stack);
}

/* Sorts the items by line and returns the number of different lines. */
static size_t count_places(struct matching *matching, const struct seep_site_result **items,
			   size_t n)
{
	size_t places = n ? 1 : 0;

	if (n < 2)
		return places;
	seep_sort_stable(items, n, sizeof(*items), compare_lines, matching->arena);
	for (size_t i = 1; i < n; i++)
		places += compare_lines(&items[i - 1], &items[i]) != 0;
	return places;
}

/* How many items, counted from the first, are at the same place. */
static size_t count_alike(const struct seep_site_result **items, size_t n)
{
	size_t alike = 1;

	while (alike < n && !compare_lines(&items[0], &items[alike]))
		alike++;
	return alike;
}

static void match_group(struct matching *matching, const struct group *group)
{
	struct seep_compare_match *match;
	const struct seep_site_result **items[2];
	size_t places[2], left[2];

	for (int s = 0; s < 2; s++) {
		items[s] = matching->results[s] + group->first[s];
		left[s] = group->n[s];
		places[s] = count_places(matching, items[s], left[s]);
	}
	if (places[0] != places[1] || group->recursive) {
		match = seep_table_add(&matching->matches);
		for (int s = 0; s < 2; s++) {
			match->results[s] = items[s];
			match->n[s] = left[s];
		}
		return;
	}
	for (size_t i = 0; i < places[0]; i++) {
		match = seep_table_add(&matching->matches);
		for (int s = 0; s < 2; s++) {
			match->results[s] = items[s];
			match->n[s] = count_alike(items[s], left[s]);
			items[s] += match->n[s];
			left[s] -= match->n[s];
		}
	}
}

/* Whether the function of the site is unknown although the program has function names. */
static bool is_nameless(const struct seep_run *run, const struct seep_site_result *result)
{
	const struct seep_stack *stack = &result->site->stack;
	const struct seep_frame *own = stack->n_frames ? &stack->frames[stack->own_frame] : NULL;

	if (!own || !own->module || !seep_key_is_nameless(own))
		return false;
	return !run->exe || !strcmp(own->module, seep_base_name(run->exe));
}

/* A site on only one side may be a site on the other side whose name is missing. */
static void find_lost(struct seep_compare_matches *matches, struct matching *matching)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < matching->sides[s].verdict->n_sites; i++)
			matching->nameless[s] = matching->nameless[s] ||
				is_nameless(matching->sides[s].run,
					    &matching->sides[s].verdict->sites[i]);
	if (matching->same_build || (!matching->nameless[0] && !matching->nameless[1]))
		return;
	for (size_t i = 0; i < matches->n; i++)
		matches->items[i].lost = !matches->items[i].n[0] || !matches->items[i].n[1];
	matches->lost = true;
}

void seep_compare_match(struct seep_compare_matches *matches,
			const struct seep_compare_side *sides, struct seep_arena *arena)
{
	struct matching matching = {
		.sides = sides,
		.arena = arena,
		.groups = SEEP_TABLE(arena, struct group),
		.matches = SEEP_TABLE(arena, struct seep_compare_match),
		.names = &matches->names,
		.same_build = !sides[0].no_builds && !sides[1].no_builds &&
			      is_same_build(sides[0].run, sides[1].run, arena),
	};
	const uint32_t *numbers[2];
	int s;

	seep_words_init(&matching.keys, arena);
	seep_compare_names_init(&matches->names, true, matching.same_build, arena);
	for (s = 0; s < 2; s++)
		numbers[s] = number_side(&matching, s);
	for (s = 0; s < 2; s++)
		sort_side(&matching, s, numbers[s]);
	for (size_t i = 1; i < matching.groups.n; i++)
		match_group(&matching, (struct group *)matching.groups.items + i);
	matches->items = matching.matches.items;
	matches->n = matching.matches.n;
	matches->lost = false;
	find_lost(matches, &matching);
}
