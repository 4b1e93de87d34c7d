/* SPDX-License-Identifier: MIT */
#include "os/tool/tree.h"

#include "os/clock.h"
#include "os/tool/descendants.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define ROUND_SHARE 2000         /* reading pages may take this part of a core: 0.05 % */
#define SEARCH_SHARE 5000        /* ... looking for children: 0.02 % */
#define CHILDREN_MAX 512

/* When to repeat work that began at this time, so that it takes 1/share of a core. */
static int64_t find_due(int64_t since_ns, int64_t began_ns, int64_t share)
{
	return since_ns + (seep_clock_thread_ns() - began_ns) * share;
}

static bool is_member(const struct seep_tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->n; i++)
		if (tree->members[i].pid == pid)
			return true;
	return false;
}

static int add(struct seep_tree *tree, pid_t pid)
{
	struct seep_tree_member *member = &tree->members[tree->n];
	int rc = -EMFILE;

	if (tree->n < SEEP_TREE_MEMBERS) {
		memset(member, 0, sizeof(*member));
		member->pid = pid;
		rc = member->fd = seep_member_open(pid);
	}
	if (rc >= 0) {
		tree->n++;
		tree->seen++;
	} else if (rc == -EMFILE || rc == -ENFILE) {
		tree->crowded++;
	}
	return rc < 0 ? rc : 0;
}

int seep_tree_open(struct seep_tree *tree, pid_t root)
{
	int rc;

	memset(tree, 0, sizeof(*tree));
	rc = add(tree, root);
	if (!rc)
		rc = seep_member_read(tree->members[0].fd, &tree->members[0].status);
	if (rc)
		seep_tree_close(tree);
	return rc;
}

void seep_tree_close(struct seep_tree *tree)
{
	while (tree->n)
		close(tree->members[--tree->n].fd);
}

/* A process that was found once stays, even if its parent has ended and it has a new one. */
static void search(struct seep_tree *tree, int64_t now_ns)
{
	int64_t began = seep_clock_thread_ns();
	pid_t pids[CHILDREN_MAX], own = getpid();

	tree->crowded = 0;
	for (size_t i = 0; i < tree->n; i++) {
		size_t n = seep_descendants_children(tree->members[i].pid, pids, CHILDREN_MAX);

		for (size_t k = 0; k < n; k++)
			if (pids[k] != own && !is_member(tree, pids[k]))
				add(tree, pids[k]);
	}
	tree->search_due_ns = find_due(now_ns, began, SEARCH_SHARE);
}

static bool is_alive(struct seep_tree_member *member)
{
	return !seep_member_read(member->fd, &member->status) && member->status.has_memory;
}

/* It has much less memory than before: it called exec, or freed nearly everything. */
static bool has_changed(const struct seep_tree_member *member)
{
	return member->status.rss_bytes + member->status.swap_bytes < member->then_bytes / 2;
}

static void read_all(struct seep_tree *tree)
{
	size_t to = 0;

	tree->ended = !tree->n || !is_alive(&tree->members[0]);
	for (size_t i = 0; i < tree->n; i++) {
		struct seep_tree_member *member = &tree->members[i];

		if (i ? !is_alive(member) : tree->ended) {
			close(member->fd);
			continue;
		}
		member->read = member->read && !has_changed(member);
		tree->members[to++] = *member;
	}
	tree->n = to;
	if (tree->n > tree->most)
		tree->most = tree->n;
}

/* The bytes that a process counts for, if it is read together with all others, or alone. */
static int64_t find_own(const struct seep_member_status *status,
			const struct seep_member_pages *pages, bool root, bool together)
{
	int64_t shared = pages->pss_bytes, file;

	if (!together)
		return pages->private_bytes;
	if (!root || pages->pss_file_bytes < 0)
		return shared;
	file = pages->rss_bytes - pages->anonymous_bytes - status->shmem_bytes;
	return shared - pages->pss_file_bytes + (file > 0 ? file : 0);
}

static void read_pages(struct seep_tree_member *member, bool root, bool together)
{
	const struct seep_member_status *status = &member->status;
	struct seep_member_pages pages;
	int rc = seep_member_read_pages(member->pid, &pages);

	member->read = true;
	member->then_bytes = status->rss_bytes + status->swap_bytes;
	member->known = !rc;
	if (rc) {
		member->own_bytes = member->then_bytes;
		member->pss_bytes = member->private_bytes = status->rss_bytes;
		member->lazy_bytes = 0;
		return;
	}
	member->own_bytes = find_own(status, &pages, root, together) + status->swap_bytes -
			    pages.lazy_bytes;
	member->pss_bytes = pages.pss_bytes;
	member->private_bytes = pages.private_bytes;
	member->lazy_bytes = pages.lazy_bytes;
}

static void read_round(struct seep_tree *tree, int64_t now_ns)
{
	int64_t began = seep_clock_thread_ns();
	bool together = now_ns >= tree->round_due_ns;
	int64_t since = together ? now_ns : tree->round_due_ns;

	tree->closed = 0;
	for (size_t i = 0; i < tree->n; i++) {
		struct seep_tree_member *member = &tree->members[i];

		if (together || !member->read)
			read_pages(member, !i, together || !i);
		tree->closed += !member->known;
	}
	tree->rounds += together;
	tree->round_due_ns = find_due(since, began, ROUND_SHARE);
}

static int64_t at_least_0(int64_t bytes)
{
	return bytes < 0 ? 0 : bytes;
}

static void add_up(struct seep_tree *tree)
{
	struct seep_tree_sum *sum = &tree->sum;

	memset(sum, 0, sizeof(*sum));
	for (size_t i = 0; i < tree->n; i++) {
		const struct seep_tree_member *member = &tree->members[i];
		const struct seep_member_status *status = &member->status;
		int64_t more = status->rss_bytes + status->swap_bytes - member->then_bytes;

		sum->processes++;
		sum->memory_bytes += at_least_0(member->own_bytes + more);
		sum->rss_bytes += status->rss_bytes;
		sum->swap_bytes += status->swap_bytes;
		sum->pss_bytes += at_least_0(member->pss_bytes + more);
		sum->private_bytes += at_least_0(member->private_bytes + more);
		sum->lazy_bytes += member->lazy_bytes;
		sum->has_pages = sum->has_pages || member->known;
		if (status->vm_bytes > sum->vm_bytes)
			sum->vm_bytes = status->vm_bytes;
	}
}

/* Searches before it reads: an unknown process would share pages but be missing in the sum. */
void seep_tree_look(struct seep_tree *tree, int64_t now_ns)
{
	if (now_ns >= tree->search_due_ns || now_ns >= tree->round_due_ns)
		search(tree, now_ns);
	read_all(tree);
	if (tree->ended)
		return;
	read_round(tree, now_ns);
	add_up(tree);
}
