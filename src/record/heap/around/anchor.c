/* SPDX-License-Identifier: MIT */
#include "record/heap/around/anchor.h"

#include "os/pages.h"
#include "os/process.h"
#include "os/rss.h"
#include "os/silence.h"
#include "record/event_clock.h"
#include "record/heap.h"
#include "record/heap/around/quiescence.h"
#include "record/heap/book/holdings.h"
#include "record/heap/book/mappings.h"
#include "record/heap/book/stacks.h"
#include "record/heap/real/real.h"
#include "record/heap/real/real_pymem.h"
#include "record/recording.h"

#include <malloc.h>
#include <string.h>

#define EVENTS_EACH 16u
#define EVENTS_FEW 4u
#define GRACE_NS 5000000   /* time that the first anchors may take */
#define FEW 6u             /* the report needs these: they may take ten times as long */
#define COST_PART 100      /* an anchor may take this part of the time since the last one */
#define WINDOWS_MAX 256u   /* windows to look at */
#define PAGE_BYTES 4096u
#define WINDOW_BYTES ((uintptr_t)SEEP_PAGES_WINDOW * PAGE_BYTES)

static struct {
	uint32_t generation;
	uint32_t n;
	uint32_t last_event;
	int64_t last_ns;         /* when the last anchor was complete */
	int64_t last_cost_ns;
	int64_t cost_ns;
} done;

/* Ranges are looked at window by window: all windows, or if there are many, every stride-th. */
struct look {
	struct seep_pages pages;
	uint64_t n, stride, resident;
};

static uint64_t count_windows(struct seep_mappings_range range)
{
	return (range.end - range.start + WINDOW_BYTES - 1) / WINDOW_BYTES;
}

static void add_windows(struct seep_mappings_range range, void *context)
{
	struct look *look = context;

	look->n += count_windows(range);
}

static void look_at(struct seep_mappings_range range, void *context)
{
	struct look *look = context;
	uint64_t windows = count_windows(range), w;

	for (w = (look->stride - look->n % look->stride) % look->stride; w < windows;
	     w += look->stride) {
		uintptr_t start = range.start + w * WINDOW_BYTES;
		uintptr_t bytes = range.end - start < WINDOW_BYTES ? range.end - start
								   : WINDOW_BYTES;

		look->resident += seep_pages_count(&look->pages, start,
						   (uint32_t)((bytes + PAGE_BYTES - 1) /
							      PAGE_BYTES));
	}
	look->n += windows;
}

static void add_stack(struct seep_mappings_range range, void *context)
{
	struct look *look = context;

	(void)range;
	look->n++;
}

/* A stack is used from the top: looks down to the first window that is not fully resident. */
static void look_at_stack(struct seep_mappings_range range, void *context)
{
	struct look *look = context;
	uint32_t resident = SEEP_PAGES_WINDOW;

	if (look->n++ % look->stride)
		return;
	while (resident == SEEP_PAGES_WINDOW && range.end - range.start >= WINDOW_BYTES) {
		range.end -= WINDOW_BYTES;
		resident = seep_pages_count(&look->pages, range.end, SEEP_PAGES_WINDOW);
		look->resident += resident;
	}
	if (resident == SEEP_PAGES_WINDOW)
		look->resident += seep_pages_count(&look->pages, range.start,
						   (uint32_t)((range.end - range.start) /
							      PAGE_BYTES));
}

static bool find_resident(int64_t *bytes)
{
	struct look look = {.stride = 1};

	if (!seep_holding_bytes()) {
		*bytes = 0;
		return true;
	}
	if (!seep_pages_open(&look.pages))
		return false;
	if (seep_holding_enter()) {
		seep_mappings_visit(add_windows, &look);
		seep_stacks_visit(add_stack, &look);
		look.stride = (look.n + WINDOWS_MAX - 1) / WINDOWS_MAX;
		look.stride += !look.stride;
		look.n = 0;
		seep_mappings_visit(look_at, &look);
		seep_stacks_visit(look_at_stack, &look);
		seep_holding_leave();
	}
	seep_pages_close(&look.pages);
	*bytes = (int64_t)(look.resident * look.stride * PAGE_BYTES);
	return true;
}

