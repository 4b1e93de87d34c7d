/* SPDX-License-Identifier: MIT */
/* Code that is loaded, allocates and is unloaded, in turn at the same address. */
#include "truth.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 50

static void *call(const char *directory, const char *name, int n)
{
	char path[PATH_MAX + 64];
	void *library, *symbol, *block;
	void *(*function)(int);

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	symbol = dlsym(library, "plugin_call");
	memcpy(&function, &symbol, sizeof(function));
	block = function(n);
	dlclose(library);
	return block;
}

int main(void)
{
	static void *blocks[2 * ROUNDS];
	char exe[PATH_MAX];
	long n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	long long bytes_a = 0, bytes_b = 0;
	int i;

	exe[n > 0 ? n : 0] = '\0';
	*strrchr(exe, '/') = '\0';
	for (i = 0; i < ROUNDS; i++) {
		blocks[2 * i] = call(exe, "lib_plugin_a.so", i);
		blocks[2 * i + 1] = call(exe, "lib_plugin_b.so", i);
		bytes_a += 100 + i;
		bytes_b += 200 + i;
	}
	truth_site("plugin_a_inner", ROUNDS, bytes_a);
	truth_site("plugin_b_inner", ROUNDS, bytes_b);
	return blocks[0] == NULL;
}
