/* SPDX-License-Identifier: MIT */
/*
 * Whole stacks that a thread has captured before, each with the site that it led to.
 *
 * A walk is a function of the frame of the hook and of the words that it reads on the stack:
 * return addresses, and saved frame pointers where they matter.  An entry holds all of these
 * words, from the hook to the root of the thread:
 *
 *	frame ---> word, word ... word ---> site and tally
 *
 * If the frame address is the same again and no word has changed, the walk would end at the
 * same site, so there is no need for it.  The words are compared without a branch in between.
 * That is safe because an entry is only made on a thread's own stack, where all addresses from
 * the frame to the root can be read.  Unusual frames make no entry: those whose rule is not
 * common, signal frames, and stacks that were cut or lost.
 *
 * Entries are found by the frame address and the caller's pc.  Interpreters have many sites for
 * which both are the same.  These are told apart by two of their words; where they are is learned
 * when two such stacks meet in one place of the index (struct seep_flat_choice).
 *
 * Looking for entries and making them does not pay where most stacks are new.  Then there is a
 * pause, during which stacks are captured as in memo.h.
 */
#ifndef SEEP_RECORD_HEAP_STACK_FLAT_H
#define SEEP_RECORD_HEAP_STACK_FLAT_H

#include "record/heap/thread.h"

/* Where nothing was learned, the words are the caller's pc, which all have in common. */
#define SEEP_FLAT_NO_PLACES (SEEP_CPU_CALLER_PC * sizeof(uintptr_t) * UINT64_C(0x100000001))

#define SEEP_FLAT_MIX 0x9e3779b97f4a7c15u

static inline uint64_t seep_flat_key(const uintptr_t *frame)
{
	return (frame[SEEP_CPU_CALLER_PC] ^ (uintptr_t)frame << 20) * SEEP_FLAT_MIX;
}

static inline struct seep_flat_choice *seep_flat_choice(struct seep_flats *flats, uint64_t key)
{
	return &flats->choices[key >> (64 - SEEP_FLAT_CHOICE_BITS)];
}

static inline uintptr_t seep_flat_word(const uintptr_t *frame, uint32_t offset)
{
	return *(const uintptr_t *)(const void *)((const char *)frame + offset);
}

/* The first of two places in the index; the other one is next to it. */
static inline uint32_t seep_flat_place(struct seep_flats *flats, const uintptr_t *frame,
				       uint32_t phase)
{
	uint64_t key = seep_flat_key(frame), words;
	const struct seep_flat_choice *choice = seep_flat_choice(flats, key);
	uint64_t places = choice->frame == (uintptr_t)frame ? choice->places : SEEP_FLAT_NO_PLACES;

	words = seep_flat_word(frame, (uint32_t)(places >> 32));
	words = seep_flat_word(frame, (uint32_t)places) + (words << 24 | words >> 40);
	return (uint32_t)(((key ^ (words + phase)) * SEEP_FLAT_MIX) >> (64 - SEEP_FLAT_BITS));
}

/* An empty place holds the number of an entry that no stack has. */
static inline struct seep_flat *seep_flat_at(struct seep_flats *flats, uint32_t place)
{
	return (struct seep_flat *)(void *)(flats->room +
					    (size_t)flats->index[place] * SEEP_FLAT_UNIT);
}

static inline __attribute__((always_inline)) bool seep_flat_holds(const struct seep_flat *flat,
								  const uintptr_t *frame,
								  uint32_t phase)
{
	const struct seep_flat_words *words = flat->words;
	uintptr_t bits = flat->phase ^ phase;

	if (__builtin_expect(flat->frame != (uintptr_t)frame, 0))
		return false;
	do {
		bits |= seep_flat_word(frame, words->offset[0]) ^ words->value[0];
		bits |= seep_flat_word(frame, words->offset[1]) ^ words->value[1];
		bits |= seep_flat_word(frame, words->offset[2]) ^ words->value[2];
		bits |= seep_flat_word(frame, words->offset[3]) ^ words->value[3];
	} while (++words != flat->end);
	return !bits;
}

/* Looks in the second place; NULL if the stack is not there either. */
const struct seep_flat *seep_flat_find_second(struct seep_flats *flats, const uintptr_t *frame,
					      uint32_t phase, uint32_t place);

/* NULL: this stack has no entry.  The epoch of the flats is that of the rules. */
static inline __attribute__((always_inline)) const struct seep_flat *
seep_flat_find(struct seep_flats *flats, const uintptr_t *frame, uint32_t phase)
{
	uint32_t place = seep_flat_place(flats, frame, phase);
	const struct seep_flat *flat = seep_flat_at(flats, place);

	if (__builtin_expect(!seep_flat_holds(flat, frame, phase), 0))
		return seep_flat_find_second(flats, frame, phase, place);
	return flat;
}

/*
 * A stack was not found.  Whether to make an entry of it; if not, there is a pause.
 */
bool seep_flat_is_worth_it(struct seep_thread *thread);

/* Forgets all entries. */
void seep_flat_clear(struct seep_thread *thread);

/* Makes an entry of the last stack, whose frames are in known: it led to this site. */
void seep_flat_add(struct seep_thread *thread, const uintptr_t *frame, uint32_t phase,
		   uint32_t site, struct seep_tally *tally);

/* The same where the Python frames are needed to know the site: the stack has this hash. */
void seep_flat_add_hash(struct seep_thread *thread, const uintptr_t *frame, uint32_t phase,
			uint64_t hash);

/* The site has become dull: SEEP_SITE_DULL. */
void seep_flat_note_dull(struct seep_thread *thread, uint32_t site);

#endif
