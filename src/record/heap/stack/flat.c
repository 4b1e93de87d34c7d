/* SPDX-License-Identifier: MIT */
#include "record/heap/stack/flat.h"

#include "record/heap/stack/known.h"

#include <string.h>

#define GROUP 4u
#define WORDS_MAX 64u    /* a deeper stack is cheaper to capture with the help of known frames */
#define UNITS_MAX ((uint32_t)(SEEP_FLAT_ROOM / SEEP_FLAT_UNIT))
#define FIRST_UNIT ((uint32_t)(sizeof(struct seep_flat) / SEEP_FLAT_UNIT))

#define MISS 8              /* cost of a miss, in hits */
#define PATIENCE 4096       /* this much may be lost before a pause */
#define REST 1024u          /* misses in the first pause; each later one is twice as long */
#define REST_MAX 65536u

_Static_assert(sizeof(struct seep_flat) % SEEP_FLAT_UNIT == 0 &&
	       sizeof(struct seep_flat_words) % SEEP_FLAT_UNIT == 0, "entries fill whole units");
_Static_assert(UNITS_MAX <= UINT16_MAX, "the index holds 16 bits");

struct words {
	uintptr_t frame;
	uint32_t n;
	struct seep_flat_words of[WORDS_MAX / GROUP];
};

static void drop_entries(struct seep_flats *flats)
{
	memset(flats->index, 0, sizeof(flats->index));
	flats->used = 0;
}

void seep_flat_clear(struct seep_thread *thread)
{
	struct seep_flats *flats = &thread->flats;

	flats->epoch = 0;
	if (!flats->used) /* do not touch its pages */
		return;
	/* Another thread may get this record, whose stack is smaller. */
	memset(flats->choices, 0, sizeof(flats->choices));
	drop_entries(flats);
}

const struct seep_flat *seep_flat_find_second(struct seep_flats *flats, const uintptr_t *frame,
					      uint32_t phase, uint32_t place)
{
	const struct seep_flat *flat = seep_flat_at(flats, place ^ 1);

	return seep_flat_holds(flat, frame, phase) ? flat : NULL;
}

static void begin_rest(struct seep_flats *flats)
{
	flats->rest = flats->rest ? 2 * flats->rest : REST;
	if (flats->rest > REST_MAX)
		flats->rest = REST_MAX;
	flats->rest_left = flats->rest;
	flats->epoch = 0;
}

bool seep_flat_is_worth_it(struct seep_thread *thread)
{
	struct seep_flats *flats = &thread->flats;

	if (flats->rest_left) {
		if (--flats->rest_left)
			return false;
		flats->credit = 0;
		flats->hits = 0;
	}
	flats->credit += (flats->hits < PATIENCE ? (int32_t)flats->hits : PATIENCE) - MISS;
	flats->hits = 0;
	if (flats->credit > 0)
		flats->credit = 0;
	if (flats->credit < -PATIENCE)
		begin_rest(flats);
	return !flats->rest_left;
}

static bool add_word(struct words *words, uintptr_t address, uintptr_t value)
{
	struct seep_flat_words *of = &words->of[words->n / GROUP];

	if (words->n == WORDS_MAX || address - words->frame > INT32_MAX)
		return false;
	of->offset[words->n % GROUP] = (uint32_t)(address - words->frame);
	of->value[words->n % GROUP] = value;
	words->n++;
	return true;
}

/* The return address of a frame whose stack ends there is 0, and was read. */
static bool add_end(const struct seep_thread *thread, struct words *words)
{
	const struct seep_known_frame *root = &thread->known[1];
	uintptr_t cfa = seep_rule_kind(root->rule) == SEEP_CFI_SP ? root->frame.sp : root->frame.bp;

	if (seep_rule_kind(root->rule) == SEEP_CFI_END)
		return true;
	cfa += (uintptr_t)seep_rule_offset(root->rule);
	return seep_rule_is_common(root->rule) && cfa > root->frame.sp &&
	       cfa <= thread->stack.high &&
	       add_word(words, cfa + (uintptr_t)SEEP_CPU_RA_OFFSET, 0);
}

/* The words of the last stack, the caller's pc first; false if it is unusual or too deep. */
static bool list_words(const struct seep_thread *thread, struct words *words,
		       const uintptr_t *frame)
{
	const struct seep_known_frame *inner = &thread->known[thread->n_last - 1];

	if (!add_word(words, (uintptr_t)&frame[SEEP_CPU_CALLER_PC], inner->frame.pc) ||
	    (inner->bp_live &&
	     !add_word(words, (uintptr_t)&frame[SEEP_CPU_CALLER_BP], inner->frame.bp)))
		return false;
	for (; inner > &thread->known[1]; inner--) {
		const struct seep_known_frame *outer = inner - 1;

		if (!seep_rule_is_common(inner->rule))
			return false;
		if (inner->bp_slot && outer->bp_live &&
		    !add_word(words, inner->bp_slot, outer->frame.bp))
			return false;
		if (!add_word(words, outer->frame.sp + (uintptr_t)SEEP_CPU_RA_OFFSET,
			      outer->frame.pc))
			return false;
	}
	if (!add_end(thread, words))
		return false;
	/* Words are compared in groups: fill up with one that always matches. */
	while (words->n % GROUP)
		add_word(words, words->frame + words->of[0].offset[0], words->of[0].value[0]);
	return true;
}

/*
 * Two stacks that start alike have met: where is a word by which they can be told apart?  0:
 * nowhere, or they are told apart already and have met by chance.
 */
