/* SPDX-License-Identifier: MIT */
/*
 * An object starts with a count of its references and its type.  Before that, there may be the
 * head of the garbage collector, and before this head the words of an object with a dict of its
 * own:
 *
 *	block ->  references | type
 *	          collector 2 words | references | type
 *	          dict 2 words | collector 2 words | references | type
 *
 * A type is an object too.  Its type is `type`, or a class made from `type`; so it is recognised
 * by PyType_Type.  What looks like a type is remembered, and so is what does not.
 */
#include "record/heap/python/python_objects.h"

#include "os/mmap.h"
#include "os/process.h"
#include "record/heap/pack.h"
#include "record/heap/python/python.h"
#include "record/recording.h"

#include <string.h>

#define WORDS 6u             /* of the head of a block */
#define BATCH 256u           /* blocks whose heads are copied at once */
#define SEEN_BITS 13         /* log2 of the addresses that are remembered */
#define COUNTS_BITS 16       /* log2 of the pairs of site and type that are counted */
#define TYPES_MAX 2048u
#define NAME_MAX 127u
#define LOOKS 32u            /* places that are looked at in a table */
#define NO_TYPE UINT32_MAX

/* Where the fields of a type are, in all versions that are known. */
#define TYPE_OF 8u
#define TYPE_NAME 24u
#define TYPE_BASIC_BYTES 32u
#define TYPE_BYTES 40u

struct seen {
	uintptr_t address;
	uint32_t type;           /* its number, or NO_TYPE */
};

struct count {
	uint32_t site;           /* 0: free */
	uint32_t type;
	uint64_t blocks, bytes;
};

struct type {
	uint64_t basic_bytes;
	uint32_t name_bytes;
	char name[NAME_MAX];
};

static struct finds {
	struct seen seen[1u << SEEN_BITS];
	struct count counts[1u << COUNTS_BITS];
	struct type types[TYPES_MAX];
	uint32_t n_types;        /* number 0 is not used */
	uint32_t n;              /* in the batch */
	uintptr_t blocks[BATCH];
	uint64_t bytes[BATCH];
	uint32_t sites[BATCH];
	uint64_t heads[BATCH][WORDS];
} *finds;

bool seep_python_objects_begin(void)
{
	if (!seep_python_is_on() || !seep_python.type_type)
		return false;
	finds = seep_mmap_scratch(sizeof(*finds));
	if (finds)
		finds->n_types = 1;
	return finds;
}

/* Up to the zero; 0 if the letters cannot be read, or are not those of a name. */
static uint32_t read_name(uintptr_t from, char *to)
{
	uint32_t n = 0;

	for (; n < NAME_MAX; n++) {
		if (!seep_process_peek(from + n, &to[n], 1))
			return 0;
		if (!to[n])
			return n;
		if ((unsigned char)to[n] < ' ')
			return 0;
	}
	return n;
}

static bool read_type(uintptr_t address, uint64_t *words)
{
	return !(address % sizeof(void *)) && address >> 12 && !(address >> 47) &&
	       seep_process_peek(address, words, TYPE_BYTES);
}

/* A class that is made in a function is another type in each call. */
static uint32_t keep_type(const struct type *type)
{
	uint32_t i;

	for (i = 1; i < finds->n_types; i++)
		if (finds->types[i].basic_bytes == type->basic_bytes &&
		    finds->types[i].name_bytes == type->name_bytes &&
		    !memcmp(finds->types[i].name, type->name, type->name_bytes))
			return i;
	return finds->n_types++;
}

static uint32_t add_type(uintptr_t address)
{
	uint64_t words[TYPE_BYTES / 8], meta[TYPE_BYTES / 8];
	struct type *type = &finds->types[finds->n_types];

	if (finds->n_types == TYPES_MAX || !read_type(address, words))
		return NO_TYPE;
	if (words[TYPE_OF / 8] != seep_python.type_type &&
	    (!read_type(words[TYPE_OF / 8], meta) || meta[TYPE_OF / 8] != seep_python.type_type))
		return NO_TYPE;
	type->basic_bytes = words[TYPE_BASIC_BYTES / 8];
	type->name_bytes = read_name(words[TYPE_NAME / 8], type->name);
	if (!type->name_bytes || type->basic_bytes < 2 * sizeof(void *))
		return NO_TYPE;
	return keep_type(type);
}

