/* SPDX-License-Identifier: MIT */
/* Numbers as text, where stdio must not be used. */
#ifndef SEEP_OS_DIGITS_H
#define SEEP_OS_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Appends the decimal digits of n to the text, which must have room for ten more letters. */
static inline void seep_digits_append(char *text, uint32_t n)
{
	char digits[12];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	memcpy(text + strlen(text), digits + at, sizeof(digits) - at);
}

#endif
