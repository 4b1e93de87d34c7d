/* SPDX-License-Identifier: MIT */
#include "os/tool/own_stack.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#define STACK_BYTES ((size_t)8 << 20)
#define ENOUGH_BYTES ((size_t)4 << 20) /* with such a limit the first stack will do */
#define GUARD_BYTES ((size_t)64 << 10)

static struct {
	ucontext_t before, own;
	int (*work)(int argc, char **argv);
	int argc;
	char **argv;
	int result;
} call;

static void begin(void)
{
	call.result = call.work(call.argc, call.argv);
}

int seep_own_stack_run(int (*work)(int argc, char **argv), int argc, char **argv)
{
	struct rlimit limit;
	char *stack;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= ENOUGH_BYTES)
		return work(argc, argv);
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE) ||
	    getcontext(&call.own))
		return work(argc, argv);
	call.work = work;
	call.argc = argc;
	call.argv = argv;
	call.own.uc_stack.ss_sp = stack;
	call.own.uc_stack.ss_size = STACK_BYTES;
	call.own.uc_link = &call.before;
	makecontext(&call.own, begin, 0);
	return swapcontext(&call.before, &call.own) ? work(argc, argv) : call.result;
}
