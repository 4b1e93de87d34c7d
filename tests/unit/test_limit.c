/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "os/limit_tool.h"

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

static void put(const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *file;

	make_directories(path);
	snprintf(full, sizeof(full), "%s%s", root, path);
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
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

static void expect(size_t n, size_t i, int64_t bytes, const char *source)
{
	struct seep_limit_found found[ROOM];

	assert_int_equal(seep_limit_find(root, 0, found, ROOM), n);
	assert_int_equal(found[i].bytes, bytes);
	assert_string_equal(found[i].source, source);
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

static void test_machine_only(void **state)
{
	(void)state;
	expect(1, 0, 8192000000, "RAM");
	put("/proc/meminfo", "MemAvailable:    8000000 kB\nSwapFree:        1000000 kB\n");
	expect(1, 0, 9216000000, "RAM and swap");
}

static void test_nothing_readable(void **state)
{
	struct seep_limit_found found[ROOM];

	(void)state;
	assert_int_equal(seep_limit_find("/nonexistent", 0, found, ROOM), 0);
}

static void test_resource_limits(void **state)
{
	(void)state;
	put("/proc/self/limits",
	    "Limit                     Soft Limit           Hard Limit           Units     \n"
	    "Max data size             2000000000           unlimited            bytes     \n"
	    "Max address space         4000000000           unlimited            bytes     \n");
	expect(3, 0, 2000000000, "RLIMIT_DATA");
	expect(3, 1, 4000000000, "RLIMIT_AS");
	expect(3, 2, 8192000000, "RAM");
}

/* A limit at any level kills. */
static void test_ancestors(void **state)
{
	(void)state;
	mount_v2();
	put("/proc/self/cgroup", "0::/user.slice/job.scope/step\n");
	put("/sys/fs/cgroup/user.slice/job.scope/step/memory.max", "max\n");
	put("/sys/fs/cgroup/user.slice/job.scope/memory.max", "3000000000\n");
	put("/sys/fs/cgroup/user.slice/memory.max", "2000000000\n");
	expect(2, 0, 2000000000, "cgroup /user.slice");
	put("/sys/fs/cgroup/user.slice/job.scope/step/memory.max", "1000000000\n");
	expect(2, 0, 1000000000, "cgroup /user.slice/job.scope/step");
}

static void test_unlimited_group(void **state)
{
	(void)state;
	mount_v2();
	put("/proc/self/cgroup", "0::/\n");
	expect(1, 0, 8192000000, "RAM");
	put("/sys/fs/cgroup/memory.max", "max\n");
	expect(1, 0, 8192000000, "RAM");
	put("/sys/fs/cgroup/memory.max", "500000000\n");
	expect(2, 0, 500000000, "cgroup /");
}

/* In a container a part of the hierarchy is mounted, or the path leads out of it. */
static void test_container(void **state)
{
	(void)state;
	put("/proc/self/mountinfo",
	    "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put("/proc/self/cgroup", "0::/docker/abc/inner\n");
	put("/sys/fs/cgroup/inner/memory.max", "700000000\n");
	put("/sys/fs/cgroup/memory.max", "800000000\n");
	expect(2, 0, 700000000, "cgroup /inner");
	put("/proc/self/cgroup", "0::/../other\n");
	expect(2, 0, 800000000, "cgroup /");
}

static void test_version_1(void **state)
{
	(void)state;
	mount_v1();
	put("/proc/self/cgroup", "5:cpu,cpuacct:/slow\n4:memory:/batch/job\n0::/\n");
	put("/sys/fs/cgroup/mem ory/batch/job/memory.limit_in_bytes", "9223372036854771712\n");
	put("/sys/fs/cgroup/mem ory/batch/job/memory.stat",
	    "cache 0\nrss 0\nhierarchical_memory_limit 600000000\n");
	expect(2, 0, 600000000, "cgroup /batch/job");
	put("/sys/fs/cgroup/mem ory/batch/job/memory.stat",
	    "hierarchical_memory_limit 9223372036854771712\n");
	expect(1, 0, 8192000000, "RAM");
	put("/sys/fs/cgroup/mem ory/batch/memory.limit_in_bytes", "550000000\n");
	expect(2, 0, 550000000, "cgroup /batch");
}

static void test_nonsense(void **state)
{
	(void)state;
	put("/proc/self/mountinfo", "\n - \n30 23\n 1 2 3 4 - cgroup2\nx - cgroup2 y z\n");
	put("/proc/self/cgroup", "::\n0\n:::::\n");
	put("/proc/self/limits", "Max address space\nMax data size -5\n");
	put("/proc/meminfo", "MemAvailable: 99999999999999999999999 kB\n");
	{
		struct seep_limit_found found[ROOM];

		assert_int_equal(seep_limit_find(root, 0, found, ROOM), 0);
	}
}

static void test_room(void **state)
{
	struct seep_limit_found found[1];

	(void)state;
	put("/proc/self/limits", "Max data size 2000000000\nMax address space 4000000000\n");
	assert_int_equal(seep_limit_find(root, 0, found, 1), 1);
	assert_int_equal(seep_limit_find(root, 0, found, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_machine_only, set_up, tear_down),
		cmocka_unit_test(test_nothing_readable),
		cmocka_unit_test_setup_teardown(test_resource_limits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ancestors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unlimited_group, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_container, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_version_1, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nonsense, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_room, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
