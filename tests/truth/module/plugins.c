/* SPDX-License-Identifier: MIT */
/* Code that is loaded, allocates and is unloaded, in turn at the same address. */
#include "truth.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 50
#define THREADS_MAX 8

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

static char exe[PATH_MAX];

static void *work(void *number)
{
	static void *blocks[THREADS_MAX][2 * ROUNDS];
	uintptr_t n = (uintptr_t)number;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		blocks[n][2 * i] = call(exe, "lib_plugin_a.so", i);
		blocks[n][2 * i + 1] = call(exe, "lib_plugin_b.so", i);
	}
	return blocks[n][0];
}

/* plugins [THREADS]: the same in several threads at once */
int main(int argc, char **argv)
{
	long n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int threads = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1, i;
	long long sum = threads * (ROUNDS * (ROUNDS - 1) / 2);
	pthread_t thread[THREADS_MAX];

	exe[n > 0 ? n : 0] = '\0';
	*strrchr(exe, '/') = '\0';
	for (i = 1; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i);
	work(NULL);
	for (i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	truth_site("plugin_a_inner", threads * ROUNDS, threads * ROUNDS * 100 + sum);
	truth_site("plugin_b_inner", threads * ROUNDS, threads * ROUNDS * 200 + sum);
	return 0;
}
