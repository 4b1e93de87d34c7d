/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Seeded noise for the tests of analyse/: the same numbers on every machine.
 */
#ifndef SEEP_TESTS_NOISE_H
#define SEEP_TESTS_NOISE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct noise {
	uint64_t state;
};

enum colour {
	WHITE,
	AR5,            /* autoregressive, coefficient .5 */
	AR9,
	AR98,
	WALK,           /* every event adds noise that stays */
	WALK_WHITE,     /* the same and as much white noise again: a leak seen through RSS */
	LOGNORMAL_WALK, /* very lopsided steps */
	N_COLOURS,
};

static inline struct noise noise_seed(uint64_t seed)
{
	struct noise noise = { seed * 0x9e3779b97f4a7c15u ^ 0xd1b54a32d192ed03u };

	if (!noise.state)
		noise.state = 1;
	return noise;
}

/* xorshift64*; in (0, 1). */
static inline double noise_uniform(struct noise *noise)
{
	noise->state ^= noise->state >> 12;
	noise->state ^= noise->state << 25;
	noise->state ^= noise->state >> 27;
	return ((double)((noise->state * 0x2545f4914f6cdd1du) >> 11) + .5) / 9007199254740992.0;
}

static inline double noise_normal(struct noise *noise)
{
	double radius = sqrt(-2 * log(noise_uniform(noise)));

	return radius * cos(2 * 3.14159265358979323846 * noise_uniform(noise));
}

/* n values without trend, with steps or spread of about 1. */
static inline void noise_fill(struct noise *noise, enum colour colour, double *y, size_t n)
{
	static const double phis[] = { [AR5] = .5, [AR9] = .9, [AR98] = .98 };
	double state = 0;
	size_t i;

	if (colour == AR5 || colour == AR9 || colour == AR98)
		state = noise_normal(noise) / sqrt(1 - phis[colour] * phis[colour]);
	for (i = 0; i < n; i++) {
		double z = noise_normal(noise);

		switch (colour) {
		case AR5:
		case AR9:
		case AR98:
			state = phis[colour] * state + z;
			break;
		case WALK:
		case WALK_WHITE:
			state += z;
			break;
		case LOGNORMAL_WALK:
			state += exp(z) - exp(.5);
			break;
		case WHITE:
		case N_COLOURS:
			state = z;
			break;
		}
		y[i] = state;
		if (colour == WALK_WHITE)
			y[i] += noise_normal(noise);
	}
}

#endif
