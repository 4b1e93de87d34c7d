/* SPDX-License-Identifier: MIT */
/*
 * The tree of stacks.  A node is a frame under the node of its caller, and has a number, from 1
 * on; a stack is the node of its innermost frame.
 *
 * A new stack leaves the tree somewhere and then goes on for some frames that nobody has seen after
 * these callers.  These get consecutive numbers, and all that is kept of them is the frame: the
 * caller of a node is the one before it, unless the node is marked as a fork.
 *
 *	number    1      2     3       4       5        6        7
 *	frame     start  main  handle  malloc  handle*  list_new malloc      * a fork: under 2
 *
 *	slots.h ---> forks[i] = { node, caller }, in the order of nodes, found by caller and frame
 *
 * A frame is half a word: the line of a function with a name, or else the number of its pc and
 * module.  So most nodes take four bytes, and a fork about twenty.
 */
#ifndef SEEP_RECORD_HEAP_STACK_NODES_H
#define SEEP_RECORD_HEAP_STACK_NODES_H

#include <stdbool.h>
#include <stdint.h>

#define SEEP_NODES_MAX ((uint32_t)1 << 22)

struct seep_nodes_item {
	uint64_t pc;
	uint32_t module;
	uint32_t caller;         /* 0: it is the root of the stack */
};

bool seep_nodes_init(void);

/* The node of a frame under its caller's node; 0 if there is none. */
uint32_t seep_nodes_find(uint32_t caller, uint64_t pc, uint32_t module);

/* The same, created if need be; 0 if there is no room. */
uint32_t seep_nodes_add(uint32_t caller, uint64_t pc, uint32_t module);

/* How many nodes there are (the highest + 1). */
uint32_t seep_nodes_count(void);

/* Goes through all nodes in the order of their numbers; at the start, next is 1 and fork 0. */
struct seep_nodes_cursor {
	uint32_t next;
	uint32_t fork;
};

struct seep_nodes_item seep_nodes_next(struct seep_nodes_cursor *cursor);

/* Writes the nodes that the trace does not have yet.  The recording is held. */
void seep_nodes_write_new(void);

uint64_t seep_nodes_own_bytes(void);
void seep_nodes_forked(void);

#endif
