/* SPDX-License-Identifier: MIT */
/*
 * Programs that put themselves into a sandbox: a seccomp filter may end them for a system call that
 * they never make, and the tracker does.  Recording ends just before the filter is there.
 *
 * The C library has no function for seccomp(2): programs and libseccomp call syscall().
 */
#include "record/heap/hook/hooks.h"
#include "record/heap/start.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ERRORS 4095ul /* the kernel returns the last so many numbers for an error */

HOOK int prctl(int option, ...);
HOOK long syscall(long number, ...);

/* The C library's syscall() is our own hook. */
static long call(long number, const long *a)
{
	register long fourth __asm__("r10") = a[3];
	register long fifth __asm__("r8") = a[4];
	register long sixth __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(fourth), "r"(fifth),
			   "r"(sixth)
			 : "rcx", "r11", "memory");
	if ((unsigned long)result < -ERRORS)
		return result;
	errno = (int)-result;
	return -1;
}

static void take_arguments(long *a, int n, va_list rest)
{
	int i;

	for (i = 0; i < n; i++)
		a[i] = va_arg(rest, long);
}

/* Calls with a filter of NULL only ask whether there could be one. */
int prctl(int option, ...)
{
	long a[6] = {option};
	va_list rest;

	va_start(rest, option);
	take_arguments(a + 1, 4, rest);
	va_end(rest);
	if (option == PR_SET_SECCOMP &&
	    (a[1] == SECCOMP_MODE_STRICT || (a[1] == SECCOMP_MODE_FILTER && a[2])))
		seep_start_silence();
	return (int)call(SYS_prctl, a);
}

long syscall(long number, ...)
{
	va_list rest;
	long a[6];

	va_start(rest, number);
	take_arguments(a, 6, rest);
	va_end(rest);
	if (UNLIKELY(number == SYS_seccomp) &&
	    ((a[0] == SECCOMP_SET_MODE_STRICT && !a[1]) ||
	     (a[0] == SECCOMP_SET_MODE_FILTER && a[2])))
		seep_start_silence();
	return call(number, a);
}
