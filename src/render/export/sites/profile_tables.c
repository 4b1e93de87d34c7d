/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers functions, frames and locations in the order in which the stacks refer to them.  Each
 * is looked up by what identifies it (a location by module and address), so that equal ones
 * get the same number.
 */
#include "render/export/sites/profile_tables.h"

#include "base/table.h"
#include "base/words.h"
#include "render/place.h"
#include "render/safe.h"

#include <math.h>
#include <string.h>

#define WHOLE_MAX 9e18 /* fits into an int64_t */

static const char *const allocator_functions[] = {
	"operator new", "operator new[]", "malloc", "calloc", "realloc", "reallocarray",
	"memalign", "posix_memalign", "aligned_alloc", "valloc", "pvalloc", "__libc_malloc",
	"__libc_calloc", "__libc_realloc", "__libc_memalign", NULL
};

static const char *const allocator_modules[] = {
	"libjemalloc", "libtcmalloc", "libmimalloc", NULL
};

struct maker {
	const struct seep_view *view;
	struct seep_arena *arena;
	struct seep_words texts, sources, function_ids, frame_ids;
	struct seep_table functions, frames, locations;
	struct seep_hash_map *pcs;    /* by module: the index of the location + 1 */
	size_t n_modules;
};

static uint32_t intern_function(struct maker *maker, const struct seep_frame *frame)
{
	struct seep_arena *arena = maker->arena;
	const char *path = seep_place_path(arena, frame, NULL);
	struct seep_profile_function function = {
		.name = seep_safe_text(arena, frame->function),
		.file = path ? seep_safe_text(arena, path) : "",
		.module = frame->module ? seep_safe_text(arena, frame->module) : "",
	};
	uint32_t name = seep_words_text(&maker->texts, function.name);
	uint32_t file = seep_words_text(&maker->texts, function.file);
	uint32_t module = seep_words_text(&maker->texts, function.module);
	uint32_t source = seep_words_pair(&maker->sources, name, file);
	uint32_t id = seep_words_pair(&maker->function_ids, source, module) - 1;

	if (id == maker->functions.n)
		*(struct seep_profile_function *)seep_table_add(&maker->functions) = function;
	return id;
}

static uint32_t intern_frame(struct maker *maker, const struct seep_frame *frame)
{
	uint32_t function = intern_function(maker, frame);
	int line = frame->line > 0 ? frame->line : 0;
	uint32_t id = seep_words_pair(&maker->frame_ids, function, (uint32_t)line) - 1;

	if (id == maker->frames.n)
		*(struct seep_profile_frame *)seep_table_add(&maker->frames) =
			(struct seep_profile_frame){ function, line };
	return id;
}

/* A fallback name does not count, because a reader with the file at hand may find a better one. */
static bool is_named(const struct seep_frame *frame)
{
	size_t n = frame->module ? strlen(frame->module) : 0;

	return frame->file || (n && (strncmp(frame->function, frame->module, n) ||
				     strncmp(frame->function + n, "+0x", 3)));
}

static uint32_t add_location(struct maker *maker, uint64_t pc, uint32_t module,
			     const struct seep_frame *frames, size_t n)
{
	uint32_t *ids = seep_arena_array(maker->arena, n, sizeof(*ids));
	struct seep_profile_location location = {
		.address = pc > SEEP_PC_LOST ? pc - 1 : 0,
		.module = module,
		.named = is_named(&frames[n - 1]),
		.frames = ids,
		.n_frames = n,
	};

	for (size_t i = 0; i < n; i++)
		ids[i] = intern_frame(maker, &frames[i]);
	*(struct seep_profile_location *)seep_table_add(&maker->locations) = location;
	return (uint32_t)maker->locations.n - 1;
}

static uint32_t intern_location(struct maker *maker, const struct seep_stack *stack, size_t i,
				const struct seep_frame *frames, size_t n)
{
	uint32_t module = stack->modules && stack->modules[i] < maker->n_modules
			  ? stack->modules[i] : 0;
	struct seep_hash_map *pcs = &maker->pcs[module];
	uintptr_t known = (uintptr_t)seep_hash_map_get(pcs, stack->pcs[i]);

	if (!known) {
		known = (uintptr_t)add_location(maker, stack->pcs[i], module, frames, n) + 1;
		seep_hash_map_put(pcs, stack->pcs[i], (void *)known);
	}
	return (uint32_t)(known - 1);
}

/* The number of frames at one address: inlined calls and the function itself. */
static size_t count_inlined(const struct seep_stack *stack, size_t first)
{
	size_t n = 1;

	while (first + n < stack->n_frames && stack->frames[first + n - 1].inlined)
		n++;
	return n;
}

static uint32_t mark_kind(struct maker *maker, const struct seep_site *site)
{
	struct seep_frame frame = {
		.function = seep_arena_printf(maker->arena, "[%s]", seep_view_site_kind(site)),
	};

	return add_location(maker, 0, 0, &frame, 1);
}

static bool is_allocator(const struct seep_frame *frame)
{
	const char *const *known;

	for (known = allocator_functions; *known; known++)
		if (!strcmp(*known, frame->function))
			return true;
	for (known = allocator_modules; frame->module && *known; known++)
		if (!strncmp(*known, frame->module, strlen(*known)))
			return true;
	return false;
}

/* The innermost address outside allocators, or the last one; *frame is its first frame. */
static size_t skip_allocators(const struct seep_stack *stack, size_t *frame)
{
	size_t i = 0;

	for (*frame = 0; i + 1 < stack->n_pcs; i++) {
		size_t n = count_inlined(stack, *frame);

		if (*frame + n >= stack->n_frames || !is_allocator(&stack->frames[*frame + n - 1]))
			break;
		*frame += n;
	}
	return i;
}

