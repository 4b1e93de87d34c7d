/* SPDX-License-Identifier: MIT */
/*
 * What a thread has counted at a site, in one word: most sites of a program that imports much see
 * one block in all.
 *
 *	0                    nothing
 *	odd                  few births and deaths:
 *
 *	  died bytes 22 | born bytes 22 | bins of three deaths 3 x 5 | died 2 | born 2 | 1
 *
 *	else                 the address of a tally, where it all is counted
 *
 * Only its own thread changes the word.  Others may read it at any time.
 */
#ifndef SEEP_RECORD_HEAP_FEW_H
#define SEEP_RECORD_HEAP_FEW_H

#include <stdbool.h>
#include <stdint.h>

#define SEEP_FEW_MAX 3u
#define SEEP_FEW_BYTES_MAX ((1u << 22) - 1)

struct seep_few {
	uint32_t born, died;
	uint32_t born_bytes, died_bytes;
	uint32_t bins[SEEP_FEW_MAX]; /* of ages at death */
};

struct seep_tally;

/* NULL: few, or nothing. */
static inline struct seep_tally *seep_few_tally(uint64_t word)
{
	return __builtin_expect(!(word & 1), 1) ? (struct seep_tally *)(uintptr_t)word : 0;
}

static inline struct seep_few seep_few_unpack(uint64_t word)
{
	return (struct seep_few){
		.born = (uint32_t)(word >> 1) & 3,
		.died = (uint32_t)(word >> 3) & 3,
		.bins = {(uint32_t)(word >> 5) & 31, (uint32_t)(word >> 10) & 31,
			 (uint32_t)(word >> 15) & 31},
		.born_bytes = (uint32_t)(word >> 20) & SEEP_FEW_BYTES_MAX,
		.died_bytes = (uint32_t)(word >> 42),
	};
}

static inline uint64_t seep_few_pack(const struct seep_few *few)
{
	return 1 | (uint64_t)few->born << 1 | (uint64_t)few->died << 3 |
	       (uint64_t)few->bins[0] << 5 | (uint64_t)few->bins[1] << 10 |
	       (uint64_t)few->bins[2] << 15 | (uint64_t)few->born_bytes << 20 |
	       (uint64_t)few->died_bytes << 42;
}

/* False: a tally is needed for that, and nothing was done.  The word is none of a tally's. */
static inline bool seep_few_add_birth(uint64_t *word, uint64_t bytes)
{
	struct seep_few few = seep_few_unpack(*word);

	if (few.born == SEEP_FEW_MAX || bytes > SEEP_FEW_BYTES_MAX - few.born_bytes)
		return false;
	few.born++;
	few.born_bytes += (uint32_t)bytes;
	__atomic_store_n(word, seep_few_pack(&few), __ATOMIC_RELAXED);
	return true;
}

static inline bool seep_few_add_death(uint64_t *word, uint64_t bytes, uint32_t bin)
{
	struct seep_few few = seep_few_unpack(*word);

	if (few.died == SEEP_FEW_MAX || bytes > SEEP_FEW_BYTES_MAX - few.died_bytes)
		return false;
	few.bins[few.died++] = bin;
	few.died_bytes += (uint32_t)bytes;
	__atomic_store_n(word, seep_few_pack(&few), __ATOMIC_RELAXED);
	return true;
}

#endif
