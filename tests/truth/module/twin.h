/* SPDX-License-Identifier: MIT */
/* Two objects with the same instructions at the same places, but for the size of a frame. */
#include "truth.h"

#include <stdlib.h>

__attribute__((visibility("default"))) void *plugin_call(int n);

SITE static void *TWIN_INNER(int n)
{
	volatile char pad[TWIN_PAD];
	void *block;

	pad[n] = 1;
	block = malloc((size_t)(99 + n + pad[n]));
	KEEP_FRAME();
	return block;
}

void *plugin_call(int n)
{
	void *block = TWIN_INNER(n);

	KEEP_FRAME();
	return block;
}

/* While it is unloaded it allocates, too. */
__attribute__((destructor)) static void end(void)
{
	free(plugin_call(1));
}
