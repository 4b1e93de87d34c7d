/* SPDX-License-Identifier: MIT */
#include "record/heap/pack.h"

#include "record/recording.h"

/* The largest item: the chains of a site, with 16 numbers, bins and peaks, 10 bytes each. */
#define THING_BYTES ((16u + 7 * SEEP_TRACE_SIZE_BINS + SEEP_TRACE_PEAK_BINS) * 10u)
#define BATCH_BYTES (SEEP_TRACE_RECORD_MAX / 2)

struct seep_pack {
	enum seep_trace_kind kind;
	struct seep_rec_site_states head; /* that of free sites has the same layout */
	unsigned char bytes[BATCH_BYTES + THING_BYTES];
};

_Static_assert(sizeof(struct seep_rec_site_states) == sizeof(struct seep_rec_free_sites),
	       "one head serves both");
_Static_assert(7 * SEEP_TRACE_SIZE_BINS + SEEP_TRACE_PEAK_BINS >
	       SEEP_TRACE_AGE_BINS + 2 * SEEP_TRACE_COHORT_BINS, "no thing is larger");

static struct seep_pack the_pack;

struct seep_pack *seep_pack_begin(enum seep_trace_kind kind, uint64_t ordinal)
{
	the_pack.kind = kind;
	the_pack.head = (struct seep_rec_site_states){.ordinal = ordinal};
	return &the_pack;
}

void seep_pack_put(struct seep_pack *pack, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		pack->bytes[pack->head.bytes++] = (unsigned char)(number | 0x80);
	pack->bytes[pack->head.bytes++] = (unsigned char)number;
}

void seep_pack_put_all(struct seep_pack *pack, const uint64_t *numbers, uint32_t n)
{
	uint32_t i;

	seep_pack_put(pack, n);
	for (i = 0; i < n; i++)
		seep_pack_put(pack, numbers[i]);
}

void seep_pack_next(struct seep_pack *pack)
{
	pack->head.count++;
	if (pack->head.bytes >= BATCH_BYTES)
		seep_pack_end(pack);
}

void seep_pack_end(struct seep_pack *pack)
{
	if (pack->head.count)
		seep_recording_write((uint16_t)pack->kind, 0, &pack->head, sizeof(pack->head),
				     pack->bytes, pack->head.bytes);
	pack->head.count = 0;
	pack->head.bytes = 0;
}