static uint16_t fill_rss(struct seep_rec_anchor *anchor)
{
	struct seep_rss rss;

	if (!seep_rss_read(&rss))
		return 0;
	anchor->rss_anon_bytes = rss.anon_bytes;
	anchor->rss_file_bytes = rss.file_bytes;
	anchor->rss_shmem_bytes = rss.shmem_bytes;
	anchor->swap_bytes = rss.swap_bytes;
	anchor->threads = (uint32_t)rss.threads;
	return rss.threads ? SEEP_ANCHOR_RSS | SEEP_ANCHOR_THREADS : SEEP_ANCHOR_RSS;
}

static uint16_t fill_descriptors(struct seep_rec_anchor *anchor)
{
	int64_t n = seep_process_descriptors();

	if (n < 0 || n > UINT32_MAX)
		return 0;
	anchor->descriptors = (uint32_t)n;
	return SEEP_ANCHOR_DESCRIPTORS;
}

/* The allocator waits for its own locks, and a signal handler that wants to stamp may hold one. */
static uint16_t fill_allocator(struct seep_rec_anchor *anchor)
{
	struct mallinfo2 info;

	seep_recording_pause();
	info = mallinfo2();
	seep_recording_resume();
	anchor->allocator_bytes = (int64_t)(info.arena + info.hblkhd) +
				  __atomic_load_n(&seep_real_arena_bytes, __ATOMIC_RELAXED);
	anchor->allocator_used_bytes = (int64_t)(info.uordblks + info.hblkhd);
	anchor->allocator_free_bytes = (int64_t)info.fordblks;
	return SEEP_ANCHOR_ALLOCATOR;
}

static __attribute__((noinline)) void write_anchor(uint16_t flags, bool ask)
{
	struct seep_rec_anchor anchor = {.t_ns = seep_recording_now(),
					 .event = seep_event_clock.event};
	struct seep_heap_totals totals = {0};

	/* Read RSS before anything that might touch a page. */
	flags |= fill_rss(&anchor);
	flags |= fill_descriptors(&anchor);
	seep_heap_totals(&totals);
	anchor.live_bytes = totals.live_bytes;
	anchor.tracker_bytes = totals.tracker_bytes + seep_recording_mapped_bytes();
	if (ask)
		flags |= fill_allocator(&anchor);
	anchor.non_heap_bytes = seep_holding_bytes();
	if (find_resident(&anchor.non_heap_resident_bytes))
		flags |= SEEP_ANCHOR_RESIDENT;
	seep_recording_write(SEEP_REC_ANCHOR, flags, &anchor, sizeof(anchor), NULL, 0);
	done.n++;
	done.last_ns = seep_recording_now();
	done.last_cost_ns = done.last_ns - anchor.t_ns;
	done.cost_ns += done.last_cost_ns;
}

/* A new trace (of a child of fork) has its own clock. */
static void notice_new_trace(void)
{
	if (done.generation == seep_recording_generation())
		return;
	memset(&done, 0, sizeof(done));
	done.generation = seep_recording_generation();
}

/* The allocator may have many free blocks to count: the last cost decides when to ask again. */
static bool is_cheap(int64_t t_ns, uint32_t events)
{
	if (done.n < EVENTS_EACH && done.cost_ns < GRACE_NS)
		return true;
	/* A short loop may end before that time has passed. */
	if (events - done.last_event >= events / EVENTS_FEW && done.cost_ns < GRACE_NS)
		return true;
	if (done.n < FEW && done.cost_ns < 10 * (int64_t)GRACE_NS)
		return true;
	return t_ns - done.last_ns >= COST_PART * done.last_cost_ns;
}

void seep_anchor_consider(int64_t t_ns)
{
	uint32_t events = seep_event_clock.event - seep_event_clock.base;

	notice_new_trace();
	if (seep_silence_is_on() ||
	    (done.n && events - done.last_event < events / EVENTS_EACH) || !is_cheap(t_ns, events))
		return;
	done.last_event = events;
	/* Checked here and not in write_anchor: a walk and a record both need much stack. */
	write_anchor(SEEP_ANCHOR_BEGIN,
		     seep_real.from_libc && seep_quiescence_holds(__builtin_frame_address(0)));
}

void seep_anchor_finish(void)
{
	notice_new_trace();
	if (!seep_silence_is_on())
		write_anchor(SEEP_ANCHOR_FINAL, false);
}
