/* SPDX-License-Identifier: MIT */
/* The stack of the calling thread as a node of the tree of stacks. */
#ifndef SEEP_RECORD_HEAP_STACK_WALK_H
#define SEEP_RECORD_HEAP_STACK_WALK_H

#include "record/heap/thread.h"

/*
 * A 64-bit hash that identifies the stack above the function with this frame address.
 * The guard is set.
 */
uint64_t seep_walk_capture(struct seep_thread *thread, const void *frame_address);

/*
 * The same, and the frames of the stack are in thread->known afterwards.  Without this, they may
 * be those of an earlier stack.
 */
uint64_t seep_walk_capture_frames(struct seep_thread *thread, const void *frame_address);

/* The same stack with its frames, for seep_walk_node. */
void seep_walk_again(struct seep_thread *thread, const void *frame_address);

/*
 * The node of that stack (nodes.h), or of its n inner frames, as of a stack that was cut there.
 * 0 if there is none, or if it was to be created and there is no room.
 */
#define SEEP_WALK_WHOLE UINT32_MAX
uint32_t seep_walk_node(struct seep_thread *thread, uint32_t n, bool create);

/* The node of a frame under its caller's node, and of a mark at the root; 0 likewise. */
uint32_t seep_walk_child(uint32_t caller, uint64_t pc, uint32_t module, bool create);
uint32_t seep_walk_root(uint32_t how, bool create);

/* After a capture: whether a signal has interrupted the code on this stack. */
bool seep_walk_crossed_signal(const struct seep_thread *thread);

/*
 * Whether a signal handler runs on this thread, above the function with this frame address;
 * also true if that cannot be found out.
 */
bool seep_walk_sees_signal(struct seep_thread *thread, const void *frame_address);
bool seep_walk_may_interrupt(struct seep_thread *thread, const void *frame_address);

#endif
