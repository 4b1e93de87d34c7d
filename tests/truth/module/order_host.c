/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * order_host LIBRARY
 *
 * Twice loads lib_orders.so, has four threads call orders_run 200 times each, forks a child that
 * calls it ten times, and unloads the library.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define CALLS 200

static int (*run)(int);

static void *work(void *sum)
{
	for (int i = 0; i < CALLS; i++)
		*(long *)sum += run(i);
	return NULL;
}

static long work_together(void)
{
	pthread_t threads[THREADS];
	long sums[THREADS] = { 0 }, sum = 0;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, &sums[i]))
			exit(1);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += sums[i];
	}
	return sum;
}

static int fork_one(void)
{
	int status = 1, sum = 0;
	pid_t child = fork();

	if (!child) {
		for (int i = 0; i < 10; i++)
			sum += run(i);
		_exit(sum & 63);
	}
	waitpid(child, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	for (int i = 0; i < 2; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);

		if (!library) {
			puts(dlerror());
			return 1;
		}
		run = (int (*)(int))dlsym(library, "orders_run");
		printf("%ld %d\n", work_together(), fork_one());
		dlclose(library);
	}
	return 0;
}
