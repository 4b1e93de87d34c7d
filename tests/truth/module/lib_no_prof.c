/* SPDX-License-Identifier: MIT */
/* What a jemalloc that was built without its profiler says when it is told to profile. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);

int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes)
{
	(void)name;
	(void)old;
	(void)old_bytes;
	(void)new;
	(void)new_bytes;
	return 2;
}

__attribute__((constructor)) static void complain(void)
{
	static const char text[] = "<jemalloc>: Invalid conf pair: prof:true\n";
	const char *conf = getenv("MALLOC_CONF");

	if (conf && strstr(conf, "prof:true") && write(2, text, sizeof(text) - 1) < 0)
		_exit(1);
}
