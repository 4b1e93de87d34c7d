/* SPDX-License-Identifier: MIT */
/*
 * The kernel does not fill mappings with MCL_ONFAULT, so that is asked first, for everything.  Then
 * ours are unlocked and the others are filled, one by one.
 *
 * The limit is compared with the size of all mappings.  If that is why the call fails, the
 * program's own are added up, and locked one by one if they are below the limit.
 */
#define _GNU_SOURCE
#include "os/mlock.h"

#include "os/mmap.h"
#include "os/silence.h"
#include "os/smaps.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif
#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif

struct range {
	uintptr_t start, end;
};

/* What is done with the parts of the address space that are not ours. */
struct others {
	struct range own;        /* the object */
	void (*visit)(struct range range, bool accessible, struct others *others);
	uint64_t bytes;
	bool on_fault;
};

static int call(int flags)
{
	return syscall(SYS_mlockall, flags) ? -errno : 0;
}

static void unlock(uintptr_t start, uintptr_t end, void *unused)
{
	(void)unused;
	syscall(SYS_munlock, start, end - start);
}

/* The first of our mappings that ends above an address. */
struct search {
	uintptr_t above;
	struct range found;
};

static void consider(uintptr_t start, uintptr_t end, void *context)
{
	struct search *search = context;

	if (end > search->above && start < search->found.start)
		search->found = (struct range){start, end};
}

static struct range find_own(uintptr_t above, const struct range *object)
{
	struct search search = {.above = above, .found = {UINTPTR_MAX, UINTPTR_MAX}};

	consider(object->start, object->end, &search);
	seep_mmap_visit_all(consider, &search);
	return search.found;
}

static void visit_area(const struct seep_smaps_area *area, void *context)
{
	struct others *others = context;
	uintptr_t at = area->start;

	while (at < area->end) {
		struct range own = find_own(at, &others->own), part = {at, area->end};

		if (own.start < part.end)
			part.end = own.start > at ? own.start : at;
		if (part.start < part.end)
			others->visit(part, area->is_accessible, others);
		at = own.start < area->end ? own.end : area->end;
	}
}

static void add(struct range range, bool accessible, struct others *others)
{
	(void)accessible;
	others->bytes += range.end - range.start;
}

/* Failures do not matter, as in mlockall: there may be no page for some address of a file. */
static void lock(struct range range, bool accessible, struct others *others)
{
	syscall(SYS_mlock2, range.start, range.end - range.start,
		others->on_fault || !accessible ? MLOCK_ONFAULT : 0);
}

static bool is_allowed(struct others *others)
{
	struct rlimit limit;

	others->visit = add;
	return !getrlimit(RLIMIT_MEMLOCK, &limit) && seep_smaps_visit(visit_area, others) &&
	       others->bytes <= limit.rlim_cur;
}

/* The flags contain MCL_CURRENT. */
static int lock_current(int flags, struct others *others)
{
	int failure = call(flags | MCL_ONFAULT);

	if (failure && (failure != -ENOMEM || !is_allowed(others)))
		return failure;
	if (!failure)
		seep_mmap_visit_all(unlock, NULL);
	if (failure || !others->on_fault) {
		others->visit = lock;
		seep_smaps_visit(visit_area, others);
	}
	return flags & MCL_FUTURE ? call(flags & ~MCL_CURRENT) : 0;
}

int seep_mlock_all(int flags, uintptr_t own_start, uintptr_t own_end)
{
	struct others others = {.own = {own_start, own_end}, .on_fault = flags & MCL_ONFAULT};
	int saved = errno, failure;

	if (seep_silence_is_on())
		return call(flags);
	if (flags & MCL_FUTURE)
		seep_mmap_reserve(UINT64_MAX);
	failure = flags & MCL_CURRENT ? lock_current(flags, &others) : call(flags);
	errno = saved;
	return failure;
}
