/* SPDX-License-Identifier: MIT */
/*
 * Poisson sampling per byte, in integers: hooks use neither floating point nor libm.
 *
 * Every byte that is allocated is a sample with probability 1/mean, independent
 * of all others, so a block of z bytes has one with p = 1 - exp(-z/mean).  Such a
 * block counts as w blocks of its size.  w is 1/p rounded up or down by a dither
 * that is spread evenly over [0, 1): its expectation is 1/p, hence what is seen
 * times w is on average what is there, whatever the sizes.  w being a whole number,
 * births, deaths and survivors stay whole numbers, and z^2 w (w - 1) is an
 * unbiased estimate of the variance that a block adds.
 *
 * docs/method.md has the proofs.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_POISSON_H
#define SEEP_RECORD_HEAP_BOOK_POISSON_H

#include <stdint.h>

#define SEEP_POISSON_MEAN_MAX ((uint64_t)1 << 40)
#define SEEP_POISSON_DITHER_BITS 20 /* of the fraction of a weight */

__extension__ typedef unsigned __int128 seep_poisson_wide;

/* Scatters all bits of a word over all others (the finaliser of splitmix64). */
static inline uint64_t seep_poisson_mix(uint64_t word)
{
	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
	word = (word ^ word >> 27) * 0x94d049bb133111ebu;
	return word ^ word >> 31;
}

/* The next random word of a sequence (splitmix64). */
static inline uint64_t seep_poisson_next(uint64_t *state)
{
	return seep_poisson_mix(*state += 0x9e3779b97f4a7c15u);
}

/* The product of two fractions in units of 2^-62. */
static inline uint64_t seep_poisson_times(uint64_t a, uint64_t b)
{
	return (uint64_t)((seep_poisson_wide)a * b >> 62);
}

/*
 * -ln(random / 2^64) in units of 2^-58, to 2^-56: random = 2^(63-n) m with m in [1, 2), and
 * ln m = 2 artanh t with t = (m - 1) / (m + 1), a series in t^2 <= 1/9.
 */
static inline uint64_t seep_poisson_log(uint64_t random)
{
	const uint64_t ln2 = 0x2c5c85fdf473de6au; /* in units of 2^-62 */
	unsigned int n, k;
	uint64_t m, t, square, sum = 0;

	if (!random)
		random = 1;
	n = (unsigned int)__builtin_clzll(random);
	m = random << n;
	t = (uint64_t)(((seep_poisson_wide)((m - ((uint64_t)1 << 63)) >> 1) << 62) /
		       ((m >> 1) + ((uint64_t)1 << 62)));
	square = seep_poisson_times(t, t);
	for (k = 20; k--; )
		sum = seep_poisson_times(sum, square) + ((uint64_t)1 << 62) / (2 * k + 1);
	/* (n + 1) ln 2 - ln m */
	return (uint64_t)(((seep_poisson_wide)ln2 * (n + 1) -
			   2 * (seep_poisson_wide)seep_poisson_times(t, sum)) >> 4);
}

/*
 * Bytes before the next sample: the whole part of an exponential variable, which is
 * geometric.  A countdown from it that is decremented by the size of each block falls below 0 at
 * a block with a sample.
 */
static inline uint64_t seep_poisson_draw(uint64_t random, uint64_t mean)
{
	return (uint64_t)((seep_poisson_wide)seep_poisson_log(random) * mean >> 58);
}

/* exp(-bytes / mean) in units of 2^-62; bytes < 64 * mean. */
static inline uint64_t seep_poisson_exp(uint64_t bytes, uint64_t mean)
{
	/* exp(-1), exp(-2), exp(-4) ... exp(-32) */
	static const uint64_t powers[] = {
		0x178b56362cef37c7u, 0x08a95551dfc0e5d0u, 0x012c155b8213cf47u,
		0x00057f08410409ebu, 0x00000078d56eebbau, 0x000000000000e423u,
	};
	uint64_t whole = bytes / mean, result = (uint64_t)1 << 62, fraction, k;

	fraction = (uint64_t)(((seep_poisson_wide)(bytes % mean) << 62) / mean);
	for (k = 20; k >= 1; k--) /* 1 - x/1 (1 - x/2 (1 - x/3 ... */
		result = ((uint64_t)1 << 62) - seep_poisson_times(fraction / k, result);
	for (k = 0; k < 6; k++)
		if (whole >> k & 1)
			result = seep_poisson_times(result, powers[k]);
	return result;
}

/* 1/p of a block, in units of 2^-20. */
static inline uint64_t seep_poisson_inverse(uint64_t bytes, uint64_t mean)
{
	const uint64_t one = (uint64_t)1 << SEEP_POISSON_DITHER_BITS;
	uint64_t missed;

	if (!bytes)
		bytes = 1; /* an empty block counts as if it had one byte */
	if (bytes / mean >= 40)
		return one;
	/* For small x: 1 / (1 - exp(-x)) = 1/x + 1/2 + x/12 - x^3/720 ... */
	if (bytes < mean / 256)
		return (uint64_t)(((seep_poisson_wide)mean << SEEP_POISSON_DITHER_BITS) / bytes) +
		       one / 2 + (bytes << SEEP_POISSON_DITHER_BITS) / mean / 12;
	missed = seep_poisson_exp(bytes, mean);
	return (uint64_t)(((seep_poisson_wide)one << 62) / (((uint64_t)1 << 62) - missed));
}

/* How many blocks one that is in the sample stands for.  dither: evenly spread words. */
static inline uint64_t seep_poisson_weight(uint64_t bytes, uint64_t mean, uint64_t dither)
{
	return (seep_poisson_inverse(bytes, mean) + (dither >> (64 - SEEP_POISSON_DITHER_BITS))) >>
	       SEEP_POISSON_DITHER_BITS;
}

/* The standard deviation of a sum of variances. */
static inline uint64_t seep_poisson_root(seep_poisson_wide square)
{
	uint64_t root = 0, bit;

	for (bit = (uint64_t)1 << 63; bit; bit >>= 1)
		if ((seep_poisson_wide)(root | bit) * (root | bit) <= square)
			root |= bit;
	return root;
}

#endif
