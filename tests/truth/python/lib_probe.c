/* SPDX-License-Identifier: MIT */
/* One allocation, and the native stack that it is made on, by the C library. */
#include <execinfo.h>
#include <stdlib.h>

int seep_probe(void **frames, int most);
int seep_probe(void **frames, int most)
{
	static void *volatile last;
	int n = backtrace(frames, most);

	last = malloc(977);
	return n + (last == NULL);
}
