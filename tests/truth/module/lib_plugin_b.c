/* SPDX-License-Identifier: MIT */
#include "truth.h"

#include <stdlib.h>

__attribute__((visibility("default"))) void *plugin_call(int n);

/* Another frame size than plugin_a's, at what is likely the same address. */
SITE static void *plugin_b_inner(int n)
{
	volatile char pad[4000];
	void *block;

	pad[n] = 1;
	n += pad[n] - 1;
	block = malloc((size_t)(200 + n));
	KEEP_FRAME();
	return block;
}

void *plugin_call(int n)
{
	volatile char pad[300];
	void *block;

	pad[n] = 1;
	n += pad[n] - 1;
	block = plugin_b_inner(n);
	KEEP_FRAME();
	return block;
}
