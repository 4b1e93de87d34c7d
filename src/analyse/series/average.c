/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/average.h"

size_t seep_average_count(size_t n, size_t most)
{
	size_t each = (n + most - 1) / most;

	return each > 1 ? (n + each - 1) / each : n;
}

void seep_average_rows(double *to, size_t rows, const double *from, size_t n)
{
	size_t r, i;

	for (r = 0; r < rows; r++) {
		size_t start = r * n / rows, end = (r + 1) * n / rows;
		double sum = 0;

		for (i = start; i < end; i++)
			sum += from ? from[i] - from[0] : 1;
		to[r] = sum / (double)(end - start);
	}
}
