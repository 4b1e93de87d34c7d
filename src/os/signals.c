/* SPDX-License-Identifier: MIT */
#include "os/signals.h"

#include "os/silence.h"
#include "os/stack.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES 1024 /* a stamp needs less, see tests/truth/stack/stack_use.c */
#define SCANNED_MAX ((uintptr_t)16 << 20)

#define SETTLE_TURNS 5000       /* of a millisecond */

bool seep_silence;
bool seep_silence_is_broken;
uint32_t seep_silence_threads;
const int64_t *seep_silence_now;

/*
 * A thread holds signals with a system call only if it does not hold them already.  depth is only
 * changed while they are blocked, so a handler never sees it in between.
 */
static __thread struct {
	uint64_t before;         /* the mask to restore */
	uint32_t depth;
	bool blocks;             /* there is one to restore */
} held __attribute__((tls_model("initial-exec")));

#define BIT(number) ((uint64_t)1 << ((number) - 1))
#define SETXID 33 /* the C library's own; its handler returns */

/* Not pthread_sigmask, which never blocks the signal by which threads are cancelled. */
static void set_mask(int how, const uint64_t *mask, uint64_t *before)
{
	int saved = errno;

	syscall(SYS_rt_sigprocmask, how, mask, before, sizeof(*mask));
	errno = saved;
}

/*
 * If the stack runs over, let it be here and not with a lock taken.  The stack pointer moves, as
 * valgrind wants it.
 */
__attribute__((noinline, no_sanitize("address"))) static void touch_stack(void)
{
	volatile char room[STACK_BYTES];

	__asm__ volatile("" : "=m"(room[0])); /* so that it is no uninitialised byte */
	(void)room[0];
}

static bool enter(void)
{
	int saved = errno;
	bool may = seep_silence_enter();

	errno = saved;
	return may;
}

void seep_signals_hold(void)
{
	static const uint64_t held_back = ~(BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGSEGV) |
					    BIT(SIGSYS) | BIT(SIGTRAP) | BIT(SETXID));
	uint64_t before = 0;

	if (!held.depth) {
		touch_stack();
		if (enter()) {
			set_mask(SIG_BLOCK, &held_back, &before);
			held.before = before;
			held.blocks = true;
		}
	}
	held.depth++;
}

void seep_signals_release(void)
{
	uint64_t before = held.before;

	if (--held.depth || !held.blocks)
		return;
	held.blocks = false;
	set_mask(SIG_SETMASK, &before, NULL);
	seep_silence_leave(0);
}

void seep_signals_forked(void)
{
	__atomic_store_n(&seep_silence_threads, held.blocks ? 1u : 0u, __ATOMIC_SEQ_CST);
}

void seep_silence_begin(const int64_t *now)
{
	__atomic_store_n(&seep_silence_now, now, __ATOMIC_RELEASE);
	__atomic_store_n(&seep_silence, true, __ATOMIC_SEQ_CST);
}

/* The caller may hold signals itself.  No filter is there yet, so it may sleep. */
void seep_silence_settle(void)
{
	const struct timespec turn = {0, 1000000};
	uint32_t own = held.blocks ? 1 : 0, i;
	int saved = errno;

	for (i = 0; i < SETTLE_TURNS; i++) {
		if (__atomic_load_n(&seep_silence_threads, __ATOMIC_SEQ_CST) <= own)
			break;
		syscall(SYS_nanosleep, &turn, NULL);
	}
	errno = saved;
}

#ifdef __x86_64__

#define USER_CS 0x33 /* the code segment of every 64-bit program */

/* The kernel's form, with the address that a handler returns to, which the C library hides. */
struct action {
	void (*handler)(int);
	unsigned long flags;
	uintptr_t restorer;
	uint64_t mask;
};

/* What the kernel puts on the stack for a handler. */
struct frame {
	uintptr_t restorer;
	ucontext_t context;
};

/* Handlers that return to the same address: in most programs, all of them. */
struct handlers {
	uintptr_t restorer;
	uint64_t held;           /* their signals that are blocked now, as while a handler runs */
	bool unheld;             /* one of them is not blocked while it is handled (SA_NODEFER) */
};

/* False if the signal has no handler. */
static bool find_action(int number, struct action *action)
{
	return !seep_syscall(SYS_rt_sigaction, number, NULL, action, sizeof(action->mask)) &&
	       action->handler != SIG_DFL && action->handler != SIG_IGN;
}

static uint64_t get_mask(void)
{
	uint64_t mask = 0;

	if (held.blocks)
		return held.before;
	seep_syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask));
	return mask;
}

/*
 * Whether the handler is still running, or the frame is only a remnant of one in uninitialised
 * stack memory, perhaps partly overwritten.  While a handler runs, a signal is blocked that was not
 * blocked when it came.  If it interrupted sigsuspend, which sets a temporary mask, this may say
 * no: but then it did not interrupt the allocator.
 */
static bool is_running(const struct frame *frame, uintptr_t high, const struct handlers *handlers)
{
	const greg_t *registers = frame->context.uc_mcontext.gregs;
	uintptr_t sp = (uintptr_t)registers[REG_RSP];
	uint64_t before;

	memcpy(&before, &frame->context.uc_sigmask, sizeof(before));
	if (sp <= (uintptr_t)frame || sp > high || before & (BIT(SIGKILL) | BIT(SIGSTOP)) ||
	    (registers[REG_CSGSFS] & 0xffff) != USER_CS)
		return false;
	return handlers->unheld || handlers->held & ~before;
}

/* Scans the stack upwards from this address. */
__attribute__((no_sanitize("address"))) static bool is_found(const struct handlers *handlers,
							      uintptr_t at)
{
	struct seep_stack_bounds bounds;

	if (!handlers->held && !handlers->unheld)
		return false;
	if (!seep_stack_find(at, &bounds))
		return true;
	if (bounds.high - at > SCANNED_MAX)
		bounds.high = at + SCANNED_MAX;
	for (; at + sizeof(struct frame) <= bounds.high; at += sizeof(at)) {
		const struct frame *frame = (const struct frame *)at;

		if (*(const volatile uintptr_t *)&frame->restorer == handlers->restorer &&
		    is_running(frame, bounds.high, handlers))
			return true;
	}
	return false;
}

static bool is_called_back(uintptr_t frame)
{
	struct handlers handlers = {0};
	uint64_t mask = get_mask();
	struct action action;
	int number;

	for (number = 1; number <= SIGRTMAX; number++) {
		if (!find_action(number, &action))
			continue;
		if (action.restorer != handlers.restorer) {
			if (is_found(&handlers, frame))
				return true;
			handlers = (struct handlers){.restorer = action.restorer};
		}
		if (action.flags & SA_NODEFER)
			handlers.unheld = true;
		else
			handlers.held |= mask & BIT(number);
	}
	return is_found(&handlers, frame);
}

#else

static bool is_called_back(uintptr_t frame)
{
	(void)frame;
	return false;
}

#endif

bool seep_signals_may_handle(void)
{
	int saved = errno;
	stack_t stack;
	bool handles;

	if (seep_silence_is_on())
		return true;
	handles = (!sigaltstack(NULL, &stack) && stack.ss_flags & SS_ONSTACK) ||
		  is_called_back((uintptr_t)__builtin_frame_address(0));

	errno = saved;
	return handles;
}
