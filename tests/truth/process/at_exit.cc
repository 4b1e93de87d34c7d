// SPDX-License-Identifier: MIT
// What is allocated before main and what is freed, or allocated, after it: the books are closed
// after all of that.
#include "truth.h"

#include <cstdlib>
#include <vector>

static void *freed_late[20], *kept[60];

SITE static void *before_main(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

SITE static void *after_main(size_t bytes)
{
	void *block = calloc(1, bytes);

	KEEP_FRAME();
	return block;
}

SITE static void *at_exit_time(size_t bytes)
{
	void *block = realloc(nullptr, bytes);

	KEEP_FRAME();
	return block;
}

__attribute__((constructor)) static void construct()
{
	for (int i = 0; i < 10; i++)
		freed_late[i] = before_main(50);
}

__attribute__((destructor)) static void destruct()
{
	for (int i = 0; i < 10; i++)
		free(freed_late[i]);
	for (int i = 0; i < 20; i++)
		kept[i] = after_main(30);
}

static struct Static {
	std::vector<int> numbers = std::vector<int>(1000, 1);
	Static()
	{
		for (int i = 10; i < 20; i++)
			freed_late[i] = before_main(60);
	}
	~Static()
	{
		for (int i = 10; i < 15; i++)
			free(freed_late[i]);
		for (int i = 20; i < 40; i++)
			kept[i] = after_main(30);
	}
} object;

static void leave()
{
	for (int i = 40; i < 60; i++)
		kept[i] = at_exit_time(20);
	free(kept[40]);
}

int main()
{
	atexit(leave);
	truth_site("before_main", 5, 5 * 60);
	truth_site("after_main", 40, 40 * 30);
	truth_site("at_exit_time", 19, 19 * 20);
	return object.numbers[0] != 1;
}
