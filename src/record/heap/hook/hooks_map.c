/* SPDX-License-Identifier: MIT */
/*
 * Memory that the program gets from the system directly, not through its allocator.
 *
 *	before the kernel call    what the call will unmap or move leaves the books (take),
 *	                          since another thread may get the same addresses at once
 *	after the kernel call     success: the new mapping is entered, the old one has died
 *	                          failure: what was taken is put back
 *
 * What an allocator maps for its heap does not count.  The C library's allocator calls no
 * function that could be hooked.  Other allocators are either called by us with the guard set, or
 * recognised by the address of their code.
 *
 * Signals are held back over all of it: a handler that runs in between might never come back,
 * and what was taken would neither go nor return.
 */
#include "record/heap/book/holdings.h"
#include "record/heap/book/mappings.h"
#include "record/heap/hook/hooks.h"
#include "record/heap/python/python.h"
#include "record/heap/real/real.h"
#include "record/heap/real/real_map.h"
#include "record/heap/start.h"

#include "os/mlock.h"
#include "os/signals.h"
#include "record/guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#define CALLER __builtin_return_address(0)
#define PAGE_MASK ((uintptr_t)4095)

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

HOOK void *mmap(void *address, size_t bytes, int prot, int flags, int fd, off_t offset);
HOOK void *mmap64(void *address, size_t bytes, int prot, int flags, int fd, off64_t offset);
HOOK int munmap(void *address, size_t bytes);
HOOK void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...);
HOOK int mprotect(void *address, size_t bytes, int prot);
HOOK void *sbrk(intptr_t bytes);
HOOK int brk(void *end);
HOOK int mlockall(int flags);

static bool is_outside(const void *caller)
{
	return UNLIKELY(seep_guard != SEEP_GUARD_OUT) || UNLIKELY(!seep_start_was_on()) ||
	       UNLIKELY(seep_real_map_is_allocator(caller));
}

/* Whole pages; an empty range if the numbers make no sense, which the kernel will refuse. */
static struct seep_mappings_range range_of(const void *address, size_t bytes)
{
	struct seep_mappings_range range = {(uintptr_t)address, (uintptr_t)address};
	size_t whole = (bytes + PAGE_MASK) & ~PAGE_MASK;

	if (!(range.start & PAGE_MASK) && whole >= bytes && range.start + whole > range.start)
		range.end += whole;
	return range;
}

static uint32_t take(struct seep_mappings_range range)
{
	uint32_t taken = 0;

	__atomic_add_fetch(&seep_python_unmaps, 1, __ATOMIC_RELEASE);
	if (range.start == range.end || !seep_mappings_any())
		return 0;
	seep_guard = SEEP_GUARD_OWN;
	taken = seep_mappings_take(range);
	seep_guard = SEEP_GUARD_OUT;
	return taken;
}

/* If the call succeeded, what was taken has gone; otherwise it is put back. */
static void settle(uint32_t taken, bool gone, const void *frame)
{
	int saved = errno;

	if (!taken)
		return;
	seep_guard = SEEP_GUARD_OWN;
	if (gone)
		seep_mappings_forget(taken, frame);
	else
		seep_mappings_put_back(taken);
	seep_guard = SEEP_GUARD_OUT;
	errno = saved;
}

static void arrive(struct seep_mappings_range range, enum seep_memory_kind kind, bool reserved,
		   const void *frame)
{
	int saved = errno;
	uint32_t site = 0;

	seep_guard = SEEP_GUARD_OWN;
	if (!reserved)
		site = seep_holding_site(kind, frame);
	if (site || reserved)
		seep_mappings_add(range, site, frame);
	seep_guard = SEEP_GUARD_OUT;
	errno = saved;
}

/* Inlined, so that HERE is the frame of the hook. */
static inline __attribute__((always_inline)) void *map(void *address, size_t bytes, int prot,
						       int flags, int fd, off_t offset)
{
	uint32_t taken = 0;
	void *mapped;

	if (is_outside(CALLER))
		return seep_real_map_mmap(address, bytes, prot, flags, fd, offset);
	seep_hooks_look_at_clock();
	seep_signals_hold();
	if (flags & MAP_FIXED)
		taken = take(range_of(address, bytes));
	mapped = seep_real_map_mmap(address, bytes, prot, flags, fd, offset);
	settle(taken, mapped != MAP_FAILED, HERE);
	if (mapped != MAP_FAILED)
		arrive(range_of(mapped, bytes), SEEP_MEMORY_MMAP, prot == PROT_NONE, HERE);
	seep_signals_release();
	return mapped;
}

void *mmap(void *address, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	return map(address, bytes, prot, flags, fd, offset);
}

void *mmap64(void *address, size_t bytes, int prot, int flags, int fd, off64_t offset)
{
	return map(address, bytes, prot, flags, fd, offset);
}

