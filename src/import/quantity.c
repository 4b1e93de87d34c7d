/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/quantity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DECIMAL_MAX 63           /* longest number, in characters */

int seep_quantity_digits(const char **at, const char *end, int64_t *value)
{
	const char *p = *at;
	int64_t n = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (n > (INT64_MAX - 9) / 10)
			return -ERANGE;
		n = n * 10 + (*p - '0');
	}
	if (p == *at)
		return -EINVAL;
	*at = p;
	*value = n;
	return 0;
}

bool seep_quantity_decimal(const char *text, size_t n, double *value)
{
	char copy[DECIMAL_MAX + 1];
	char *end;

	if (!n || n > DECIMAL_MAX)
		return false;
	memcpy(copy, text, n);
	copy[n] = 0;
	if (strspn(copy, "0123456789+-.eE") != n)
		return false;
	*value = strtod(copy, &end);
	return end == copy + n && isfinite(*value);
}

bool seep_quantity_bytes(int64_t n, int64_t unit_bytes, int64_t *bytes)
{
	return n >= 0 && !__builtin_mul_overflow(n, unit_bytes, bytes) &&
	       *bytes <= SEEP_QUANTITY_BYTES_MAX;
}

bool seep_quantity_bytes_decimal(double n, double unit_bytes, int64_t *bytes)
{
	double product = n * unit_bytes;

	if (!(product >= 0 && product <= (double)SEEP_QUANTITY_BYTES_MAX))
		return false;
	*bytes = (int64_t)llround(product);
	return true;
}

int64_t seep_quantity_add(int64_t sum, uint64_t more)
{
	return more < (uint64_t)(INT64_MAX / 2 - sum) ? sum + (int64_t)more : INT64_MAX / 2;
}

bool seep_quantity_seconds(double seconds, int64_t *ns)
{
	double product = seconds * 1e9;

	if (!(product >= 0 && product <= (double)SEEP_QUANTITY_TIME_MAX))
		return false;
	*ns = (int64_t)product;
	return true;
}
