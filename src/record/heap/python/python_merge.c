/* SPDX-License-Identifier: MIT */
#include "record/heap/python/python_merge.h"

#include "record/heap/python/python.h"
#include "record/heap/python/python_code.h"
#include "record/heap/stack/known.h"
#include "record/heap/stack/walk.h"

#define OWNED_BY_C 3 /* of a frame without code, which ends a call of the evaluator */

static void put(struct seep_python_thread *python, uint64_t pc, uint64_t module)
{
	python->merged[python->n_merged++] = (struct seep_python_merged){pc, module};
}

static bool is_shim(uintptr_t frame)
{
	const struct seep_python_layout *layout = &seep_python.layout;

	return layout->version >= 0x30c && *(const char *)(frame + layout->owner) == OWNED_BY_C;
}

/* Whether the frame is the last of a call of the evaluator. */
static bool ends_call(uintptr_t frame)
{
	const struct seep_python_layout *layout = &seep_python.layout;

	if (layout->is_entry != SEEP_PYTHON_NONE)
		return *(const char *)(frame + layout->is_entry);
	return layout->version < 0x30b || is_shim(frame);
}

/*
 * The kernel is asked before a code object is read, and asking takes longer than all the rest.  A
 * line that was found holds as long as the hash of the stack does.
 */
static uint64_t find_line(struct seep_python_thread *python, const struct seep_python_frame *known)
{
	struct seep_python_line *line =
		&python->lines[known->spot * 0x9e3779b97f4a7c15u >> 54];
	uint32_t salt = seep_python_salt(seep_python_word(known->frame, seep_python.layout.code));
	uint64_t pc;

	_Static_assert(SEEP_PYTHON_LINES == 1 << (64 - 54), "as many as are found");
	if (line->spot == known->spot && line->salt == salt)
		return line->pc;
	pc = seep_python_code_pc(known->frame);
	if (pc)
		*line = (struct seep_python_line){known->spot, pc, salt};
	return pc;
}

static void put_frame(struct seep_python_thread *python, struct seep_python_frame *known)
{
	if (is_shim(known->frame))
		return;
	if (!known->pc)
		known->pc = find_line(python, known);
	if (known->pc != SEEP_PYTHON_HIDDEN)
		put(python, known->pc, 0);
}

/* The Python frames of one call of the evaluator, from i outwards; the next one. */
static uint32_t put_call(struct seep_python_thread *python, uint32_t i)
{
	uint32_t first = seep_python_first(python);
	bool ends = false;

	while (i >= first && !ends) {
		put_frame(python, &python->known[i]);
		ends = ends_call(python->known[i].frame);
		i--;
	}
	return i;
}

static void merge(const struct seep_thread *thread)
{
	struct seep_python_thread *python = thread->python;
	uint32_t left = python->n - 1, first = seep_python_first(python), i;

	python->n_merged = 0;
	python->merged_end = thread->last_end;
	for (i = thread->n_last - 1; i >= 1; i--) {
		uint64_t pc = thread->known[i].frame.pc;

		if (!seep_python_is_eval(pc - 1)) {
			put(python, pc, seep_rule_module(thread->known[i].rule));
			continue;
		}
		if (left < first)
			break;
		left = put_call(python, left);
	}
	while (left >= first)
		left = put_call(python, left);
	if (python->base)
		python->merged_end = SEEP_PC_CUT;
}

void seep_python_merge_again(struct seep_thread *thread, const void *frame_address)
{
	seep_python_look();
	seep_walk_again(thread, frame_address);
	if (seep_python_is_on() && seep_python_read(thread))
		merge(thread);
	else if (thread->python)
		thread->python->n_merged = 0;
}

/* The node of the n inner frames. */
static uint32_t find_inner(const struct seep_python_thread *python, uint32_t n, bool create)
{
	uint32_t node = seep_walk_root(SEEP_PC_CUT, create);

	while (n-- && node)
		node = seep_walk_child(node, python->merged[n].pc,
				       (uint32_t)python->merged[n].module, create);
	return node;
}

/*
 * The node of the whole stack.  Deep in a recursion, most of it is the same as the last one, and
 * comparing takes much less time than looking up.
 */
static uint32_t find_whole(struct seep_python_thread *python, bool create)
{
	uint32_t node = 0, n = python->n_merged, i;

	if (python->merged_end)
		node = seep_walk_root(python->merged_end, create);
	if (!node && python->merged_end)
		return 0;
	if (python->made_end != python->merged_end)
		python->n_made = 0;
	python->made_end = python->merged_end;
	for (i = 0; n--; i++) {
		const struct seep_python_merged *frame = &python->merged[n];
		struct seep_python_made *made = &python->made[i];

		if (i < python->n_made && made->pc == frame->pc && made->module == frame->module) {
			node = made->node;
			continue;
		}
		python->n_made = i;
		node = seep_walk_child(node, frame->pc, (uint32_t)frame->module, create);
		if (!node)
			return 0;
		*made = (struct seep_python_made){frame->pc, (uint32_t)frame->module, node};
		python->n_made = i + 1;
	}
	return node;
}

uint32_t seep_python_merge_node(struct seep_thread *thread, uint32_t n, bool create)
{
	struct seep_python_thread *python = thread->python;

	if (!python || !python->n_merged)
		return seep_walk_node(thread, n, create);
	if (n == SEEP_WALK_WHOLE)
		return find_whole(python, create);
	return find_inner(python, n < python->n_merged ? n : python->n_merged, create);
}
