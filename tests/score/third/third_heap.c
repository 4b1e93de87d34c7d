/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An allocator with size classes, for RSS.  A unit of pages serves one class; when its last
 * block dies its pages become free, stay in memory and serve whatever comes next.  So a peak is
 * retained, and a few survivors in many units are fragmentation, without being told so.
 */
#include "third.h"

#define LARGE_RETURNED (128 * 1024)

double third_heap_class_bytes(uint32_t class)
{
	if (class < 8)
		return 16.0 * (class + 1);
	return 128.0 * (double)(1u << (class - 8) / 4) * (1 + .25 * ((class - 8) % 4 + 1));
}

static uint32_t class_of(uint64_t bytes)
{
	uint32_t class = 0;

	while (third_heap_class_bytes(class) < (double)bytes)
		class++;
	return class;
}

static uint32_t take_unit(struct third *p)
{
	struct third_heap *heap = &p->heap;

	heap->used_units++;
	if (heap->free_pages >= THIRD_UNIT_PAGES)
		heap->free_pages -= THIRD_UNIT_PAGES;
	else
		heap->mapped_pages += THIRD_UNIT_PAGES;
	if (heap->n_spare)
		return heap->spare[--heap->n_spare];
	heap->units = seep_arena_grow(&p->c->fake.arena, heap->units, heap->n_units,
				      &heap->unit_room, sizeof(*heap->units));
	heap->units[heap->n_units] = (struct third_unit){ 0 };
	return (uint32_t)heap->n_units++;
}

static void add_hole(struct third *p, struct third_class *class, uint32_t unit)
{
	class->holes = seep_arena_grow(&p->c->fake.arena, class->holes, class->n, &class->room,
				       sizeof(*class->holes));
	class->holes[class->n++] =
		(struct third_hole){ unit, p->heap.units[unit].generation };
}

static void put_small(struct third *p, struct third_block *block)
{
	struct third_heap *heap = &p->heap;
	uint32_t number = class_of(block->bytes);
	struct third_class *class = &heap->classes[number];
	size_t slots = (size_t)(THIRD_UNIT / third_heap_class_bytes(number)), i;

	while (class->n && heap->units[class->holes[class->n - 1].unit].generation !=
	       class->holes[class->n - 1].generation)
		class->n--;
	if (class->n) {
		block->unit = class->holes[--class->n].unit;
	} else {
		block->unit = take_unit(p);
		for (i = 1; i < slots; i++)
			add_hole(p, class, block->unit);
	}
	heap->units[block->unit].blocks++;
	heap->units[block->unit].bytes += block->bytes;
}

static int64_t pages_of(uint64_t bytes)
{
	return (int64_t)((bytes + THIRD_PAGE - 1) / THIRD_PAGE);
}

static bool goes_back(const struct third_heap *heap, uint64_t bytes)
{
	return heap->returns_large && bytes >= LARGE_RETURNED;
}

static void put_large(struct third_heap *heap, struct third_block *block)
{
	int64_t pages = pages_of(block->bytes), reused = 0;

	block->unit = THIRD_NONE;
	if (!goes_back(heap, block->bytes))
		reused = pages < heap->free_pages ? pages : heap->free_pages;
	heap->free_pages -= reused;
	heap->mapped_pages += pages - reused;
	heap->large_pages += pages;
}

void third_heap_put(struct third *p, struct third_block *block)
{
	if (block->bytes <= THIRD_SMALL_MOST)
		put_small(p, block);
	else
		put_large(&p->heap, block);
}

static void take_small(struct third *p, struct third_block *block)
{
	struct third_heap *heap = &p->heap;
	struct third_unit *unit = &heap->units[block->unit];

	unit->bytes -= block->bytes;
	if (--unit->blocks) {
		add_hole(p, &heap->classes[class_of(block->bytes)], block->unit);
		return;
	}
	unit->generation++;
	heap->used_units--;
	heap->free_pages += THIRD_UNIT_PAGES;
	heap->spare = seep_arena_grow(&p->c->fake.arena, heap->spare, heap->n_spare,
				      &heap->spare_room, sizeof(*heap->spare));
	heap->spare[heap->n_spare++] = block->unit;
}

void third_heap_take(struct third *p, struct third_block *block)
{
	struct third_heap *heap = &p->heap;
	int64_t pages = pages_of(block->bytes);

	if (block->unit != THIRD_NONE) {
		take_small(p, block);
		return;
	}
	heap->large_pages -= pages;
	if (goes_back(heap, block->bytes))
		heap->mapped_pages -= pages;
	else
		heap->free_pages += pages;
}

void third_heap_decay(struct third_heap *heap)
{
	int64_t pages = (int64_t)(heap->decay * (double)heap->free_pages);

	heap->free_pages -= pages;
	heap->mapped_pages -= pages;
}

int64_t third_heap_resident(const struct third_heap *heap)
{
	return (heap->used_units * THIRD_UNIT_PAGES + heap->large_pages + heap->free_pages) *
	       THIRD_PAGE;
}
