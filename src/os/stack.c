/* SPDX-License-Identifier: MIT */
#include "os/stack.h"

#include "os/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPAN_MAX ((uintptr_t)256 << 20)
#define PAGE_MASK ((uintptr_t)4095)

extern void *__libc_stack_end; /* the top of the main thread's stack, from the loader */

/* The stack of the main thread lies above everything that is mapped, descriptors of threads too. */
static bool is_main_thread(void)
{
	long tid = seep_syscall(SYS_gettid);

	if (tid < 0)
		return (uintptr_t)&tid > (uintptr_t)pthread_self();
	return seep_syscall(SYS_getpid) == tid;
}

/*
 * The main thread's stack ends at __libc_stack_end.  In every other thread the
 * C library puts its descriptor, which is pthread_self(), at the top of the stack.
 */
bool seep_stack_own(struct seep_stack_bounds *bounds)
{
	uintptr_t span = SPAN_MAX;
	struct rlimit limit;

	bool is_main = is_main_thread();

	if (is_main) {
		bounds->high = ((uintptr_t)__libc_stack_end + PAGE_MASK) & ~PAGE_MASK;
		if (!seep_silence_is_on() && !getrlimit(RLIMIT_STACK, &limit) &&
		    limit.rlim_cur < SPAN_MAX)
			span = (uintptr_t)limit.rlim_cur;
	} else {
		bounds->high = (uintptr_t)pthread_self();
	}
	bounds->low = bounds->high > span ? bounds->high - span : 0;
	return is_main;
}

struct maps_parser {
	uintptr_t start, end, number;
	int field;               /* 0: in the start, 1: in the end, 2: in the rest of the line */
};

/* Feeds one letter; true when a whole "start-end" has been read. */
static bool feed(struct maps_parser *parser, char c)
{
	if (c == '\n') {
		parser->field = 0;
		parser->number = 0;
		return false;
	}
	if (parser->field == 2)
		return false;
	if (c >= '0' && c <= '9') {
		parser->number = parser->number * 16 + (uintptr_t)(c - '0');
		return false;
	}
	if (c >= 'a' && c <= 'f') {
		parser->number = parser->number * 16 + (uintptr_t)(c - 'a' + 10);
		return false;
	}
	if (parser->field == 0)
		parser->start = parser->number;
	else
		parser->end = parser->number;
	parser->number = 0;
	return ++parser->field == 2;
}

bool seep_stack_find(uintptr_t sp, struct seep_stack_bounds *bounds)
{
	struct maps_parser parser = {0};
	char text[512];
	int saved = errno;
	bool found = false;
	long n, i;
	int fd = (int)seep_syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		errno = saved;
		return false;
	}
	while (!found && (n = seep_syscall(SYS_read, fd, text, sizeof(text))) > 0) {
		for (i = 0; i < n && !found; i++)
			found = feed(&parser, text[i]) && sp >= parser.start && sp < parser.end;
	}
	seep_syscall(SYS_close, fd);
	errno = saved;
	if (found) {
		bounds->low = parser.start;
		bounds->high = parser.end;
	}
	return found;
}
