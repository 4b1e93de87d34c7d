/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Strings, places, stacks and infos are shelves, indexed by the numbers of the file.  A stack
 * that allocates gets a site, which counts its live blocks; a stack gets
 * into the trace only when a dump needs its site.
 */
#include "import/profile/heaptrack_books.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STRINGS_MAX ((size_t)1 << 22)
#define STRING_BYTES_MAX ((size_t)96 << 20)
#define STRING_MAX ((size_t)4000)
#define IPS_MAX ((size_t)1 << 21)
#define FRAMES_MAX ((size_t)1 << 22)
#define STACKS_MAX ((size_t)1 << 22)
#define INFOS_MAX ((size_t)1 << 22)
#define MODULES_MAX ((size_t)1 << 14)
#define DEPTH_MAX 8192u
#define NODES_MAX 2000000u
#define LIVE_BYTES_MAX ((uint64_t)9e15) /* exact in a double */

void seep_heaptrack_books_init(struct seep_heaptrack_books *books, struct seep_compose *compose)
{
	*books = (struct seep_heaptrack_books){ .compose = compose };
	seep_arena_init(&books->arena);
	books->strings = SEEP_SHELF(&books->arena, const char *);
	books->ips = SEEP_SHELF(&books->arena, struct seep_heaptrack_ip);
	books->frames = SEEP_SHELF(&books->arena, struct seep_heaptrack_frame);
	books->stacks = SEEP_SHELF(&books->arena, struct seep_heaptrack_stack);
	books->infos = SEEP_SHELF(&books->arena, struct seep_heaptrack_info);
	books->sites = SEEP_SHELF(&books->arena, struct seep_heaptrack_site);
	books->modules = SEEP_TABLE(&books->arena, struct seep_heaptrack_module);
	seep_hash_map_init(&books->known_ips, &books->arena);
	seep_heaptrack_live_init(&books->live);
}

void seep_heaptrack_books_release(struct seep_heaptrack_books *books)
{
	seep_heaptrack_live_release(&books->live);
	seep_arena_release(&books->arena);
}

const char *seep_heaptrack_add_string(struct seep_heaptrack_books *books, const char *text,
				      size_t n)
{
	n = n < STRING_MAX ? n : STRING_MAX;
	books->string_bytes += n;
	if (books->strings.n >= STRINGS_MAX || books->string_bytes > STRING_BYTES_MAX)
		return "too many names to fit in memory";
	*(const char **)seep_shelf_add(&books->strings) = seep_arena_copy(&books->arena, text, n);
	return NULL;
}

/* NULL: there is no such string. */
static const char *string_at(const struct seep_heaptrack_books *books, uint32_t index)
{
	const char *text;

	if (!index || index > books->strings.n)
		return NULL;
	text = *(const char *const *)seep_shelf_at(&books->strings, index - 1);
	return *text ? text : NULL;
}

/* The first module that ends after the address. */
static size_t find_place(const struct seep_heaptrack_books *books, uint64_t pc)
{
	const struct seep_heaptrack_module *all = books->modules.items;
	size_t low = 0, high = books->modules.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle].end <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *seep_heaptrack_add_module(struct seep_heaptrack_books *books,
				      const struct seep_heaptrack_module *module)
{
	struct seep_heaptrack_module *all;
	size_t place, n = books->modules.n;

	if (n >= MODULES_MAX)
		return "an impossible number of loaded objects";
	place = find_place(books, module->start);
	seep_table_add(&books->modules);
	all = books->modules.items;
	memmove(all + place + 1, all + place, (n - place) * sizeof(*all));
	all[place] = *module;
	return NULL;
}

static uint32_t find_module(const struct seep_heaptrack_books *books, uint64_t pc)
{
	const struct seep_heaptrack_module *module = books->modules.items;
	size_t place = find_place(books, pc);

	if (place == books->modules.n || pc < module[place].start)
		return 0;
	module += place;
	return seep_compose_module(books->compose, module->start, module->end, module->bias, NULL,
				   0, module->path);
}