static void fill_locations(struct maker *maker, struct seep_profile_stack *to)
{
	const struct seep_site *site = to->result->site;
	const struct seep_stack *stack = &site->stack;
	uint32_t *ids = seep_arena_array(maker->arena, stack->n_pcs + 2, sizeof(*ids));
	size_t frame, n = 0;

	if (site->kind != SEEP_MEMORY_HEAP)
		ids[n++] = mark_kind(maker, site);
	if (!stack->n_pcs && stack->n_frames)
		ids[n++] = add_location(maker, 0, 0, stack->frames, 1);
	for (size_t i = skip_allocators(stack, &frame);
	     i < stack->n_pcs && frame < stack->n_frames; i++) {
		size_t n_frames = count_inlined(stack, frame);

		ids[n++] = intern_location(maker, stack, i, stack->frames + frame, n_frames);
		frame += n_frames;
	}
	to->locations = ids;
	to->n_locations = n;
}

static void fill_frames(struct maker *maker, struct seep_profile_stack *to)
{
	const struct seep_profile_location *locations = maker->locations.items;
	uint32_t *ids;
	size_t n = 0;

	for (size_t i = 0; i < to->n_locations; i++)
		n += locations[to->locations[i]].n_frames;
	ids = seep_arena_array(maker->arena, n, sizeof(*ids));
	for (size_t i = 0; i < to->n_locations; i++) {
		const struct seep_profile_location *location = &locations[to->locations[i]];

		memcpy(ids + to->n_frames, location->frames, location->n_frames * sizeof(*ids));
		to->n_frames += location->n_frames;
	}
	to->frames = ids;
}

static double find_rate(const struct seep_site_result *result, struct seep_view_axis axis)
{
	if (!seep_view_is_accused(result) || !result->bytes_per_event.known)
		return 0;
	return fmax(0, result->bytes_per_event.value * axis.scale);
}

static void start(struct maker *maker, const struct seep_view *view)
{
	struct seep_arena *arena = view->arena;

	*maker = (struct maker){ .view = view, .arena = arena };
	seep_words_init(&maker->texts, arena);
	seep_words_init(&maker->sources, arena);
	seep_words_init(&maker->function_ids, arena);
	seep_words_init(&maker->frame_ids, arena);
	maker->functions = SEEP_TABLE(arena, struct seep_profile_function);
	maker->frames = SEEP_TABLE(arena, struct seep_profile_frame);
	maker->locations = SEEP_TABLE(arena, struct seep_profile_location);
	maker->n_modules = view->run->n_modules ? view->run->n_modules : 1;
	maker->pcs = seep_arena_array(arena, maker->n_modules, sizeof(*maker->pcs));
	for (size_t i = 0; i < maker->n_modules; i++)
		seep_hash_map_init(&maker->pcs[i], arena);
}

const struct seep_profile_tables *seep_profile_make(const struct seep_view *view)
{
	struct seep_profile_tables *profile = seep_arena_alloc(view->arena, sizeof(*profile));
	size_t n = view->verdict->n_sites;
	struct seep_profile_stack *stacks = seep_arena_array(view->arena, n, sizeof(*stacks));
	struct maker maker;

	start(&maker, view);
	profile->axis = seep_view_axis(view);
	for (size_t i = 0; i < n; i++) {
		stacks[i].result = &view->verdict->sites[i];
		stacks[i].rate = find_rate(stacks[i].result, profile->axis);
		fill_locations(&maker, &stacks[i]);
		fill_frames(&maker, &stacks[i]);
	}
	profile->stacks = stacks;
	profile->n_stacks = n;
	profile->functions = maker.functions.items;
	profile->n_functions = maker.functions.n;
	profile->frames = maker.frames.items;
	profile->n_frames = maker.frames.n;
	profile->locations = maker.locations.items;
	profile->n_locations = maker.locations.n;
	return profile;
}

int64_t seep_profile_whole_rate(const struct seep_profile_stack *stack)
{
	return llround(fmin(stack->rate, WHOLE_MAX));
}

/* Joins the words, with a blank after each. */
static char *join(struct seep_arena *arena, char **words)
{
	size_t bytes = 1;
	char *line, *to;

	for (char **word = words; *word; word++)
		bytes += strlen(*word) + 1;
	line = to = seep_arena_alloc(arena, bytes);
	for (; *words; words++) {
		size_t n = strlen(*words);

		memcpy(to, *words, n);
		to[n] = ' ';
		to += n + 1;
	}
	return line;
}

const char *seep_profile_command(const struct seep_view *view)
{
	char **command = view->run->command;
	char *line;

	if (!command || !*command)
		return seep_safe_text(view->arena, view->run->exe ? view->run->exe : "");
	line = join(view->arena, command);
	line[strlen(line) - 1] = 0;
	return seep_safe_text(view->arena, line);
}

const char *seep_profile_verdict(const struct seep_view *view)
{
	const struct seep_verdict *verdict = view->verdict;
	const char *kind = seep_view_capitals(view, seep_verdict_kind_name(verdict->kind));
	const char *line = seep_arena_printf(view->arena, "%s: %s", kind, verdict->sentence);

	return seep_safe_text(view->arena, line);
}

const char *seep_profile_replace(struct seep_arena *arena, const char *text, const char *letters,
				 char by)
{
	char *copy = seep_arena_copy(arena, text, strlen(text));

	for (char *c = copy; *c; c++)
		if (strchr(letters, *c))
			*c = by;
	return copy;
}
