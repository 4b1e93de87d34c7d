/* SPDX-License-Identifier: MIT */
/* A program in C, without the C++ library, that loads an object in C++ for itself alone. */
#include "truth.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 20

int main(void)
{
	char path[PATH_MAX + 64] = "";
	long n = readlink("/proc/self/exe", path, PATH_MAX);
	void *(*function)(int), *library, *symbol, *blocks[ROUNDS];
	int i;

	if (n <= 0 || dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD))
		return 2;
	memcpy(strrchr(path, '/') + 1, "lib_cxx.so", sizeof("lib_cxx.so"));
	for (i = 0; i < ROUNDS; i++) {
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		symbol = library ? dlsym(library, "plugin_call") : NULL;
		if (!symbol)
			return 3;
		memcpy(&function, &symbol, sizeof(function));
		blocks[i] = function(i);
		dlclose(library);
	}
	truth_site("cxx_inner", ROUNDS, ROUNDS * 64);
	return ((char *)blocks[ROUNDS - 1])[0] != 'x';
}
