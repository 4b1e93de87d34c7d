/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses times and sizes in files that may be damaged, and adds them up. */
#ifndef SEEP_IMPORT_QUANTITY_H
#define SEEP_IMPORT_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than any machine has, and far enough from the limits of int64 to compute with. */
#define SEEP_QUANTITY_BYTES_MAX ((int64_t)1 << 60)
#define SEEP_QUANTITY_TIME_MAX ((int64_t)1 << 62) /* ns */

/*
 * Parses the digits at *at and moves *at past them.  Returns 0, -EINVAL if there are none, or
 * -ERANGE if the number does not fit into an int64.
 */
int seep_quantity_digits(const char **at, const char *end, int64_t *value);

/* True if the whole text is one finite decimal number; no blanks, no hexadecimal, no "inf". */
bool seep_quantity_decimal(const char *text, size_t n, double *value);

/* n units in bytes; false if negative or implausibly large. */
bool seep_quantity_bytes(int64_t n, int64_t unit_bytes, int64_t *bytes);
bool seep_quantity_bytes_decimal(double n, double unit_bytes, int64_t *bytes);

/* Adds a block count or a size to a sum, which stops at a bound instead of overflowing. */
int64_t seep_quantity_add(int64_t sum, uint64_t more);

/* Seconds in nanoseconds; false if negative or implausibly large. */
bool seep_quantity_seconds(double seconds, int64_t *ns);

#endif
