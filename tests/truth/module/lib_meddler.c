/* SPDX-License-Identifier: MIT */
/* Preloaded: a dlclose that lets the program act when the code is gone, before it returns. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

__attribute__((visibility("default"))) void (*meddler_act)(void);

int dlclose(void *object)
{
	void *symbol = dlsym(RTLD_NEXT, "dlclose");
	int (*close_it)(void *), result;

	memcpy(&close_it, &symbol, sizeof(close_it));
	result = close_it(object);
	if (meddler_act)
		meddler_act();
	return result;
}
