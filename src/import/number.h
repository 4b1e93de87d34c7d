/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses numbers in text, independent of the locale; a number that is too large is an error.
 *
 * Each function parses at *at and moves *at past what it parsed.  On false, *at is unchanged.
 */
#ifndef SEEP_IMPORT_NUMBER_H
#define SEEP_IMPORT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool seep_number_decimal(const char **at, uint64_t *number)
{
	const char *p = *at;
	uint64_t sum = 0;

	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(sum, 10u, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(*p - '0'), &sum))
			return false;
	*number = sum;
	*at = p;
	return true;
}

/* -1: not a digit.  A table, because branches on digit or letter would be mispredicted often. */
static inline int seep_number_digit(char c)
{
	static const signed char above[256] = {
		['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7,
		['7'] = 8, ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14,
		['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14,
		['E'] = 15, ['F'] = 16,
	};

	return above[(unsigned char)c] - 1;
}

/* Without "0x". */
static inline bool seep_number_hexadecimal(const char **at, uint64_t *number)
{
	const char *p = *at;
	uint64_t sum = 0;

	if (seep_number_digit(*p) < 0)
		return false;
	for (; seep_number_digit(*p) >= 0; p++) {
		if (sum >> 60)
			return false;
		sum = sum << 4 | (uint64_t)seep_number_digit(*p);
	}
	*number = sum;
	*at = p;
	return true;
}

/* Exactly this word. */
static inline bool seep_number_word(const char **at, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*at, word, n))
		return false;
	*at += n;
	return true;
}

static inline void seep_number_blanks(const char **at)
{
	while (**at == ' ' || **at == '\t')
		++*at;
}

#endif