int munmap(void *address, size_t bytes)
{
	uint32_t taken;
	int failure;

	if (is_outside(CALLER))
		return seep_real_map_munmap(address, bytes);
	seep_hooks_look_at_clock();
	seep_signals_hold();
	taken = take(range_of(address, bytes));
	failure = seep_real_map_munmap(address, bytes);
	settle(taken, !failure, HERE);
	seep_signals_release();
	return failure;
}

static void move(uint32_t taken, struct seep_mappings_range from, struct seep_mappings_range to)
{
	int saved = errno;

	seep_guard = SEEP_GUARD_OWN;
	seep_mappings_move(taken, from, to);
	seep_guard = SEEP_GUARD_OUT;
	errno = saved;
}

void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	struct seep_mappings_range from = range_of(old, old_bytes);
	/* The old mapping stays: this is a second one of the same memory. */
	bool doubles = !old_bytes || flags & MREMAP_DONTUNMAP;
	uint32_t taken = 0, replaced = 0;
	void *address = NULL, *moved;
	va_list rest;

	va_start(rest, flags);
	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP))
		address = va_arg(rest, void *);
	va_end(rest);
	if (is_outside(CALLER))
		return seep_real_map_mremap(old, old_bytes, bytes, flags, address);
	seep_hooks_look_at_clock();
	seep_signals_hold();
	if (!doubles)
		taken = take(from);
	if (flags & MREMAP_FIXED)
		replaced = take(range_of(address, bytes));
	moved = seep_real_map_mremap(old, old_bytes, bytes, flags, address);
	settle(replaced, moved != MAP_FAILED, HERE);
	if (moved == MAP_FAILED)
		settle(taken, false, HERE);
	else if (doubles)
		arrive(range_of(moved, bytes), SEEP_MEMORY_MMAP, false, HERE);
	else
		move(taken, from, range_of(moved, bytes));
	seep_signals_release();
	return moved;
}

/* Opening or closing access only changes memory from reserved to held, or back. */
static void protect(struct seep_mappings_range range, int prot, const void *frame)
{
	int saved = errno;

	if (range.start == range.end || !seep_mappings_any())
		return;
	if (prot != PROT_NONE && !seep_mappings_any_reserved())
		return;
	seep_guard = SEEP_GUARD_OWN;
	if (prot == PROT_NONE)
		seep_mappings_reserve(range, frame);
	else
		seep_mappings_open(range, seep_holding_site(SEEP_MEMORY_MMAP, frame));
	seep_guard = SEEP_GUARD_OUT;
	errno = saved;
}

int mprotect(void *address, size_t bytes, int prot)
{
	int failure;

	if (is_outside(CALLER))
		return seep_real_map_mprotect(address, bytes, prot);
	seep_hooks_look_at_clock();
	seep_signals_hold();
	failure = seep_real_map_mprotect(address, bytes, prot);
	if (!failure)
		protect(range_of(address, bytes), prot, HERE);
	seep_signals_release();
	return failure;
}

/* Counts bytes, not pages: the C library's heap may start in the same page as the break. */
static void move_break(uintptr_t from, uintptr_t to, const void *frame)
{
	seep_hooks_look_at_clock();
	seep_signals_hold();
	if (to > from)
		arrive((struct seep_mappings_range){from, to}, SEEP_MEMORY_BRK, false, frame);
	else if (to < from)
		settle(take((struct seep_mappings_range){to, from}), true, frame);
	seep_signals_release();
}

void *sbrk(intptr_t bytes)
{
	void *before;

	if (!seep_real_ready() || !seep_real_map.sbrk) {
		errno = ENOMEM;
		return (void *)-1;
	}
	before = seep_real_map.sbrk(bytes);
	if (before != (void *)-1 && bytes && !is_outside(CALLER))
		move_break((uintptr_t)before, (uintptr_t)before + (uintptr_t)bytes, HERE);
	return before;
}

int brk(void *end)
{
	void *before;
	int failure;

	if (!seep_real_ready() || !seep_real_map.brk) {
		errno = ENOMEM;
		return -1;
	}
	before = seep_real_map.sbrk(0);
	failure = seep_real_map.brk(end);
	if (!failure && !is_outside(CALLER))
		move_break((uintptr_t)before, (uintptr_t)end, HERE);
	return failure;
}

/* Our tables must not be filled with pages that nobody needs, nor make the call fail. */
int mlockall(int flags)
{
	struct dl_find_object own;
	int failure;

	if (_dl_find_object((void *)&seep_hooks_ticks_seen, &own))
		own.dlfo_map_start = own.dlfo_map_end = NULL;
	seep_signals_hold();
	failure = seep_mlock_all(flags, (uintptr_t)own.dlfo_map_start,
				 (uintptr_t)own.dlfo_map_end);
	seep_signals_release();
	if (!failure)
		return 0;
	errno = -failure;
	return -1;
}
