/* SPDX-License-Identifier: MIT */
/*
 * Code takes the place of other code before the dlclose of the first has returned, as another
 * thread could make it: lib_meddler.so, preloaded, calls back at that moment.
 */
#define _GNU_SOURCE
#include "truth.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 20

static char directory[PATH_MAX];
static void *blocks[2 * ROUNDS], *second;
static int n_blocks, same_places;
static uintptr_t place;

static void *load(const char *name, int n)
{
	char path[PATH_MAX + 64];
	void *library, *symbol;
	void *(*function)(int);
	Dl_info info;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	symbol = library ? dlsym(library, "plugin_call") : NULL;
	if (!symbol || !dladdr(symbol, &info))
		abort();
	same_places += (uintptr_t)info.dli_fbase == place;
	place = (uintptr_t)info.dli_fbase;
	memcpy(&function, &symbol, sizeof(function));
	blocks[n_blocks++] = function(n);
	return library;
}

static void load_second(void)
{
	second = load("lib_twin_b.so", 0);
}

int main(void)
{
	void (**act)(void) = dlsym(RTLD_DEFAULT, "meddler_act");
	long n = readlink("/proc/self/exe", directory, sizeof(directory) - 1);
	void *first;
	int i;

	directory[n > 0 ? n : 0] = '\0';
	*strrchr(directory, '/') = '\0';
	for (i = 0; i < ROUNDS; i++) {
		first = load("lib_twin_a.so", 0);
		*act = load_second;
		dlclose(first);
		*act = NULL;
		dlclose(second);
	}
	truth_site("twin_a_inner", ROUNDS, ROUNDS * 100);
	truth_site("twin_b_inner", ROUNDS, ROUNDS * 100);
	return same_places == 0 || !blocks[0];
}
