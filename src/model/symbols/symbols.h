/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From addresses to names: function, file and line with inlined calls, C++
 * names demangled.  After the fact, outside the traced process, by libdwfl.
 *
 * Names that the trace itself has come first.  A module whose file is gone or has another
 * build id is not guessed at: where the trace has no names, its frames keep their module and
 * address, and a note says so.
 */
#ifndef SEEP_MODEL_SYMBOLS_SYMBOLS_H
#define SEEP_MODEL_SYMBOLS_SYMBOLS_H

#include "base/arena.h"
#include "model/run.h"

struct seep_symbols; /* open modules and resolved addresses */

struct seep_symbols *seep_symbols_open(const struct seep_run *run, struct seep_arena *arena);
void seep_symbols_close(struct seep_symbols *symbols);

/*
 * Fills frames, n_frames and own_frame of the stack, with one frame at least even if
 * the stack is empty.  Does nothing the second time.
 */
void seep_symbols_resolve(struct seep_symbols *symbols, struct seep_stack *stack);

/* Whether the function is one that hands out memory: malloc, operator new and their kind. */
bool seep_symbols_is_allocator(const struct seep_frame *frame);

/*
 * Adds a note to the run for each module in the stacks so far whose file is not
 * there any more as it was: why its functions have no names.  Once per module.
 */
void seep_symbols_note(struct seep_symbols *symbols, struct seep_run *run);

/* Names of one address that were found in the file of its module, and are not in the trace. */
struct seep_symbols_found {
	uint64_t pc;
	uint32_t module;         /* index into the run's modules */
	const struct seep_frame *frames; /* as in stacks, but the function may be NULL */
	size_t n_frames;
};

/* All of them so far, in the order in which they were looked up; valid until the next look-up. */
const struct seep_symbols_found *seep_symbols_found(const struct seep_symbols *symbols, size_t *n);

/* Says of each module in the stacks so far where its code is, as far as its file is there. */
void seep_symbols_locate(const struct seep_symbols *symbols, struct seep_run *run);

#endif
