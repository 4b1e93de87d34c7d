/* SPDX-License-Identifier: MIT */
/*
 * The memory of a process and all that come from it, as they come and go.
 *
 * Memory that several of them share counts once.  That needs the page tables of each, which
 * the kernel walks at a cost that grows with the memory; so all are read together, in
 * rounds, as often as a given part of a core allows, and in between what is resident of each
 * is taken to change what is its own.  Who comes between two rounds is read at once, and
 * counts with its private pages only: what it shares, its parent counts already.
 *
 * The pages of files that the first process has count in full, whoever has them as well:
 * otherwise a program outside the tree that starts or ends would move the sum.
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
	bool read;               /* its pages, when it had ... */
	bool known;              /* ... and that was allowed */
	int64_t then_bytes;      /* ... so much resident and swapped out */
	int64_t own_bytes;       /* of these, what counts for it */
	int64_t pss_bytes, private_bytes, lazy_bytes;
};

struct seep_tree_sum {
	size_t processes;
	int64_t memory_bytes;    /* in memory and in swap, shared pages once, without LazyFree */
	int64_t vm_bytes;        /* of the process that has most */
	int64_t rss_bytes, swap_bytes; /* as the kernel counts each: shared pages several times */
	bool has_pages;          /* of at least one process the pages could be read: */
	int64_t pss_bytes, private_bytes, lazy_bytes;
};

struct seep_tree {
	struct seep_tree_member members[SEEP_TREE_MEMBERS]; /* the first is the root */
	size_t n;
	bool ended;              /* the root has */
	int64_t search_due_ns, round_due_ns;
	uint64_t rounds;         /* readings of everybody's pages */
	size_t seen;             /* processes in all */
	size_t most;             /* at the same time */
	size_t crowded;          /* that there was no room for */
	size_t closed;           /* whose pages may not be read */
	struct seep_tree_sum sum;
};

/* 0 or -errno; then root is what status tells of it, if it could be read. */
int seep_tree_open(struct seep_tree *tree, pid_t root);
void seep_tree_close(struct seep_tree *tree);

/* Looks for new processes and at all of them; now_ns is on the monotonic clock. */
void seep_tree_look(struct seep_tree *tree, int64_t now_ns);

#endif
