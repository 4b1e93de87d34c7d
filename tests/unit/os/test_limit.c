/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "os/tool/limit.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ROOM 8

/* A made-up system below a temporary directory. */
static char root[PATH_MAX];

static void make_directories(const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		assert_true(!mkdir(full, 0755) || errno == EEXIST);
		*slash = '/';
	}
}

static void put_bytes(const char *path, const char *text, size_t bytes)
{
	char full[PATH_MAX];
	FILE *file;

	make_directories(path);
	snprintf(full, sizeof(full), "%s%s", root, path);
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	fclose(file);
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

static int set_up(void **state)
{
	const char *directory = getenv("TMPDIR");

	(void)state;
	snprintf(root, sizeof(root), "%s/seep-limit-XXXXXX", directory ? directory : "/tmp");
	if (!mkdtemp(root))
		return -1;
	put("/proc/self/limits",
	    "Limit                     Soft Limit           Hard Limit           Units     \n"
	    "Max data size             unlimited            unlimited            bytes     \n"
	    "Max address space         unlimited            unlimited            bytes     \n");
	put("/proc/meminfo", "MemTotal:       16000000 kB\n"
			     "MemFree:         1000000 kB\n"
			     "MemAvailable:    8000000 kB\n"
			     "SwapTotal:             0 kB\n"
			     "SwapFree:              0 kB\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

/* The i-th of n limits. */
static struct seep_limit_found expect(size_t n, size_t i, int64_t bytes, const char *source)
{
	struct seep_limit_found found[ROOM];

	assert_int_equal(seep_limit_find(root, 0, found, ROOM), n);
	assert_string_equal(found[i].source, source);
	assert_int_equal(found[i].bytes, bytes);
	return found[i];
}

/* The same for one that others use a part of. */
static void expect_shared(size_t n, size_t i, int64_t bytes, const char *source, int64_t others)
{
	struct seep_limit_found limit = expect(n, i, bytes, source);

	assert_int_equal(limit.scope, SEEP_LIMIT_SCOPE_GROUP);
	assert_int_equal(limit.others_bytes, others);
	assert_int_equal(seep_limit_left(&limit), bytes > others ? bytes - others : 0);
}

static void expect_nothing(void)
{
	struct seep_limit_found found[ROOM];

	assert_int_equal(seep_limit_find(root, 0, found, ROOM), 0);
}

/* Other tests than those of the machine start without it. */
static void forget_machine(void)
{
	put("/proc/meminfo", "");
}

static void mount_v2(void)
{
	put("/proc/self/mountinfo",
	    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
}

static void mount_v1(void)
{
	put("/proc/self/mountinfo",
	    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
	    "34 31 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
	    "35 31 0:32 / /sys/fs/cgroup/mem\\040ory rw - cgroup cgroup rw,memory\n");
}

/* What is not available is used by others. */
static void test_machine_only(void **state)
{
	(void)state;
	expect_shared(1, 0, 16384000000, "RAM", 8192000000);
	put("/proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n"
			     "SwapTotal: 2000000 kB\nSwapFree: 1000000 kB\n");
	expect_shared(1, 0, 18432000000, "RAM and swap", 9216000000);
	put("/proc/meminfo", "MemAvailable: 8000000 kB\nSwapFree: 1000000 kB\n");
	expect_shared(1, 0, 9216000000, "RAM and swap", 0);
}

static void test_nothing_readable(void **state)
{
	struct seep_limit_found found[ROOM];

	(void)state;
	assert_int_equal(seep_limit_find("/nonexistent", 0, found, ROOM), 0);
}

/* They bound addresses, not memory. */
static void test_resource_limits(void **state)
{
	(void)state;
	put("/proc/self/limits",
	    "Limit                     Soft Limit           Hard Limit           Units     \n"
	    "Max data size             2000000000           unlimited            bytes     \n"
	    "Max resident set          1000000000           unlimited            bytes     \n"
	    "Max address space         4000000000           unlimited            bytes     \n");
	assert_int_equal(expect(3, 0, 2000000000, "RLIMIT_DATA").scope,
			 SEEP_LIMIT_SCOPE_ADDRESSES);
	assert_int_equal(expect(3, 1, 4000000000, "RLIMIT_AS").scope,
			 SEEP_LIMIT_SCOPE_ADDRESSES);
	expect(3, 2, 16384000000, "RAM");
}

static void test_another_process(void **state)
{
	struct seep_limit_found found[ROOM];

	(void)state;
	forget_machine();
	put("/proc/4131/limits", "Max address space 3000000000 unlimited bytes\n");
	assert_int_equal(seep_limit_find(root, 4131, found, ROOM), 1);
	assert_int_equal(found[0].bytes, 3000000000);
	assert_int_equal(seep_limit_find(root, 0, found, ROOM), 0);
}

/* A limit at any level kills, and what others use at that level counts. */
static void test_ancestors(void **state)
{
	(void)state;
	forget_machine();
	mount_v2();
	put("/proc/self/cgroup", "0::/user.slice/job.scope/step\n");
	put("/sys/fs/cgroup/user.slice/job.scope/step/memory.max", "max\n");
	put("/sys/fs/cgroup/user.slice/job.scope/memory.max", "2000000000\n");
	put("/sys/fs/cgroup/user.slice/memory.max", "3000000000\n");
	expect_shared(2, 0, 2000000000, "cgroup /user.slice/job.scope memory.max", 0);
	expect_shared(2, 1, 3000000000, "cgroup /user.slice memory.max", 0);
	put("/sys/fs/cgroup/user.slice/memory.current", "2500000000\n");
	put("/sys/fs/cgroup/user.slice/memory.stat",
	    "anon 1\nfile 700000000\ninactive_file 400000000\nactive_file 300000000\n");
	put("/sys/fs/cgroup/user.slice/job.scope/memory.current", "100000000\n");
	expect_shared(2, 0, 3000000000, "cgroup /user.slice memory.max", 2100000000);
	expect_shared(2, 1, 2000000000, "cgroup /user.slice/job.scope memory.max", 100000000);
	put("/sys/fs/cgroup/user.slice/job.scope/step/memory.max", "800000000\n");
	expect(3, 0, 800000000, "cgroup /user.slice/job.scope/step memory.max");
	put("/sys/fs/cgroup/user.slice/memory.current", "3500000000\n");
	put("/sys/fs/cgroup/user.slice/memory.stat", "inactive_file 4\n");
	expect_shared(3, 0, 3000000000, "cgroup /user.slice memory.max", 3499999996);
}

/* memory.high only slows down: it is told, but never first. */
static void test_throttling(void **state)
{
	(void)state;
	mount_v2();
	put("/proc/self/cgroup", "0::/job\n");
	put("/sys/fs/cgroup/job/memory.high", "300000000\n");
	put("/sys/fs/cgroup/job/memory.max", "500000000\n");
	put("/sys/fs/cgroup/job/memory.current", "100000000\n");
	assert_false(expect(3, 0, 500000000, "cgroup /job memory.max").slows);
	expect(3, 1, 16384000000, "RAM");
	assert_true(expect(3, 2, 300000000, "cgroup /job memory.high").slows);
	expect_shared(3, 2, 300000000, "cgroup /job memory.high", 100000000);
}

/* What may be swapped out does not count, as far as every level and the machine allow it. */
static void test_swap_of_groups(void **state)
{
	(void)state;
	put("/proc/meminfo", "SwapFree: 1000000 kB\n");
	mount_v2();
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/sys/fs/cgroup/a/b/memory.max", "500000000\n");
	expect(1, 0, 1524000000, "cgroup /a/b memory.max and swap");
	put("/sys/fs/cgroup/a/b/memory.swap.max", "max\n");
	put("/sys/fs/cgroup/a/memory.swap.max", "300000000\n");
	put("/sys/fs/cgroup/a/memory.swap.current", "100000000\n");
	expect(1, 0, 700000000, "cgroup /a/b memory.max and swap");
	put("/sys/fs/cgroup/a/b/memory.swap.max", "0\n");
	expect(1, 0, 500000000, "cgroup /a/b memory.max");
}

static void test_unlimited_group(void **state)
{
	(void)state;
	mount_v2();
	put("/proc/self/cgroup", "0::/\n");
	expect(1, 0, 16384000000, "RAM");
	put("/sys/fs/cgroup/memory.max", "max\n");
	expect(1, 0, 16384000000, "RAM");
	put("/sys/fs/cgroup/memory.max", "500000000\n");
	expect(2, 0, 500000000, "cgroup / memory.max");
}

/* In a container a part of the hierarchy is mounted, or the path leads out of it. */
static void test_container(void **state)
{
	(void)state;
	forget_machine();
	put("/proc/self/mountinfo",
	    "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put("/proc/self/cgroup", "0::/docker/abc/inner\n");
	put("/sys/fs/cgroup/inner/memory.max", "700000000\n");
	put("/sys/fs/cgroup/memory.max", "800000000\n");
	expect(2, 0, 700000000, "cgroup /inner memory.max");
	put("/proc/self/cgroup", "0::/docker/abcd\n"); /* not below it, though it begins alike */
	expect(1, 0, 800000000, "cgroup / memory.max");
	put("/proc/self/cgroup", "0::/../other\n");
	expect(1, 0, 800000000, "cgroup / memory.max");
}

/* A mount from outside a namespace: the levels between it and the group have no names here. */
static void test_namespace(void **state)
{
	(void)state;
	forget_machine();
	put("/proc/self/mountinfo",
	    "30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put("/proc/self/cgroup", "0::/inner\n");
	put("/sys/fs/cgroup/inner/memory.max", "600000000\n"); /* some other group */
	put("/sys/fs/cgroup/memory.max", "900000000\n");
	expect(1, 0, 900000000, "cgroup / memory.max");
	put("/proc/self/mountinfo",
	    "30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	    "31 23 0:26 / /own rw - cgroup2 cgroup2 rw\n");
	put("/own/inner/memory.max", "500000000\n");
	expect(1, 0, 500000000, "cgroup /inner memory.max");
}

/* Of several mounts the one that shows more of the ancestors is read. */
static void test_many_mounts(void **state)
{
	(void)state;
	forget_machine();
	put("/proc/self/mountinfo",
	    "30 23 0:26 /else /m1 rw - cgroup2 cgroup2 rw\n"
	    "31 23 0:26 /a/b /m2 rw - cgroup2 cgroup2 rw\n"
	    "32 23 0:26 /a /m3 rw - cgroup2 cgroup2 rw\n");
	put("/proc/self/cgroup", "0::/a/b/c\n");
	put("/m1/memory.max", "100000000\n");
	put("/m2/memory.max", "200000000\n");
	put("/m3/memory.max", "300000000\n");
	put("/m3/b/c/memory.max", "400000000\n");
	expect(2, 0, 300000000, "cgroup / memory.max");
	expect(2, 1, 400000000, "cgroup /b/c memory.max");
}

static void test_version_1(void **state)
{
	(void)state;
	forget_machine();
	mount_v1();
	put("/proc/self/cgroup", "5:cpu,cpuacct:/slow\n4:memory:/batch/job\n0::/\n");
	put("/sys/fs/cgroup/mem ory/batch/job/memory.limit_in_bytes", "9223372036854771712\n");
	expect_nothing();
	put("/sys/fs/cgroup/mem ory/batch/memory.limit_in_bytes", "550000000\n");
	put("/sys/fs/cgroup/mem ory/batch/memory.usage_in_bytes", "250000000\n");
	put("/sys/fs/cgroup/mem ory/batch/memory.stat",
	    "inactive_file 1\ntotal_inactive_file 50000000\n");
	expect_shared(1, 0, 550000000, "cgroup /batch memory.limit_in_bytes", 200000000);
	put("/sys/fs/cgroup/mem ory/memory.limit_in_bytes", "450000000\n");
	expect(2, 1, 450000000, "cgroup / memory.limit_in_bytes");
}

/* The smallest of the ancestors that cannot be seen. */
static void test_hidden_ancestors(void **state)
{
	(void)state;
	forget_machine();
	mount_v1();
	put("/proc/self/cgroup", "4:memory:/batch/job\n");
	put("/sys/fs/cgroup/mem ory/batch/job/memory.limit_in_bytes", "700000000\n");
	put("/sys/fs/cgroup/mem ory/batch/job/memory.usage_in_bytes", "1000\n");
	put("/sys/fs/cgroup/mem ory/batch/job/memory.stat",
	    "cache 0\nrss 0\nhierarchical_memory_limit 600000000\n");
	expect_shared(2, 0, 600000000, "cgroup /batch/job hierarchical_memory_limit", 1000);
	put("/sys/fs/cgroup/mem ory/batch/memory.limit_in_bytes", "600000000\n");
	expect(2, 1, 700000000, "cgroup /batch/job memory.limit_in_bytes");
	expect(2, 0, 600000000, "cgroup /batch memory.limit_in_bytes");
}

/* Swap counts against a limit of its own. */
static void test_version_1_swap(void **state)
{
	(void)state;
	put("/proc/meminfo", "SwapFree: 1000000 kB\n");
	mount_v1();
	put("/proc/self/cgroup", "4:memory:/job\n");
	put("/sys/fs/cgroup/mem ory/job/memory.limit_in_bytes", "500000000\n");
	put("/sys/fs/cgroup/mem ory/job/memory.memsw.limit_in_bytes", "600000000\n");
	put("/sys/fs/cgroup/mem ory/job/memory.memsw.usage_in_bytes", "70000000\n");
	expect_shared(2, 0, 600000000, "cgroup /job memory.memsw.limit_in_bytes", 70000000);
	expect(2, 1, 1524000000, "cgroup /job memory.limit_in_bytes and swap");
}

/* Version 2 is mounted as well, but memory is with version 1. */
static void test_hybrid(void **state)
{
	(void)state;
	put("/proc/self/mountinfo",
	    "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
	put("/proc/self/cgroup", "4:memory:/job\n0::/user.slice\n");
	put("/sys/fs/cgroup/unified/user.slice/cgroup.procs", "1\n");
	put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "500000000\n");
	expect(2, 0, 500000000, "cgroup /job memory.limit_in_bytes");
	expect(2, 1, 16384000000, "RAM");
}

/* The front of a path too long to be told is left out. */
static void test_long_path(void **state)
{
	char path[PATH_MAX], group[600] = "";
	struct seep_limit_found found[ROOM];

	(void)state;
	for (size_t i = 0; i < 30; i++)
		strcat(group, "/kubepods.slice");
	forget_machine();
	mount_v2();
	snprintf(path, sizeof(path), "0::%s/inner\n", group);
	put("/proc/self/cgroup", path);
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/inner/memory.max", group);
	put(path, "500000000\n");
	assert_int_equal(seep_limit_find(root, 0, found, ROOM), 1);
	assert_true(!strncmp(found[0].source, "cgroup ...", 10));
	assert_non_null(strstr(found[0].source, "/inner memory.max"));
}

#define PUT_ENVIRONMENT(text) put_bytes("/proc/self/environ", text, sizeof(text))

static void test_slurm(void **state)
{
	(void)state;
	forget_machine();
	PUT_ENVIRONMENT("HOME=/\0SLURM_MEM_PER_NODE=2048\0SLURM_CPUS_ON_NODE=4");
	expect_shared(1, 0, 2147483648, "Slurm SLURM_MEM_PER_NODE", 0);
	PUT_ENVIRONMENT("SLURM_MEM_PER_CPU=1000\0SLURM_CPUS_ON_NODE=4\0");
	expect(1, 0, 4194304000, "Slurm SLURM_MEM_PER_CPU");
	PUT_ENVIRONMENT("SLURM_MEM_PER_CPU=1G\0SLURM_JOB_CPUS_PER_NODE=8(x2),4");
	expect(1, 0, 8589934592, "Slurm SLURM_MEM_PER_CPU");
	PUT_ENVIRONMENT("SLURM_MEM_PER_NODE=0\0SLURM_MEM_PER_CPU=500");
	expect(1, 0, 524288000, "Slurm SLURM_MEM_PER_CPU");
	PUT_ENVIRONMENT("SLURM_MEM_PER_NODE=0"); /* all that the node has */
	expect_nothing();
	PUT_ENVIRONMENT("XSLURM_MEM_PER_NODE=5\0SLURM_MEM_PER_NODES=6\0SLURM_MEM_PER_NODE=2x\0"
			"SLURM_MEM_PER_CPU=99999999999999999999");
	expect_nothing();
}

/* The job's group is there as well, and tells what the others in it use. */
static void test_slurm_with_groups(void **state)
{
	(void)state;
	mount_v1();
	PUT_ENVIRONMENT("SLURM_MEM_PER_NODE=1000");
	put("/proc/self/cgroup", "4:memory:/slurm/uid_7/job_42/step_0\n");
	put("/sys/fs/cgroup/mem ory/slurm/uid_7/job_42/memory.limit_in_bytes", "1048576000\n");
	put("/sys/fs/cgroup/mem ory/slurm/uid_7/job_42/memory.usage_in_bytes", "48576000\n");
	put("/proc/self/limits", "Max address space 900000000 unlimited bytes\n");
	expect(4, 0, 900000000, "RLIMIT_AS");
	expect_shared(4, 1, 1048576000,
		      "cgroup /slurm/uid_7/job_42 memory.limit_in_bytes", 48576000);
	expect(4, 2, 1048576000, "Slurm SLURM_MEM_PER_NODE");
}

static void test_nonsense(void **state)
{
	(void)state;
	put("/proc/self/mountinfo", "\n - \n30 23\n 1 2 3 4 - cgroup2\nx - cgroup2 y z\n");
	put("/proc/self/cgroup", "::\n0\n:::::\n");
	put("/proc/self/limits", "Max address space\nMax data size -5\n");
	put("/proc/meminfo", "MemAvailable: 99999999999999999999999 kB\n");
	PUT_ENVIRONMENT("=\0\0SLURM_MEM_PER_NODE");
	expect_nothing();
	mount_v2();
	put("/proc/self/cgroup", "0::/job\n");
	put("/sys/fs/cgroup/job/memory.max", "12GB\n");
	put("/sys/fs/cgroup/memory.max", "");
	expect_nothing();
	put("/sys/fs/cgroup/job/memory.max", "5000\n");
	put("/sys/fs/cgroup/job/memory.current", "-7\n");
	put("/sys/fs/cgroup/job/memory.stat", "inactive_file\n\n");
	expect_shared(1, 0, 5000, "cgroup /job memory.max", 0);
	put("/sys/fs/cgroup/job/memory.current", "700\n");
	put("/sys/fs/cgroup/job/memory.stat", "inactive_file 99999\n"); /* more than there is */
	expect_shared(1, 0, 5000, "cgroup /job memory.max", 700);
}

/* A directory where a file should be stands for what may not be read: root reads everything. */
static void test_unreadable(void **state)
{
	(void)state;
	forget_machine();
	mount_v2();
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/sys/fs/cgroup/a/b/memory.max/x", "1\n");
	put("/sys/fs/cgroup/a/memory.max", "500000000\n");
	put("/sys/fs/cgroup/a/memory.current/x", "1\n");
	put("/proc/self/environ/x", "1\n");
	expect_shared(1, 0, 500000000, "cgroup /a memory.max", 0);
}

static void test_room(void **state)
{
	struct seep_limit_found found[1];

	(void)state;
	put("/proc/self/limits", "Max data size 2000000000\nMax address space 1000000000\n");
	assert_int_equal(seep_limit_find(root, 0, found, 1), 1);
	assert_string_equal(found[0].source, "RLIMIT_AS");
	assert_int_equal(seep_limit_find(root, 0, found, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_machine_only, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nothing_readable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_resource_limits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_another_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ancestors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_throttling, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_swap_of_groups, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unlimited_group, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_container, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_namespace, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_many_mounts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_version_1, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hidden_ancestors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_version_1_swap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hybrid, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_long_path, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_slurm, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_slurm_with_groups, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nonsense, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unreadable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_room, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
