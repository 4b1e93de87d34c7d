/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of this process that may not be there. */
#include "os/process.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE ((size_t)4096)

/* 0, or the number of the first check that failed. */
static int peek(void)
{
	char *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);
	char found[16] = "";

	if (map == MAP_FAILED || munmap(map + PAGE, PAGE))
		return 1;
	memcpy(map + PAGE - 6, "hello", 6);
	errno = 77;
	if (!seep_process_peek((uintptr_t)map + PAGE - 6, found, 6) || strcmp(found, "hello"))
		return 2;
	if (seep_process_peek((uintptr_t)map + PAGE, found, 1))
		return 3;
	if (seep_process_peek((uintptr_t)map + PAGE - 6, found, 7))
		return 4;
	if (seep_process_peek(8, found, 8))
		return 5;
	return errno == 77 ? 0 : 6;
}

static void peeks(void **state)
{
	(void)state;
	assert_int_equal(peek(), 0);
}

/* As in containers: the filter fails the call by which memory is usually read. */
static int forbid_and_peek(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(steps) / sizeof(steps[0]), steps };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 99;
	return peek();
}

static void peeks_where_that_is_forbidden(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid)
		_exit(forbid_and_peek());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 99)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(peeks),
		cmocka_unit_test(peeks_where_that_is_forbidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
