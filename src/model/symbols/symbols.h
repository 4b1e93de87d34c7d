/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From addresses to names: function, file and line with inlined calls, C++
 * names demangled.  After the fact, outside the traced process, by libdwfl.
 *
 * A module whose file is gone or has another build id is not guessed at: its
 * frames keep their module and address, and a note says so.
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

/* Says of each module in the stacks so far where its code is, as far as its file is there. */
void seep_symbols_locate(const struct seep_symbols *symbols, struct seep_run *run);

#endif
