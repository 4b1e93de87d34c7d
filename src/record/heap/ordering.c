/* SPDX-License-Identifier: MIT */
#include "record/heap/ordering.h"

/* A heap whose first number comes last of all. */
static void sift_down(uint32_t *numbers, uint32_t at, uint32_t n,
		      bool (*comes_before)(uint32_t, uint32_t))
{
	uint32_t number = numbers[at], child;

	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && comes_before(numbers[child], numbers[child + 1]))
			child++;
		if (!comes_before(number, numbers[child]))
			break;
		numbers[at] = numbers[child];
	}
	numbers[at] = number;
}

void seep_ordering_sort(uint32_t *numbers, uint32_t n, bool (*comes_before)(uint32_t, uint32_t))
{
	uint32_t i, last;

	for (i = n / 2; i--;)
		sift_down(numbers, i, n, comes_before);
	while (n > 1) {
		last = numbers[--n];
		numbers[n] = numbers[0];
		numbers[0] = last;
		sift_down(numbers, 0, n, comes_before);
	}
}