const char *seep_heaptrack_add_ip(struct seep_heaptrack_books *books, uint64_t pc,
				  uint64_t module, const struct seep_heaptrack_frame *frames,
				  size_t n)
{
	struct seep_heaptrack_ip *ip;

	if (books->ips.n >= IPS_MAX || books->frames.n + n > FRAMES_MAX)
		return "too many code locations to fit in memory";
	if (module > UINT32_MAX)
		return "no such module";
	ip = seep_shelf_add(&books->ips);
	ip->pc = pc;
	ip->module = (uint32_t)module;
	ip->first_frame = (uint32_t)books->frames.n;
	ip->n_frames = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		*(struct seep_heaptrack_frame *)seep_shelf_add(&books->frames) = frames[i];
	return NULL;
}

/*
 * Raw files have the address itself; it belongs to the module loaded there when it was first
 * seen.
 */
static const char *find_ip(struct seep_heaptrack_books *books, uint64_t pc, uint64_t *number)
{
	uintptr_t known = (uintptr_t)seep_hash_map_get(&books->known_ips, pc);
	const char *wrong = NULL;

	if (!known) {
		wrong = seep_heaptrack_add_ip(books, pc, find_module(books, pc), NULL, 0);
		known = books->ips.n;
		if (!wrong)
			seep_hash_map_put(&books->known_ips, pc, (void *)known);
	}
	*number = known;
	return wrong;
}

const char *seep_heaptrack_add_stack(struct seep_heaptrack_books *books, uint64_t ip,
				     uint64_t caller)
{
	const char *wrong = books->raw ? find_ip(books, ip, &ip) : NULL;
	struct seep_heaptrack_stack *stack, *parent = NULL;

	if (wrong)
		return wrong;
	if (books->stacks.n >= STACKS_MAX)
		return "too many stacks to fit in memory";
	if (ip > books->ips.n)
		return "a stack at an undefined code location";
	if (caller > books->stacks.n)
		return "a stack whose caller is undefined";
	if (caller)
		parent = seep_shelf_at(&books->stacks, caller - 1);
	if (parent && parent->depth >= DEPTH_MAX)
		return "a stack that is too deep";
	stack = seep_shelf_add(&books->stacks);
	stack->ip = (uint32_t)ip;
	stack->caller = (uint32_t)caller;
	stack->depth = parent ? parent->depth + 1 : 1;
	return NULL;
}

/* The number of the site of a stack, from 1; 0: there are too many. */
static uint32_t find_site(struct seep_heaptrack_books *books, uint64_t stack)
{
	uint32_t *number = &books->no_stack;
	struct seep_heaptrack_site *site;

	if (stack)
		number = &((struct seep_heaptrack_stack *)
			   seep_shelf_at(&books->stacks, stack - 1))->site;
	if (*number || books->sites.n >= SEEP_HEAPTRACK_SITES_MAX)
		return *number;
	site = seep_shelf_add(&books->sites);
	site->stack = (uint32_t)stack;
	*number = (uint32_t)books->sites.n;
	return *number;
}

static const char *check_block(const struct seep_heaptrack_books *books, uint64_t bytes,
			       uint64_t stack)
{
	if (stack > books->stacks.n)
		return "a block with an undefined stack";
	return bytes >= SEEP_HEAPTRACK_BLOCK_MAX ? "a block of an impossible size" : NULL;
}

const char *seep_heaptrack_add_info(struct seep_heaptrack_books *books, uint64_t bytes,
				    uint64_t stack)
{
	const char *wrong = check_block(books, bytes, stack);
	struct seep_heaptrack_info *info;
	uint32_t site;

	if (wrong)
		return wrong;
	site = find_site(books, stack);
	if (!site || books->infos.n >= INFOS_MAX)
		return "too many kinds of blocks to fit in memory";
	info = seep_shelf_add(&books->infos);
	info->bytes = bytes;
	info->site = site;
	return NULL;
}

static const char *add(struct seep_heaptrack_books *books, uint32_t number, uint64_t bytes)
{
	struct seep_heaptrack_site *site = seep_shelf_at(&books->sites, number - 1);

	if (books->bytes + bytes > LIVE_BYTES_MAX)
		return "an impossible amount of memory";
	site->blocks++;
	site->bytes += bytes;
	site->born_blocks++;
	site->born_bytes += bytes;
	books->blocks++;
	books->bytes += bytes;
	return NULL;
}

/* Never frees more than was allocated. */
static void take(struct seep_heaptrack_books *books, uint32_t number, uint64_t bytes)
{
	struct seep_heaptrack_site *site = seep_shelf_at(&books->sites, number - 1);

	if (!site->blocks || site->bytes < bytes) {
		books->unknown_frees++;
		return;
	}
	site->blocks--;
	site->bytes -= bytes;
	books->blocks--;
	books->bytes -= bytes;
}

