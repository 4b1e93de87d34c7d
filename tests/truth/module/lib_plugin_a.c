/* SPDX-License-Identifier: MIT */
#include "truth.h"

#include <stdlib.h>

__attribute__((visibility("default"))) void *plugin_call(int n);

SITE static void *plugin_a_inner(int n)
{
	void *block = malloc((size_t)(100 + n));

	KEEP_FRAME();
	return block;
}

void *plugin_call(int n)
{
	void *block = plugin_a_inner(n);

	KEEP_FRAME();
	return block;
}
