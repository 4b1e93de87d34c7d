/* SPDX-License-Identifier: MIT */
/*
 * Programs that put themselves into a sandbox: a seccomp filter may end them for a system call that
 * they never make, and the tracker does.  Just before the filter is there, the tracker changes to
 * ways that need none (seep_start_silence).
 *
 * The C library has no function for seccomp(2): programs and libseccomp call syscall().  Ours is
 * the C library's, instruction by instruction, but for a comparison at its start: it has no frame,
 * so that a new process on a new stack returns as it does from there.
 */
#include "record/heap/hook/hooks.h"
#include "record/heap/start.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

HOOK int prctl(int option, ...);
HOOK long syscall(long number, ...);

/* What syscall() jumps to. */
__attribute__((used, noinline)) long seep_sandbox_seccomp(long number, long operation, long flags,
							   const void *filter);
__attribute__((used, noinline)) long seep_sandbox_fail(long result);

long seep_sandbox_fail(long result)
{
	errno = (int)-result;
	return -1;
}

/* Number and arguments move down by one register; the last argument is on the stack. */
__attribute__((naked)) static long call(long number __attribute__((unused)), ...)
{
	__asm__("mov %rdi, %rax\n\t"
		"mov %rsi, %rdi\n\t"
		"mov %rdx, %rsi\n\t"
		"mov %rcx, %rdx\n\t"
		"mov %r8, %r10\n\t"
		"mov %r9, %r8\n\t"
		"mov 8(%rsp), %r9\n\t"
		"syscall\n\t"
		"cmp $-4095, %rax\n\t" /* the last so many numbers stand for an error */
		"jae 1f\n\t"
		"ret\n"
		"1:\n\t"
		"mov %rax, %rdi\n\t"
		"jmp seep_sandbox_fail");
}

/* Calls with a filter of NULL only ask whether there could be one. */
int prctl(int option, ...)
{
	va_list rest;
	long a[4];
	int i;

	va_start(rest, option);
	for (i = 0; i < 4; i++)
		a[i] = va_arg(rest, long);
	va_end(rest);
	if (option == PR_SET_SECCOMP &&
	    (a[0] == SECCOMP_MODE_STRICT || (a[0] == SECCOMP_MODE_FILTER && a[1])))
		seep_start_silence();
	return (int)call(SYS_prctl, option, a[0], a[1], a[2], a[3]);
}

long seep_sandbox_seccomp(long number, long operation, long flags, const void *filter)
{
	if ((operation == SECCOMP_SET_MODE_STRICT && !flags) ||
	    (operation == SECCOMP_SET_MODE_FILTER && filter))
		seep_start_silence();
	return call(number, operation, flags, filter);
}

__attribute__((naked)) long syscall(long number __attribute__((unused)), ...)
{
	__asm__("cmp %0, %%rdi\n\t"
		"je seep_sandbox_seccomp\n\t"
		"jmp %P1"
		:
		: "i"(SYS_seccomp), "i"(call));
}
