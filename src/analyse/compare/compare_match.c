/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which sites of two runs are the same. */
#include "analyse/compare/compare_sides.h"

#include "base/sort.h"
#include "base/table.h"
#include "base/words.h"
#include "model/key.h"

#include <string.h>

/* The sites of one key. */
struct group {
	struct seep_table results[2]; /* const struct seep_site_result * */
	bool recursive;          /* their lines are not comparable */
};

struct matching {
	const struct seep_compare_side *sides;
	struct seep_arena *arena;
	struct seep_words words;
	struct seep_table groups; /* struct group */
	struct seep_table matches; /* struct seep_compare_match */
	bool same_build;
	bool nameless[2];        /* sites that grow or hold something, of either side */
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

/* No object that both runs have was built anew between them. */
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

/* Each name with its length before it, so that no name can look like two. */
static void append(struct seep_table *key, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*(char *)seep_table_add(key) = ((const char *)bytes)[i];
}

static uint32_t number_of(struct matching *matching, const struct seep_site *site,
			  struct seep_table *key, bool *recursive)
{
	struct seep_key_walk walk = { .stack = &site->stack,
				      .same_build = matching->same_build };
	const char *name;
	size_t length;
	bool is_new;

	seep_table_clear(key);
	append(key, &site->kind, sizeof(site->kind));
	while (seep_key_next(&walk, &name, &length)) {
		append(key, &length, sizeof(length));
		append(key, name, length);
	}
	*recursive = walk.recursive;
	return seep_words_put(&matching->words, key->items, key->n, &is_new);
}

static void add_results(struct matching *matching, int side)
{
	const struct seep_verdict *verdict = matching->sides[side].verdict;
	struct seep_table key = SEEP_TABLE(matching->arena, char);
	bool recursive;

	for (size_t i = 0; i < verdict->n_sites; i++) {
		uint32_t number = number_of(matching, verdict->sites[i].site, &key, &recursive);
		struct group *group = seep_table_at(&matching->groups, number);

		for (int s = 0; s < 2; s++)
			if (!group->results[s].size)
				group->results[s] = SEEP_TABLE(matching->arena,
							       const struct seep_site_result *);
		*(const struct seep_site_result **)seep_table_add(&group->results[side]) =
			&verdict->sites[i];
		group->recursive = group->recursive || recursive;
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct seep_site_result *const *x = a, *const *y = b;

	return seep_key_compare_lines(&(*x)->site->stack, &(*y)->site->stack);
}

/* Sorts them by their lines, and tells how many different ones there are. */
static size_t count_places(struct matching *matching, struct seep_table *results)
{
	const struct seep_site_result **items = results->items;
	size_t n = results->n ? 1 : 0;

	if (!results->n)
		return 0;
	seep_sort_stable(items, results->n, sizeof(*items), compare_lines, matching->arena);
	for (size_t i = 1; i < results->n; i++)
		n += compare_lines(&items[i - 1], &items[i]) != 0;
	return n;
}

/* The results of the next place; *from moves behind them. */
static size_t take_place(const struct seep_table *results, size_t *from)
{
	const struct seep_site_result **items = results->items;
	size_t first = *from;

	do
		++*from;
	while (*from < results->n && !compare_lines(&items[first], &items[*from]));
	return *from - first;
}

static void match_group(struct matching *matching, struct group *group)
{
	struct seep_compare_match *match;
	size_t places[2], from[2] = { 0, 0 };

	for (int s = 0; s < 2; s++)
		places[s] = count_places(matching, &group->results[s]);
	if (places[0] != places[1] || group->recursive) {
		match = seep_table_add(&matching->matches);
		for (int s = 0; s < 2; s++) {
			match->results[s] = group->results[s].items;
			match->n[s] = group->results[s].n;
		}
		return;
	}
	for (size_t i = 0; i < places[0]; i++) {
		match = seep_table_add(&matching->matches);
		for (int s = 0; s < 2; s++) {
			match->results[s] = (const struct seep_site_result **)
					    group->results[s].items + from[s];
			match->n[s] = take_place(&group->results[s], &from[s]);
		}
	}
}

/* Whether nobody can tell what function it is in, though the program has names. */
static bool is_nameless(const struct seep_run *run, const struct seep_site_result *result)
{
	const struct seep_stack *stack = &result->site->stack;
	const struct seep_frame *own = stack->n_frames ? &stack->frames[stack->own_frame] : NULL;
	const char *slash = run->exe ? strrchr(run->exe, '/') : NULL;

	if (!own || !own->module || !seep_key_is_nameless(own))
		return false;
	return !run->exe || !strcmp(own->module, slash ? slash + 1 : run->exe);
}

/* A site that only one side has may be one of the other's that has lost its name. */
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
		.same_build = is_same_build(sides[0].run, sides[1].run, arena),
	};

	seep_words_init(&matching.words, arena);
	for (int s = 0; s < 2; s++)
		add_results(&matching, s);
	for (size_t i = 1; i < matching.groups.n; i++)
		match_group(&matching, (struct group *)matching.groups.items + i);
	*matches = (struct seep_compare_matches){ .items = matching.matches.items,
						  .n = matching.matches.n };
	find_lost(matches, &matching);
}
