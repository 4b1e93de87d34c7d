/* SPDX-License-Identifier: MIT */
/*
 * The frames of CPython in the stacks of the program.
 *
 * They are read from the interpreter's own memory, by offsets (python_layout.h), without a call
 * into it.  Two independent things are done with them:
 *
 *	for each stack   a hash over where each frame is, from the root in.  The site is found by
 *	                 the hash of the native stack and this one.  The frames of the last stack
 *	                 are remembered, and only what has changed is read again.
 *	for a new site   the Python frames are put into the native stack, in place of the frames of
 *	                 the evaluator (python_merge.c), and become lines of source there
 *	                 (python_code.c).  Stacks of the same lines are one site.
 *
 * A frame may be read only if it is certain that it is there: its thread is here and alive, no
 * signal has interrupted the evaluator half-way, and the frame inside it, which was just read,
 * still points to it.  The memory behind old frames may be unmapped at any time.
 */
#ifndef SEEP_RECORD_HEAP_PYTHON_PYTHON_H
#define SEEP_RECORD_HEAP_PYTHON_PYTHON_H

#include "record/heap/python/python_layout.h"
#include "record/heap/thread.h"

#define SEEP_PYTHON_FRAMES_MAX 16384u /* of a stack; a deeper one is cut ... */
#define SEEP_PYTHON_DEEP 64u /* ... to so many inner ones */
#define SEEP_PYTHON_BY 512u
#define SEEP_PYTHON_LINES 1024u
#define SEEP_PYTHON_RANGES 2u

struct seep_python_range {
	uintptr_t start, end;
};

/* The interpreter.  Nothing in it changes once seep_python_on is set. */
struct seep_python {
	struct seep_python_layout layout;
	const unsigned char *runtime; /* _PyRuntime */
	uintptr_t code_type;          /* PyCode_Type */
	uintptr_t type_type;          /* PyType_Type */
	int (*find_line)(void *code, int offset); /* PyCode_Addr2Line */
	struct seep_python_range eval[SEEP_PYTHON_RANGES]; /* code of the evaluator */
};

extern struct seep_python seep_python;
extern uint32_t seep_python_on; /* Python frames are read */
extern uint32_t seep_python_hidden; /* frames were not read because of a sub-interpreter */
extern uint32_t seep_python_unmaps; /* how often the program has unmapped memory, or was about to */

/* A frame of the last stack. */
struct seep_python_frame {
	uintptr_t frame;
	uintptr_t spot;          /* where in which code: see seep_python_spot */
	uint64_t hash;           /* of the stack from the root to this frame */
	uint64_t pc;             /* its line, see python_code.h; 0: not asked for yet */
};

/* The line of a spot, while the code object there is the one with this salt. */
struct seep_python_line {
	uintptr_t spot;
	uint64_t pc;
	uint32_t salt;
};

/* A frame of the merged stack. */
struct seep_python_merged {
	uint64_t pc;
	uint64_t module;
};

/* A frame of the last merged stack, with the node of the stack from the root to it. */
struct seep_python_made {
	uint64_t pc;
	uint32_t module;
	uint32_t node;
};

struct seep_python_thread {
	uintptr_t state;         /* of this thread, and was found to be one */
	uintptr_t base;          /* the frame outside known[1], if the stack is too deep; else 0 */
	uint32_t n;              /* end of the known frames; they begin at 1, outermost first */
	uint32_t n_merged;
	uint32_t merged_end;     /* SEEP_PC_CUT, SEEP_PC_LOST or 0: how the stack ended */
	uint32_t n_made;         /* frames in made, outermost first */
	uint32_t made_end;       /* how that stack ended */
	uintptr_t page;          /* where a current frame was seen to be, */
	uint32_t unmaps;         /* and seep_python_unmaps at that moment */
	struct seep_python_line lines[SEEP_PYTHON_LINES];
	uint16_t by[SEEP_PYTHON_BY]; /* known frames by their address */
	struct seep_python_frame known[SEEP_PYTHON_FRAMES_MAX];
	struct seep_python_frame fresh[SEEP_PYTHON_FRAMES_MAX];
	struct seep_python_merged merged[SEEP_STACK_MAX + SEEP_PYTHON_FRAMES_MAX];
	struct seep_python_made made[SEEP_STACK_MAX + SEEP_PYTHON_FRAMES_MAX];
};

static inline bool seep_python_is_on(void)
{
	return __builtin_expect(__atomic_load_n(&seep_python_on, __ATOMIC_ACQUIRE) != 0, 0);
}

static inline uintptr_t seep_python_word(uintptr_t address, uint32_t offset)
{
	return *(const uintptr_t *)(address + offset);
}

/*
 * Where the frame is: two frames have the same spot if they are at the same instruction of the same
 * code object.
 */
static inline uintptr_t seep_python_spot(uintptr_t frame)
{
	const struct seep_python_layout *layout = &seep_python.layout;
	uintptr_t lasti;

	if (!layout->lasti_bytes)
		return seep_python_word(frame, layout->spot);
	lasti = *(const uint32_t *)(frame + layout->spot);
	return seep_python_word(frame, layout->code) ^ lasti << 40;
}

/* The outermost of the known frames that count. */
static inline uint32_t seep_python_first(const struct seep_python_thread *python)
{
	return python->base ? python->n - SEEP_PYTHON_DEEP : 1;
}

/* Python frames are wanted.  Called once, before any other. */
void seep_python_want(void);

/* Looks for an interpreter among the objects that were loaded since the last look.  Slow. */
void seep_python_look(void);

/* Something was unloaded: if it was the interpreter, nothing of it is read from now on. */
void seep_python_unloaded(void);

/* Writes notes into the trace if an interpreter was refused, or frames.  The recording is held. */
void seep_python_note(void);

/*
 * The hash of the thread's Python stack, 0 if it has none.  Only if the native stack has no signal
 * frame: after seep_walk_capture, the second.  The third is for when a stack may be between two
 * states, such as in a free; seep_walk_capture_frames comes before it.
 */
uint64_t seep_python_hash(struct seep_thread *thread);
uint64_t seep_python_hash_walked(struct seep_thread *thread);
uint64_t seep_python_hash_checked(struct seep_thread *thread);

/* Makes the known frames those of this stack, under the conditions of the third. */
bool seep_python_read(struct seep_thread *thread);

/* Changes when a code object at this address goes. */
uint32_t seep_python_salt(uintptr_t code);

/* A code object has gone: stacks with another one at its address are not taken for the old ones. */
void seep_python_forget(uintptr_t code);

static inline bool seep_python_is_eval(uintptr_t pc)
{
	return pc - seep_python.eval[0].start < seep_python.eval[0].end -
						seep_python.eval[0].start ||
	       pc - seep_python.eval[1].start < seep_python.eval[1].end -
						seep_python.eval[1].start;
}

#endif
