/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/load/loading.h"

#include "trace/unpack.h"

/* The last probe counts, with the pins recorded before it. */
void seep_load_probe_add(struct seep_load *load, const struct seep_reader_record *record)
{
	if (record->kind == SEEP_REC_PROBE) {
		load->probe = *record;
		load->pins_first = load->pins_next;
		load->pins_next = load->pins.n;
	} else {
		*(const void **)seep_table_add(&load->pins) = record->payload;
	}
}

static const char *name_of(uint32_t allocator)
{
	static const char *const names[] = {
		[SEEP_ALLOCATOR_GLIBC] = "glibc",
		[SEEP_ALLOCATOR_JEMALLOC] = "jemalloc",
		[SEEP_ALLOCATOR_TCMALLOC] = "tcmalloc",
	};

	return allocator < sizeof(names) / sizeof(names[0]) ? names[allocator] : NULL;
}

static bool can_be(int64_t bytes)
{
	return bytes >= 0 && bytes < INT64_MAX / 4;
}

static bool is_sound(const struct seep_rec_probe *from)
{
	return name_of(from->allocator) && can_be(from->rss_before_bytes) &&
	       can_be(from->rss_after_bytes) && can_be(from->heap_resident_bytes) &&
	       can_be(from->live_bytes);
}

static int64_t find_event(const struct seep_load *load, uint32_t number)
{
	int64_t event = seep_load_event(load, number), last = seep_run_marked(load->run) - 1;

	return event < last ? event : last;
}

static void fill_probe(struct seep_load *load, const struct seep_rec_probe *from)
{
	struct seep_probe *probe = &load->run->probe;

	probe->done = true;
	probe->asked = load->probe.flags & SEEP_PROBE_ASKED;
	probe->at_end = load->probe.flags & SEEP_PROBE_FINAL;
	probe->event = find_event(load, from->event);
	probe->allocator = name_of(from->allocator);
	probe->rss_before_bytes = from->rss_before_bytes;
	probe->rss_after_bytes = from->rss_after_bytes;
	probe->heap_resident_bytes = from->heap_resident_bytes;
	probe->live_bytes = from->live_bytes;
}

/* Maps site ids to index + 1 in run->sites; 0: not there. */
static uint32_t *place_sites(struct seep_load *load)
{
	struct seep_run *run = load->run;
	uint32_t *places = seep_arena_array(&load->scratch, load->sites.n, sizeof(*places));
	size_t i;

	for (i = 0; i < run->n_sites; i++)
		places[run->sites[i].id] = (uint32_t)i + 1;
	return places;
}

static void fill_pins(struct seep_load *load, const struct seep_rec_pins *batch,
		      const uint32_t *places)
{
	struct seep_unpack numbers = seep_unpack_begin(batch + 1, batch->bytes);
	uint32_t i;

	for (i = 0; i < batch->count && !numbers.bad; i++) {
		uint64_t id = seep_unpack_next(&numbers);
		uint64_t bytes = seep_unpack_next(&numbers);
		uint64_t blocks = seep_unpack_next(&numbers);
		struct seep_site *site;

		/* Impossibly large values would make their sums overflow. */
		if (numbers.bad || bytes > INT64_MAX / 4 || blocks > bytes) {
			load->damaged++;
			return;
		}
		id = seep_load_merge_id(load, id);
		if (id >= load->sites.n || !places[id])
			continue;
		site = &load->run->sites[places[id] - 1];
		if (!load->merged)
			site->pinned_bytes = site->pinning_blocks = 0;
		site->pinned_bytes += bytes;
		site->pinning_blocks += blocks;
	}
}

/* Called after events and sites are built. */
void seep_load_probe_build(struct seep_load *load)
{
	const struct seep_rec_pins **batches = load->pins.items;
	const uint32_t *places;
	size_t i;

	if (!load->probe.payload)
		return;
	if (!is_sound(load->probe.payload)) {
		load->damaged++;
		return;
	}
	fill_probe(load, load->probe.payload);
	places = place_sites(load);
	for (i = load->pins_first; i < load->pins.n; i++)
		fill_pins(load, batches[i], places);
}
