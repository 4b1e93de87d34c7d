/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other processes, as /proc tells of them: texts of all kinds, then real ones. */
#include "os/tool/member.h"
#include "os/tool/proc.h"
#include "os/tool/tree.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB ((int64_t)1 << 20)
#define SHARED (96 * MIB)
#define OWN (8 * MIB)
#define SLACK (4 * MIB) /* stacks, libraries */
#define KIDS 3

static void reads_status(void **state)
{
	struct seep_member_status status;

	(void)state;
	assert_true(seep_member_parse_status(&status,
		"Name:\tmy worker\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t77\nNgid:\t0\n"
		"Pid:\t78\nPPid:\t1\nVmPeak:\t  9999 kB\nVmSize:\t  3060 kB\nVmRSS:\t  1752 kB\n"
		"RssAnon:\t     112 kB\nRssFile:\t    1600 kB\nRssShmem:\t      40 kB\n"
		"VmSwap:\t       7 kB\nThreads:\t1\n"));
	assert_string_equal(status.name, "my worker");
	assert_int_equal(status.pid, 78);
	assert_int_equal(status.tgid, 77);
	assert_int_equal(status.state, 'S');
	assert_true(status.has_memory);
	assert_int_equal(status.vm_bytes, 3060 * 1024);
	assert_int_equal(status.rss_bytes, 1752 * 1024);
	assert_int_equal(status.shmem_bytes, 40 * 1024);
	assert_int_equal(status.swap_bytes, 7 * 1024);
}

static void knows_who_has_no_memory(void **state)
{
	struct seep_member_status status;

	(void)state;
	assert_true(seep_member_parse_status(&status,
		"Name:\tsh\nState:\tZ (zombie)\nTgid:\t5\nPid:\t5\nThreads:\t1\n"));
	assert_false(status.has_memory);
	assert_int_equal(status.state, 'Z');
	assert_int_equal(status.rss_bytes, 0);
}

static void refuses_other_texts(void **state)
{
	static const char *const texts[] = {
		"", "\n", "Name:", "Name:\tx\nState:\tR\nPid:\t1\n", "Pid:\t1\nTgid:\t1\n",
		"Name:\tx\nState:\tR\nTgid:\t-4\nPid:\t5\n",
	};
	struct seep_member_status status;
	struct seep_member_pages pages;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_false(seep_member_parse_status(&status, texts[i]));
		assert_false(seep_member_parse_pages(&pages, texts[i]));
	}
	assert_true(seep_member_parse_status(&status, "Name:\tx\nState:\tR\nTgid:\t1\nPid:\t1\n"
					     "VmSize:\t99999999999999999999 kB\nVmRSS:\t1 kB\n"));
	assert_false(status.has_memory);
}

/* A name with the name of a field in it is no field. */
static void is_not_fooled_by_names(void **state)
{
	struct seep_member_status status;

	(void)state;
	assert_true(seep_member_parse_status(&status, "Name:\tVmRSS: 9 kB\nState:\tR\nTgid:\t1\n"
					     "Pid:\t1\nVmSize:\t10 kB\nVmRSS:\t4 kB\n"));
	assert_int_equal(status.rss_bytes, 4096);
}

static void reads_pages(void **state)
{
	struct seep_member_pages pages;

	(void)state;
	assert_true(seep_member_parse_pages(&pages,
		"557115e21000-7ffe3d367000 ---p 00000000 00:00 0    [rollup]\nRss:    1760 kB\n"
		"Pss:     224 kB\nPss_Dirty:  116 kB\nPss_Anon:   116 kB\nPss_File:  108 kB\n"
		"Shared_Clean:  1604 kB\nPrivate_Clean:   40 kB\nPrivate_Dirty:   116 kB\n"
		"Anonymous:    118 kB\nLazyFree:   12 kB\nSwap:   3 kB\n"));
	assert_int_equal(pages.rss_bytes, 1760 * 1024);
	assert_int_equal(pages.pss_bytes, 224 * 1024);
	assert_int_equal(pages.pss_file_bytes, 108 * 1024);
	assert_int_equal(pages.private_bytes, 156 * 1024);
	assert_int_equal(pages.anonymous_bytes, 118 * 1024);
	assert_int_equal(pages.lazy_bytes, 12 * 1024);
	assert_true(seep_member_parse_pages(&pages, "x\nRss: 4 kB\nPss: 2 kB\n"));
	assert_int_equal(pages.pss_file_bytes, -1);
}

static char *touch(int64_t bytes)
{
	char *p = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		_exit(1);
	madvise(p, (size_t)bytes, MADV_NOHUGEPAGE);
	memset(p, 1, (size_t)bytes);
	return p;
}