static uint64_t find_difference(const struct seep_flat *other, const uintptr_t *frame,
				uint64_t places)
{
	const struct seep_flat_words *words;
	uint64_t found = 0;
	uint32_t i;

	for (words = other->words; words != other->end; words++)
		for (i = 0; i < GROUP; i++) {
			uint32_t offset = words->offset[i];

			if (seep_flat_word(frame, offset) == words->value[i])
				continue;
			if (offset == (uint32_t)places || offset == places >> 32)
				return 0;
			if (!found)
				found = offset;
		}
	return found;
}

static void learn_choice(struct seep_flats *flats, const struct seep_flat *other,
			 const uintptr_t *frame)
{
	struct seep_flat_choice *choice = seep_flat_choice(flats, seep_flat_key(frame));
	bool known = choice->frame == (uintptr_t)frame;
	uint64_t places = known ? choice->places : SEEP_FLAT_NO_PLACES;
	uint64_t place = find_difference(other, frame, places);

	if (!place)
		return;
	choice->places = places << 32 | place;
	choice->frame = (uintptr_t)frame;
}

static uint32_t choose_place(struct seep_flats *flats, const uintptr_t *frame, uint32_t phase)
{
	uint32_t place = seep_flat_place(flats, frame, phase);
	const struct seep_flat *other = seep_flat_at(flats, place);

	if (other->frame == (uintptr_t)frame && other->phase == phase &&
	    other->words[0].value[0] == frame[SEEP_CPU_CALLER_PC]) {
		learn_choice(flats, other, frame);
		place = seep_flat_place(flats, frame, phase);
	}
	if (!flats->index[place])
		return place;
	/* Two places, and both may be in use: any will do. */
	return !flats->index[place ^ 1] || flats->used & 1 ? place ^ 1 : place;
}

static struct seep_flat *take_room(struct seep_flats *flats, uint32_t n_words)
{
	size_t bytes = sizeof(struct seep_flat) + n_words / GROUP * sizeof(struct seep_flat_words);
	uint32_t units = (uint32_t)(bytes / SEEP_FLAT_UNIT);
	struct seep_flat *flat;

	if (flats->used + units > UNITS_MAX)
		drop_entries(flats);
	if (!flats->used)
		flats->used = FIRST_UNIT; /* entry 0 stays empty */
	flat = (struct seep_flat *)(void *)(flats->room + (size_t)flats->used * SEEP_FLAT_UNIT);
	flats->used += units;
	return flat;
}

/* What it leads to is filled in by the caller, who then publishes it; NULL: there is none. */
static struct seep_flat *make_entry(struct seep_thread *thread, const uintptr_t *frame,
				    uint32_t phase)
{
	struct seep_cpu_frame first = seep_cpu_caller(frame);
	const struct seep_known_frame *inner = &thread->known[thread->n_last - 1];
	struct words words;
	struct seep_flat *flat;

	words.frame = (uintptr_t)frame;
	words.n = 0;
	thread->flats.epoch = thread->epoch;
	/* What cannot be remembered, neither by known frames nor here: see walk.c. */
	if (thread->n_known != thread->n_last || thread->last_end || thread->n_last < 2 ||
	    inner->frame.pc != first.pc || inner->frame.sp != first.sp ||
	    !seep_known_is_own_stack(thread, first.sp) || !list_words(thread, &words, frame))
		return NULL;
	flat = take_room(&thread->flats, words.n);
	flat->frame = (uintptr_t)frame;
	flat->end = &flat->words[words.n / GROUP];
	flat->phase = phase;
#ifdef SEEP_FLAT_CHECK
	flat->stack = inner->hash;
#endif
	memcpy(flat->words, words.of, words.n / GROUP * sizeof(words.of[0]));
	return flat;
}

static void publish(struct seep_flats *flats, struct seep_flat *flat)
{
	uint32_t place = choose_place(flats, (const uintptr_t *)flat->frame, flat->phase);

	/* A signal handler may never return here: the entry is complete before it can be found. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	flats->index[place] = (uint16_t)((size_t)((unsigned char *)flat - flats->room) /
					 SEEP_FLAT_UNIT);
}

void seep_flat_add(struct seep_thread *thread, const uintptr_t *frame, uint32_t phase,
		   uint32_t site, struct seep_tally *tally)
{
	struct seep_flat *flat = make_entry(thread, frame, phase);

	if (!flat)
		return;
	flat->tally = tally;
	flat->site = site;
	publish(&thread->flats, flat);
}

void seep_flat_add_hash(struct seep_thread *thread, const uintptr_t *frame, uint32_t phase,
			uint64_t hash)
{
	struct seep_flat *flat = make_entry(thread, frame, phase);

	if (!flat)
		return;
	flat->hash = hash;
	flat->site = 0;
	publish(&thread->flats, flat);
}

void seep_flat_note_dull(struct seep_thread *thread, uint32_t site)
{
	struct seep_flats *flats = &thread->flats;
	uint32_t at = FIRST_UNIT;

	while (at < flats->used) {
		struct seep_flat *flat = (struct seep_flat *)(void *)
			(flats->room + (size_t)at * SEEP_FLAT_UNIT);

		if (flat->site == site)
			flat->site |= SEEP_SITE_DULL;
		at = (uint32_t)((size_t)((const unsigned char *)flat->end - flats->room) /
				SEEP_FLAT_UNIT);
	}
}
