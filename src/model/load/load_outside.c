/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The samples that seep run took from outside. */
#include "model/load/loading.h"

void seep_load_outside_add(struct seep_load *load, const struct seep_rec_samples *record)
{
	const struct seep_rec_sample *from = (const void *)(record + 1);
	uint32_t i;

	for (i = 0; i < record->count; i++)
		*(const struct seep_rec_sample **)seep_table_add(&load->outside) = &from[i];
}

static int64_t add_up(const struct seep_rec_sample *from)
{
	return (int64_t)((uint64_t)from->rss_anon_bytes + (uint64_t)from->rss_file_bytes +
			 (uint64_t)from->rss_shmem_bytes + (uint64_t)from->swap_bytes);
}

/* Samples from before an exec are ignored, and so are samples out of order. */
void seep_load_outside_build(struct seep_load *load)
{
	const struct seep_rec_sample **records = load->outside.items;
	struct seep_run *run = load->run;
	int64_t last = load->restart_ns;
	size_t i;

	run->samples = seep_arena_array(load->arena, load->outside.n, sizeof(*run->samples));
	for (i = 0; i < load->outside.n; i++) {
		const struct seep_rec_sample *from = records[i];

		if (from->t_ns < last)
			continue;
		last = from->t_ns;
		run->samples[run->n_samples++] = (struct seep_sample){
			.t_ns = from->t_ns,
			.event = from->event,
			.vm_bytes = from->vm_bytes,
			.rss_bytes = add_up(from),
			.swap_bytes = from->swap_bytes,
			.tracker_bytes = from->tracker_bytes,
			.threads = from->threads,
			.descriptors = from->descriptors,
			.flags = from->flags,
		};
	}
}

void seep_load_outside_number(struct seep_load *load)
{
	struct seep_run *run = load->run;
	int64_t marked = seep_run_marked(run);
	size_t i;

	for (i = 0; i < run->n_samples; i++) {
		struct seep_sample *sample = &run->samples[i];

		if (load->slices) {
			seep_load_slices_number(load, sample);
			continue;
		}
		sample->event = seep_load_event(load, (uint32_t)sample->event);
		if (sample->event >= marked)
			sample->event = marked - 1;
	}
}
