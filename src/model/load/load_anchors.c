/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/load/loading.h"

void seep_load_anchors_add(struct seep_load *load, const struct seep_reader_record *record)
{
	*(struct seep_reader_record *)seep_table_add(&load->anchors) = *record;
}

static void fill(struct seep_load *load, struct seep_anchor *anchor,
		 const struct seep_reader_record *record)
{
	const struct seep_rec_anchor *from = record->payload;

	anchor->t_ns = from->t_ns;
	anchor->event = seep_load_event(load, from->event);
	anchor->rss_bytes = (int64_t)((uint64_t)from->rss_anon_bytes +
				      (uint64_t)from->rss_file_bytes +
				      (uint64_t)from->rss_shmem_bytes +
				      (uint64_t)from->swap_bytes);
	anchor->rss_file_bytes = from->rss_file_bytes;
	anchor->rss_shmem_bytes = from->rss_shmem_bytes;
	anchor->swap_bytes = from->swap_bytes;
	anchor->live_bytes = from->live_bytes;
	anchor->allocator_bytes = from->allocator_bytes;
	anchor->non_heap_bytes = from->non_heap_bytes;
	anchor->non_heap_resident_bytes = from->non_heap_resident_bytes;
	anchor->tracker_bytes = from->tracker_bytes;
	anchor->flags = record->flags;
	if (record->bytes < sizeof(*from)) {
		anchor->flags &= (uint16_t)~(SEEP_ANCHOR_DESCRIPTORS | SEEP_ANCHOR_THREADS);
		return;
	}
	anchor->descriptors = from->descriptors;
	anchor->threads = from->threads;
}

/* Called after the stamps are built, because they determine which events count. */
void seep_load_anchors_build(struct seep_load *load)
{
	const struct seep_reader_record *records = load->anchors.items;
	struct seep_run *run = load->run;
	size_t i;

	run->n_anchors = load->anchors.n;
	run->anchors = seep_arena_array(load->arena, run->n_anchors, sizeof(*run->anchors));
	for (i = 0; i < run->n_anchors; i++)
		fill(load, &run->anchors[i], &records[i]);
}