static uint32_t hash(uint64_t a, uint64_t b, int bits)
{
	return (uint32_t)((a * 0x9e3779b97f4a7c15u ^ b * 0xc2b2ae3d27d4eb4fu) >> (64 - bits));
}

static uint32_t find_type(uintptr_t address)
{
	uint32_t at = hash(address, address >> 4, SEEN_BITS), i;

	for (i = 0; i < LOOKS; i++) {
		struct seen *seen = &finds->seen[(at + i) % (1u << SEEN_BITS)];

		if (seen->address == address)
			return seen->type;
		if (!seen->address) {
			*seen = (struct seen){ .address = address, .type = add_type(address) };
			return seen->type;
		}
	}
	return NO_TYPE;
}

static void count(uint32_t site, uint32_t type, uint64_t bytes)
{
	uint32_t at = hash(site, type, COUNTS_BITS), i;

	for (i = 0; i < LOOKS; i++) {
		struct count *found = &finds->counts[(at + i) % (1u << COUNTS_BITS)];

		if (found->site && (found->site != site || found->type != type))
			continue;
		found->site = site;
		found->type = type;
		found->blocks++;
		found->bytes += bytes;
		return;
	}
}

/* A count of references is positive; from 3.12 on it is a large number for what never dies. */
static bool is_referenced(uint64_t references)
{
	return references && references <= (uint64_t)UINT32_MAX;
}

static void look_at(uint32_t i)
{
	const uint64_t *head = finds->heads[i];
	uint32_t skip, type;

	for (skip = 0; skip + 2 <= WORDS && (skip + 2) * 8 <= finds->bytes[i]; skip += 2) {
		if (!is_referenced(head[skip]) || head[skip + 1] >> 47 || !(head[skip + 1] >> 12))
			continue;
		type = find_type(head[skip + 1]);
		if (type == NO_TYPE || finds->types[type].basic_bytes + skip * 8 > finds->bytes[i])
			continue;
		count(finds->sites[i], type, finds->bytes[i]);
		return;
	}
}

static void look_at_batch(void)
{
	uint32_t i;

	seep_process_peek_many(finds->blocks, finds->bytes, finds->n, finds->heads,
			       sizeof(finds->heads[0]));
	for (i = 0; i < finds->n; i++)
		look_at(i);
	finds->n = 0;
}

void seep_python_objects_see(uint32_t site, uintptr_t block, uint64_t bytes)
{
	if (!finds || bytes < 2 * sizeof(void *))
		return;
	finds->sites[finds->n] = site;
	finds->blocks[finds->n] = block;
	finds->bytes[finds->n++] = bytes;
	if (finds->n == BATCH)
		look_at_batch();
}

static void write_types(void)
{
	uint32_t i;

	for (i = 1; i < finds->n_types; i++) {
		const struct type *type = &finds->types[i];
		struct seep_rec_type head = { .id = i, .bytes = type->name_bytes };

		seep_recording_write(SEEP_REC_TYPE, 0, &head, sizeof(head), type->name,
				     type->name_bytes);
	}
}

static void write_counts(uint64_t ordinal)
{
	struct seep_pack *pack = seep_pack_begin(SEEP_REC_SITE_TYPES, ordinal);
	uint32_t i;

	for (i = 0; i < 1u << COUNTS_BITS; i++) {
		const struct count *found = &finds->counts[i];

		if (!found->blocks)
			continue;
		seep_pack_put(pack, found->site);
		seep_pack_put(pack, found->type);
		seep_pack_put(pack, found->blocks);
		seep_pack_put(pack, found->bytes);
		seep_pack_next(pack);
	}
	seep_pack_end(pack);
}

void seep_python_objects_write(uint64_t ordinal)
{
	if (!finds)
		return;
	look_at_batch();
	write_types();
	write_counts(ordinal);
	seep_mmap_drop(finds, sizeof(*finds));
	finds = NULL;
}
