/* SPDX-License-Identifier: MIT */
/*
 * A buffer of 16 bytes per photon stays.  Hits follow the photons, with a correlation of
 * .98, and leave nothing.
 */
#include "work.h"

#define PHOTON_BYTES 16
#define PHOTONS 10000.0
#define SPREAD 2000.0
#define EFFICIENCY .4
#define CORRELATION .98

static ZOO_SITE void *collect_photons(long n)
{
	return zoo_touch(malloc((size_t)n * PHOTON_BYTES), (size_t)n * PHOTON_BYTES);
}

static ZOO_SITE void *collect_hits(long n)
{
	return zoo_touch(malloc((size_t)n * 24), (size_t)n * 24);
}

/* Hits have a share of the photons, and noise of their own. */
static long count_hits(long photons)
{
	double own = EFFICIENCY * SPREAD * sqrt(1 / (CORRELATION * CORRELATION) - 1);

	return (long)fmax(1, EFFICIENCY * (double)photons + own * work_normal());
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" },
				   .bytes_per_event = PHOTON_BYTES * PHOTONS,
				   .phase = "propagate", .site = "collect_photons",
				   .drivers = { "photons" } };
	long i, photons, hits, n = zoo_start(argc, argv, 150);
	void *digits;

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("generate");
		work_read(i);
		photons = (long)fmax(1, PHOTONS + SPREAD * work_normal() + .5);
		hits = count_hits(photons);
		seep_count("photons", (double)photons);
		seep_count("hits", (double)hits);
		seep_stamp("propagate");
		work_handle(i);
		collect_photons(photons);
		seep_stamp("digitise");
		digits = collect_hits(hits);
		work_compute(100);
		free(digits);
		seep_stamp("store");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
