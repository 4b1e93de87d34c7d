/* SPDX-License-Identifier: MIT */
/* Allocates until there is no more, tells how many MB that were, frees them and goes on. */
#include "truth.h"

#include <stdlib.h>

#define MB ((size_t)1 << 20)

static void *blocks[4096];

int main(void)
{
	int n = 0, i;

	while (n < 4096 && (blocks[n] = malloc(MB)))
		n++;
	for (i = 0; i < n; i++)
		free(blocks[i]);
	for (i = 0; i < 1000; i++)
		free(malloc(1000));
	printf("%d\n", n);
	return 0;
}
