/* SPDX-License-Identifier: MIT */
/* The stack of the calling thread as a node of the tree of stacks. */
#ifndef SEEP_RECORD_HEAP_STACK_WALK_H
#define SEEP_RECORD_HEAP_STACK_WALK_H

#include "record/heap/stack/intern.h"
#include "record/heap/thread.h"

/* Nodes: a is the return address, b the caller's node << 32 | module. */
extern struct seep_intern seep_walk_nodes;

bool seep_walk_init(void);

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

/*
 * The same stack with its frames, for the two below, which look at its n inner ones: their hash,
 * and the node of the stack that was cut there; 0 if there is no room.
 */
void seep_walk_again(struct seep_thread *thread, const void *frame_address);
uint64_t seep_walk_inner_hash(const struct seep_thread *thread, uint32_t n);
uint32_t seep_walk_inner_node(const struct seep_thread *thread, uint32_t n);

/* After a capture: whether a signal has interrupted the code on this stack. */
bool seep_walk_crossed_signal(const struct seep_thread *thread);

/* The node of a frame under its caller's node, created if need be; 0 if there is no room. */
uint32_t seep_walk_child(uint32_t caller, uint64_t pc, uint32_t module);

/* The node of a mark at the root, SEEP_PC_CUT or SEEP_PC_LOST, which says how a stack ended. */
uint32_t seep_walk_root(uint32_t how);

/* The node of that stack, created if need be; 0 if there is no room.  Slow. */
uint32_t seep_walk_node(struct seep_thread *thread, const void *frame_address);

/*
 * Whether a signal handler runs on this thread, above the function with this frame address;
 * also true if that cannot be found out.
 */
bool seep_walk_sees_signal(struct seep_thread *thread, const void *frame_address);
bool seep_walk_may_interrupt(struct seep_thread *thread, const void *frame_address);

#endif
