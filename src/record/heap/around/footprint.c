/* SPDX-License-Identifier: MIT */
#include "record/heap/around/footprint.h"

#include "os/mmap.h"
#include "os/pages.h"
#include "os/smaps.h"
#include "record/heap/book/holdings.h"
#include "record/heap/book/live.h"
#include "record/heap/book/mappings.h"
#include "record/heap/book/sample.h"
#include "record/heap/book/stacks.h"

#include <dlfcn.h>

#define AREAS_MAX 65536u /* as many as Linux lets a process have */

struct area {
	uintptr_t start, end;
	int64_t bytes;
	bool is_locked;
};

/* Areas with heap blocks in them.  What belongs to others is subtracted from their bytes. */
struct sum {
	struct seep_pages pages;
	struct area *areas;      /* by address */
	uint32_t n;
	bool too_many;
	int64_t anonymous_bytes; /* of all areas, also those without blocks */
};

/* With sampling, most blocks are unknown, so any area may be the allocator's. */
static bool may_be_heap(const struct seep_smaps_area *area)
{
	return area->is_plain && area->anonymous_bytes > 0 &&
	       (seep_sample_mode != SEEP_SAMPLE_OFF || seep_live_was_in(area->start, area->end));
}

static void add_area(const struct seep_smaps_area *area, void *context)
{
	struct sum *sum = context;

	sum->anonymous_bytes += area->anonymous_bytes;
	if (!may_be_heap(area))
		return;
	sum->too_many = sum->n == AREAS_MAX;
	if (!sum->too_many)
		sum->areas[sum->n++] = (struct area){area->start, area->end, area->anonymous_bytes,
						     area->is_locked};
}

/* The first area that ends after this address. */
static uint32_t find_area(const struct sum *sum, uintptr_t address)
{
	uint32_t low = 0, high = sum->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sum->areas[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void subtract(uintptr_t start, uintptr_t end, void *context)
{
	struct sum *sum = context;
	uint32_t i;

	for (i = find_area(sum, start); i < sum->n && sum->areas[i].start < end; i++) {
		struct area *area = &sum->areas[i];
		uintptr_t from = start > area->start ? start : area->start;
		uintptr_t to = end < area->end ? end : area->end;

		if (from == area->start && to == area->end)
			area->bytes = 0;
		else
			area->bytes -= (int64_t)seep_pages_count_bytes(&sum->pages, from, to);
	}
}

static void subtract_range(struct seep_mappings_range range, void *context)
{
	subtract(range.start, range.end, context);
}

/* The data of programs and libraries that does not come from a file (.bss). */
static void subtract_objects(struct sum *sum)
{
	struct dl_find_object found;
	uint32_t i;

	for (i = 0; i < sum->n; i++) {
		void *start = (void *)sum->areas[i].start;

		if (!_dl_find_object(start, &found))
			subtract((uintptr_t)start, (uintptr_t)found.dlfo_map_end, sum);
	}
}

static void subtract_others(struct sum *sum)
{
	subtract_objects(sum);
	seep_mmap_visit(subtract, sum);
	subtract((uintptr_t)sum->areas, (uintptr_t)(sum->areas + AREAS_MAX), sum);
	if (seep_holding_enter()) {
		seep_mappings_visit(subtract_range, sum);
		seep_stacks_visit(subtract_range, sum);
		seep_holding_leave();
	}
}

/* Locked memory cannot be given back: if most of the heap is locked, a probe tells nothing. */
static int64_t add_up(const struct sum *sum)
{
	int64_t bytes = 0, locked = 0;
	uint32_t i;

	for (i = 0; i < sum->n; i++) {
		const struct area *area = &sum->areas[i];

		if (area->bytes <= 0)
			continue;
		bytes += area->bytes;
		locked += area->is_locked ? area->bytes : 0;
	}
	return locked > bytes / 2 ? -1 : bytes;
}

bool seep_footprint_find(struct seep_footprint *footprint)
{
	struct sum sum = {.areas = seep_mmap_scratch(AREAS_MAX * sizeof(*sum.areas))};

	footprint->heap_bytes = -1;
	if (!sum.areas)
		return false;
	if (seep_pages_open(&sum.pages)) {
		if (seep_smaps_visit(add_area, &sum) && !sum.too_many) {
			subtract_others(&sum);
			footprint->heap_bytes = add_up(&sum);
			footprint->anonymous_bytes = sum.anonymous_bytes;
		}
		seep_pages_close(&sum.pages);
	}
	seep_mmap_drop(sum.areas, AREAS_MAX * sizeof(*sum.areas));
	return footprint->heap_bytes >= 0;
}
