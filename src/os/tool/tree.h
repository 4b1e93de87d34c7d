/* SPDX-License-Identifier: MIT */
/*
 * The memory of a process and all its descendants, as they come and go.
 *
 * Memory that several of them share counts once.  That needs the page tables of each, which
 * the kernel walks at a cost that grows with the memory.  So all are read together, in
 * rounds, as often as a given part of a core allows.  Between rounds, a change of a process's
 * resident memory is taken as a change of its own share.  A process that starts between two
 * rounds is read at once and counts only its private pages: its parent counts what they share.
 *
 * File pages of the first process count in full, even if other programs have them too:
 * otherwise a program outside the tree that starts or ends would change the sum.
 *
 * For the command only; never inside the traced process.
 */
#ifndef SEEP_OS_TOOL_TREE_H
#define SEEP_OS_TOOL_TREE_H

#include "os/tool/member.h"

#include <stddef.h>

#define SEEP_TREE_MEMBERS 1024

struct seep_tree_member {
	pid_t pid;
	int fd;                  /* of seep_member_open */
	struct seep_member_status status;
	bool read;               /* its pages were read ... */
	bool known;              /* ... successfully, */
	int64_t then_bytes;      /* when this much was resident or swapped out; */
	int64_t own_bytes;       /* of these, its own share */
	int64_t pss_bytes, private_bytes, lazy_bytes;
};

struct seep_tree_sum {
	size_t processes;
	int64_t memory_bytes;    /* in memory and in swap, shared pages once, without LazyFree */
	int64_t vm_bytes;        /* of the process that has the most */
	int64_t rss_bytes, swap_bytes; /* plain sums: shared pages count several times */
	bool has_pages;          /* the pages of at least one process could be read: */
	int64_t pss_bytes, private_bytes, lazy_bytes;
};

struct seep_tree {
	struct seep_tree_member members[SEEP_TREE_MEMBERS]; /* the first is the root */
	size_t n;
	bool ended;              /* the root has ended */
	int64_t search_due_ns, round_due_ns;
	uint64_t rounds;         /* how often the pages of all were read */
	size_t seen;             /* processes in all */
	size_t most;             /* at the same time */
	size_t crowded;          /* processes that there was no room for */
	size_t closed;           /* processes whose pages we may not read */
	struct seep_tree_sum sum;
};

/* 0 or -errno; the status of the root is filled in if it could be read. */
int seep_tree_open(struct seep_tree *tree, pid_t root);
void seep_tree_close(struct seep_tree *tree);

/* Looks for new processes and reads all of them; now_ns is on the monotonic clock. */
void seep_tree_look(struct seep_tree *tree, int64_t now_ns);

#endif