/* A root with children that share SHARED and have OWN each; told when all is there. */
static void be_root(int ready, int64_t lazy)
{
	char *shared, letter = 'x';
	int pipes[2], i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	shared = touch(SHARED);
	if (lazy && madvise(shared, (size_t)lazy, MADV_FREE))
		_exit(1);
	if (pipe(pipes))
		_exit(1);
	for (i = 0; i < KIDS && !lazy; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		touch(OWN);
		if (write(pipes[1], &letter, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	for (i = 0; i < KIDS && !lazy; i++)
		if (read(pipes[0], &letter, 1) != 1)
			_exit(1);
	if (write(ready, &letter, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static pid_t start_root(int64_t lazy)
{
	char letter;
	int pipes[2];
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		be_root(pipes[1], lazy);
	assert_int_equal(read(pipes[0], &letter, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static struct seep_tree tree;

/* What the root has besides: what this program has itself, which is much with a sanitizer. */
static int64_t besides(void)
{
	return SLACK + seep_proc_rss(getpid());
}

static void counts_what_is_shared_once(void **state)
{
	const struct seep_tree_sum *sum = &tree.sum;
	pid_t root = start_root(0);

	(void)state;
	assert_int_equal(seep_tree_open(&tree, root), 0);
	seep_tree_look(&tree, 1);
	assert_int_equal(sum->processes, 1 + KIDS);
	assert_true(sum->has_pages);
	assert_true(sum->memory_bytes > SHARED + KIDS * OWN - SLACK);
	assert_true(sum->memory_bytes < SHARED + KIDS * OWN + besides());
	assert_true(sum->rss_bytes > (1 + KIDS) * SHARED + KIDS * OWN - SLACK);
	assert_true(sum->private_bytes > KIDS * OWN - SLACK);
	assert_true(sum->private_bytes < KIDS * OWN + SLACK);
	end(root);
	seep_tree_look(&tree, 2);
	assert_true(tree.ended);
	seep_tree_close(&tree);
}

/* Children that come between two rounds bring their own; what they share is counted already. */
static void counts_newcomers_by_what_is_their_own(void **state)
{
	pid_t root = start_root(0);
	size_t i;

	(void)state;
	assert_int_equal(seep_tree_open(&tree, root), 0);
	seep_tree_look(&tree, 1);
	tree.round_due_ns = INT64_MAX / 2;
	for (i = 1; i < tree.n; i++)
		close(tree.members[i].fd);
	tree.n = 1;
	tree.members[0].own_bytes += SHARED - SHARED / (1 + KIDS); /* as it was without them */
	tree.search_due_ns = 0;
	seep_tree_look(&tree, 2);
	assert_int_equal(tree.sum.processes, 1 + KIDS);
	assert_true(tree.sum.memory_bytes > SHARED + KIDS * OWN - SLACK);
	assert_true(tree.sum.memory_bytes < SHARED + KIDS * OWN + besides());
	end(root);
	seep_tree_close(&tree);
}

static void leaves_out_what_the_kernel_may_take(void **state)
{
	pid_t root = start_root(SHARED / 2);

	(void)state;
	assert_int_equal(seep_tree_open(&tree, root), 0);
	seep_tree_look(&tree, 1);
	assert_true(tree.sum.rss_bytes > SHARED - SLACK);
	assert_true(tree.sum.lazy_bytes > SHARED / 2 - MIB);
	assert_true(tree.sum.memory_bytes < SHARED / 2 + besides());
	assert_true(tree.sum.memory_bytes > SHARED / 2 - MIB);
	end(root);
	seep_tree_close(&tree);
}

static void a_pid_that_is_gone(void **state)
{
	struct seep_member_status status;
	pid_t pid = start_root(MIB);
	int fd = seep_member_open(pid);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(seep_member_read(fd, &status), 0);
	assert_int_equal(status.pid, pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	assert_int_equal(seep_member_read(fd, &status), 0);
	assert_int_equal(status.state, 'Z');
	assert_false(status.has_memory);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(seep_member_read(fd, &status), -ESRCH);
	assert_int_equal(seep_member_open(pid), -ENOENT);
	assert_int_equal(seep_tree_open(&tree, pid), -ENOENT);
	close(fd);
}

/* Pages are read so seldom that it takes one part in 2000 of a core. */
static void reads_pages_as_often_as_it_may(void **state)
{
	int64_t second = 1000000000, now = second;
	pid_t root = start_root(0);
	int i;

	(void)state;
	assert_int_equal(seep_tree_open(&tree, root), 0);
	for (i = 0; i < 1000; i++, now += second / 1000)
		seep_tree_look(&tree, now);
	assert_true(tree.rounds >= 1);
	assert_true(tree.rounds < 20);
	end(root);
	seep_tree_close(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_status),
		cmocka_unit_test(knows_who_has_no_memory),
		cmocka_unit_test(refuses_other_texts),
		cmocka_unit_test(is_not_fooled_by_names),
		cmocka_unit_test(reads_pages),
		cmocka_unit_test(counts_what_is_shared_once),
		cmocka_unit_test(counts_newcomers_by_what_is_their_own),
		cmocka_unit_test(leaves_out_what_the_kernel_may_take),
		cmocka_unit_test(a_pid_that_is_gone),
		cmocka_unit_test(reads_pages_as_often_as_it_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
