/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FNV_START 14695981039346656037u
#define FNV_PRIME 1099511628211u

/* The length of a function's name without what the compiler put behind it. */
static size_t measure_name(const char *name)
{
	static const char *const suffixes[] = {
		".constprop.", ".isra.", ".part.", ".cold", ".lto_priv.", ".llvm.", " [clone ",
	};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *found = strstr(name, suffixes[i]);

		if (found && found > name && (size_t)(found - name) < length)
			length = (size_t)(found - name);
	}
	return length;
}

static uint64_t mix(uint64_t hash, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)text[i]) * FNV_PRIME;
	return (hash ^ '\n') * FNV_PRIME;
}

/* What starts threads and programs differs from one C library to the next. */
static bool is_foundation(const struct seep_frame *frame)
{
	return frame->module && (!strncmp(frame->module, "libc.so", 7) ||
				 !strncmp(frame->module, "ld-linux", 8) ||
				 !strncmp(frame->module, "libpthread.so", 13));
}

/* A function without a name, "0x..." or "libfoo.so+0x...", is known by its object only. */
static const char *name_of(const struct seep_frame *frame)
{
	const char *module = frame->module ? frame->module : "";
	size_t n = strlen(module);
	bool in_module = n && !strncmp(frame->function, module, n) &&
			 !strncmp(frame->function + n, "+0x", 3);

	return in_module || !strncmp(frame->function, "0x", 2) ? module : frame->function;
}

static uint64_t hash_site(const struct seep_fingerprint_of *site)
{
	const struct seep_stack *stack = site->stack;
	const char *phase = site->phase ? site->phase : "", *last = "";
	uint64_t hash = mix(FNV_START, site->kind, strlen(site->kind));
	size_t last_length = 0;

	hash = mix(hash, phase, strlen(phase));
	for (size_t i = stack->own_frame; i < stack->n_frames; i++) {
		const char *name = name_of(&stack->frames[i]);
		size_t length = measure_name(name);

		/* How deep a recursion was is no part of the name. */
		if (is_foundation(&stack->frames[i]) ||
		    (length == last_length && !strncmp(name, last, length)))
			continue;
		hash = mix(hash, name, length);
		last = name;
		last_length = length;
		if (!strcmp(name, "main"))
			break;
	}
	return hash;
}

struct entry {
	uint64_t hash;
	const struct seep_stack *stack;
	size_t place;
};

static int compare_lines(const struct seep_stack *a, const struct seep_stack *b)
{
	for (size_t i = 0; i < a->n_frames && i < b->n_frames; i++)
		if (a->frames[i].line != b->frames[i].line)
			return a->frames[i].line < b->frames[i].line ? -1 : 1;
	return (a->n_frames > b->n_frames) - (a->n_frames < b->n_frames);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	order = compare_lines(x->stack, y->stack);
	if (order)
		return order;
	return (x->place > y->place) - (x->place < y->place);
}

void seep_fingerprint_make(struct seep_fingerprint *prints,
			   const struct seep_fingerprint_of *sites, size_t n)
{
	struct entry *entries = calloc(n ? n : 1, sizeof(*entries));
	size_t number = 0;

	if (!entries)
		abort();
	for (size_t i = 0; i < n; i++)
		entries[i] = (struct entry){ hash_site(&sites[i]), sites[i].stack, i };
	qsort(entries, n, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < n; i++) {
		number = i && entries[i].hash == entries[i - 1].hash ? number + 1 : 1;
		snprintf(prints[entries[i].place].text, sizeof(prints->text),
			 "%016" PRIx64 ":%zu", entries[i].hash, number);
	}
	free(entries);
}
