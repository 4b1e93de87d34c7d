/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times and sizes out of a file, which may be of any length and damaged. */
#ifndef SEEP_IMPORT_QUANTITY_H
#define SEEP_IMPORT_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than any machine has, and far enough from the end of int64 to calculate with. */
#define SEEP_QUANTITY_BYTES_MAX ((int64_t)1 << 60)
#define SEEP_QUANTITY_TIME_MAX ((int64_t)1 << 62) /* ns */

/*
 * The digits at *at, which is moved behind them.  0, -EINVAL: there is none, -ERANGE: more than
 * an int64 holds.
 */
int seep_quantity_digits(const char **at, const char *end, int64_t *value);

/* All of the text is one decimal number, finite; no blanks, no hexadecimals, no names. */
bool seep_quantity_decimal(const char *text, size_t n, double *value);

/* n units in bytes; false: negative, or more than there can be. */
bool seep_quantity_bytes(int64_t n, int64_t unit_bytes, int64_t *bytes);
bool seep_quantity_bytes_decimal(double n, double unit_bytes, int64_t *bytes);

/* Adds a block count or a size to a sum, which stops at a bound instead of overflowing. */
int64_t seep_quantity_add(int64_t sum, uint64_t more);

/* Seconds in nanoseconds; false: negative, or more than there can be. */
bool seep_quantity_seconds(double seconds, int64_t *ns);

#endif
