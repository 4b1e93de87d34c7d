/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "third.h"

#define FILE_BASE (6 << 20)
#define LEAST_RSS (1 << 20)

static int64_t tracker_bytes(const struct third *p)
{
	if (p->wishes & THIRD_NO_HEAP)
		return 0;
	return (int64_t)(p->tracker_base + 16 * (double)p->most_blocks) / THIRD_PAGE * THIRD_PAGE;
}

static int64_t non_heap_resident(const struct third *p)
{
	return (int64_t)(p->held_resident / THIRD_PAGE + .5) * THIRD_PAGE;
}

int64_t third_rss(const struct third *p)
{
	double other = p->base_rss + p->wander[p->event < 0 ? 0 : p->event];

	other = other < LEAST_RSS ? LEAST_RSS : other;
	return (int64_t)(other / THIRD_PAGE) * THIRD_PAGE + FILE_BASE + p->file_bytes +
	       third_heap_resident(&p->heap) + non_heap_resident(p) + tracker_bytes(p);
}

void third_stamp(struct third *p, uint32_t name, uint16_t flags, double part)
{
	struct fake *fake = &p->c->fake;
	struct seep_run *run = &fake->run;
	int64_t shake = (int64_t)(fabs(noise_normal(p->noise)) * p->jitter / THIRD_PAGE);
	int64_t rss = third_rss(p) + shake * THIRD_PAGE;

	if (flags & SEEP_STAMP_BEGIN)
		fake_begin(fake, p->live_bytes, rss);
	else
		fake_stamp(fake, name, flags, p->live_bytes, rss);
	fake->now_ns = p->event_start_ns + (int64_t)(part * 1e9 * p->seconds[p->event]);
	run->stamps[run->n_stamps - 1].t_ns = fake->now_ns;
	run->stamps[run->n_stamps - 1].vm_bytes = rss + 200000000 + p->held_bytes;
	run->stamps[run->n_stamps - 1].tracker_bytes = tracker_bytes(p);
	run->stamps[run->n_stamps - 1].live_blocks = p->live_blocks;
	if (!run->has_heap)
		run->stamps[run->n_stamps - 1].live_bytes =
			run->stamps[run->n_stamps - 1].live_blocks = 0;
}

void third_anchor(struct third *p, uint16_t flags)
{
	struct fake *fake = &p->c->fake;
	struct seep_anchor *anchor;
	bool knows = strcmp(p->heap.name, "glibc") == 0 && !(flags & SEEP_ANCHOR_FINAL);
	const struct seep_stamp *stamp = &fake->run.stamps[fake->run.n_stamps - 1];

	if (!fake->run.has_heap)
		return;
	fake_anchor(fake, &(struct seep_anchor){
		.rss_bytes = flags & SEEP_ANCHOR_BEGIN ? stamp->rss_bytes : third_rss(p),
		.rss_file_bytes = FILE_BASE + p->file_bytes,
		.live_bytes = p->live_bytes,
		.allocator_bytes = knows ? p->heap.mapped_pages * THIRD_PAGE : 0,
		.non_heap_bytes = p->held_bytes,
		.non_heap_resident_bytes = non_heap_resident(p) + p->file_bytes,
		.tracker_bytes = tracker_bytes(p),
	});
	anchor = &fake->run.anchors[fake->run.n_anchors - 1];
	anchor->flags = (uint16_t)(flags | SEEP_ANCHOR_RSS | SEEP_ANCHOR_RESIDENT |
				   (knows ? SEEP_ANCHOR_ALLOCATOR : 0));
	if (flags & SEEP_ANCHOR_FINAL)
		anchor->t_ns = p->event_start_ns;
}
