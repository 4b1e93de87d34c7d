/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/fingerprint.h"

#include "model/key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FNV_START 14695981039346656037u
#define FNV_PRIME 1099511628211u

static uint64_t mix(uint64_t hash, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)text[i]) * FNV_PRIME;
	return (hash ^ '\n') * FNV_PRIME;
}

static uint64_t hash_site(const struct seep_fingerprint_of *site)
{
	struct seep_key_walk walk = { .stack = site->stack };
	const char *phase = site->phase ? site->phase : "", *name;
	uint64_t hash = mix(FNV_START, site->kind, strlen(site->kind));
	size_t length;

	hash = mix(hash, phase, strlen(phase));
	while (seep_key_next(&walk, &name, &length))
		hash = mix(hash, name, length);
	return hash;
}

struct entry {
	uint64_t hash;
	const struct seep_stack *stack;
	size_t place;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	order = seep_key_compare_lines(x->stack, y->stack);
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
