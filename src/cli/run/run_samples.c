/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/run_samples.h"
#include "os/clock.h"
#include "os/tool/member.h"

#include <stdlib.h>
#include <unistd.h>

#define SAMPLES_MAX 4096
#define PERIOD_NS 10000000 /* at least */
#define COUNT_PART 100     /* of the time, that counting descriptors may take */
#define BATCH 512          /* in a record */

void seep_run_samples_begin(struct seep_run_samples *samples, pid_t pid,
			    const struct seep_trace_header *header)
{
	*samples = (struct seep_run_samples){
		.pid = pid, .fd = seep_member_open(pid), .period_ns = PERIOD_NS,
		.items = malloc(SAMPLES_MAX * sizeof(*samples->items)),
	};
	if (header->tick_on && header->tick_ns > PERIOD_NS && header->tick_ns <= INT64_MAX)
		samples->period_ns = (int64_t)header->tick_ns;
}

static void halve(struct seep_run_samples *samples)
{
	size_t i;

	for (i = 0; i < samples->n / 2; i++)
		samples->items[i] = samples->items[2 * i];
	samples->n = i;
	samples->period_ns *= 2;
}

static void fill_memory(struct seep_rec_sample *sample, const struct seep_member_status *status)
{
	sample->vm_bytes = status->vm_bytes;
	sample->rss_anon_bytes = status->rss_bytes - status->file_bytes - status->shmem_bytes;
	sample->rss_file_bytes = status->file_bytes;
	sample->rss_shmem_bytes = status->shmem_bytes;
	sample->swap_bytes = status->swap_bytes;
	sample->flags |= SEEP_SAMPLE_RSS;
	sample->threads = (uint32_t)status->threads;
	if (status->threads)
		sample->flags |= SEEP_SAMPLE_THREADS;
}

/*
 * On an older kernel descriptors are counted one by one.  The cost is this thread's CPU time: on a
 * busy machine, wall time would include the wait for a processor.
 */
static void fill_descriptors(struct seep_run_samples *samples, struct seep_rec_sample *sample,
			     int64_t now_ns)
{
	int64_t n, cpu_ns = seep_clock_thread_ns();

	if (now_ns < samples->count_due_ns)
		return;
	n = seep_member_descriptors(samples->pid);
	samples->count_due_ns = now_ns + COUNT_PART * (seep_clock_thread_ns() - cpu_ns);
	if (n < 0 || n > UINT32_MAX)
		return;
	sample->descriptors = (uint32_t)n;
	sample->flags |= SEEP_SAMPLE_DESCRIPTORS;
}

/* Samples lie where slices begin, as far as the clock of this machine allows. */
static int64_t next_due(const struct seep_run_samples *samples, int64_t since_ns)
{
	return (since_ns / samples->period_ns + 1) * samples->period_ns;
}

void seep_run_samples_look(struct seep_run_samples *samples,
			   const struct seep_trace_header *header, int64_t now_ns)
{
	struct seep_rec_sample sample = { .t_ns = now_ns - header->started_mono_ns };
	struct seep_member_status status;

	if (now_ns < samples->due_ns || samples->fd < 0 || !samples->items)
		return;
	sample.event = __atomic_load_n(&header->event, __ATOMIC_RELAXED);
	sample.tracker_bytes = __atomic_load_n(&header->tracker_bytes, __ATOMIC_RELAXED);
	if (!seep_member_read(samples->fd, &status) && status.has_memory) {
		if (samples->n == SAMPLES_MAX)
			halve(samples);
		fill_memory(&sample, &status);
		fill_descriptors(samples, &sample, seep_clock_mono_ns());
		samples->items[samples->n++] = sample;
	}
	samples->due_ns = header->started_mono_ns + next_due(samples, sample.t_ns);
}

void seep_run_samples_append(const struct seep_run_samples *samples, struct seep_writer *writer)
{
	size_t done = 0;

	while (samples->items && done < samples->n) {
		struct seep_rec_samples head = { .count = BATCH };

		if (samples->n - done < BATCH)
			head.count = (uint32_t)(samples->n - done);
		if (seep_writer_append(writer, SEEP_REC_SAMPLES, 0, &head, sizeof(head),
				       samples->items + done,
				       head.count * sizeof(*samples->items)))
			return;
		done += head.count;
	}
}

void seep_run_samples_release(struct seep_run_samples *samples)
{
	if (samples->fd >= 0)
		close(samples->fd);
	free(samples->items);
	samples->items = NULL;
	samples->fd = -1;
	samples->n = 0;
}