const char *seep_heaptrack_count(struct seep_heaptrack_books *books, uint64_t info, bool made)
{
	const struct seep_heaptrack_info *is;

	if (info >= books->infos.n)
		return "a block of an undefined kind";
	is = seep_shelf_at(&books->infos, info);
	if (made)
		return add(books, is->site, is->bytes);
	take(books, is->site, is->bytes);
	return NULL;
}

const char *seep_heaptrack_make(struct seep_heaptrack_books *books, uint64_t bytes,
				uint64_t stack, uint64_t address)
{
	struct seep_heaptrack_block block = { .address = address, .bytes = bytes & 0xffffffffff },
				    old;
	const char *wrong = check_block(books, bytes, stack);
	uint32_t site;

	if (wrong)
		return wrong;
	site = find_site(books, stack);
	if (!site)
		return "too many allocating stacks to fit in memory";
	block.site = site & 0xffffff;
	if (!address)
		return "a block at address 0";
	if (!seep_heaptrack_live_put(&books->live, &block, &old))
		return "too many blocks are live at one time to fit in memory; run heaptrack "
		       "--interpret on the file first";
	if (old.address)
		take(books, old.site, old.bytes);
	return add(books, site, bytes);
}

void seep_heaptrack_free(struct seep_heaptrack_books *books, uint64_t address)
{
	struct seep_heaptrack_block block;

	if (seep_heaptrack_live_take(&books->live, address, &block))
		take(books, block.site, block.bytes);
	else
		books->unknown_frees++;
}

/* A place known only by its address, in a file without the addresses of modules. */
static uint64_t name_address(struct seep_heaptrack_books *books,
			     const struct seep_heaptrack_ip *ip)
{
	char text[32];
	struct seep_compose_frame frame = { .function = text,
					    .module = string_at(books, ip->module) };

	snprintf(text, sizeof(text), "0x%" PRIx64, ip->pc);
	return seep_compose_named(books->compose, &frame);
}

/* Adds the frames of a place from the outermost on; the file has the innermost first. */
static uint32_t compose_ip(struct seep_heaptrack_books *books, uint32_t node,
			   const struct seep_heaptrack_ip *ip)
{
	uint32_t before = node;

	if (books->raw) /* the address is inside the call; the return address comes after it */
		return seep_compose_node(books->compose, node, ip->pc + 1, ip->module);
	for (uint32_t i = ip->n_frames; i-- > 0;) {
		const struct seep_heaptrack_frame *is =
			seep_shelf_at(&books->frames, ip->first_frame + i);
		struct seep_compose_frame frame = {
			.function = string_at(books, is->function),
			.file = string_at(books, is->file),
			.module = string_at(books, ip->module),
			.line = is->line,
		};

		if (frame.function)
			node = seep_compose_node(books->compose, node,
						 seep_compose_named(books->compose, &frame), 0);
	}
	if (node == before)
		node = seep_compose_node(books->compose, node, name_address(books, ip), 0);
	return node;
}

/* Starts at the nearest caller that already has a node. */
static uint32_t compose_stack(struct seep_heaptrack_books *books, uint32_t number)
{
	struct seep_heaptrack_stack *stacks[DEPTH_MAX + 1];
	uint32_t node = 0;
	size_t n = 0;

	while (number) {
		struct seep_heaptrack_stack *stack = seep_shelf_at(&books->stacks, number - 1);

		if (stack->node) {
			node = stack->node;
			break;
		}
		stacks[n++] = stack;
		number = stack->caller;
	}
	while (n-- > 0) {
		if (stacks[n]->ip)
			node = compose_ip(books, node,
					  seep_shelf_at(&books->ips, stacks[n]->ip - 1));
		stacks[n]->node = node;
	}
	return node;
}

uint32_t seep_heaptrack_compose_site(struct seep_heaptrack_books *books, size_t site)
{
	struct seep_heaptrack_site *is = seep_shelf_at(&books->sites, site);

	if (!is->composed && books->compose->nodes.n <= NODES_MAX)
		is->composed = seep_compose_site(books->compose, compose_stack(books, is->stack));
	return is->composed;
}
