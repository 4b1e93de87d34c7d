// SPDX-License-Identifier: MIT
//
// Containers of the C++ library that double: one that is filled for ever, one that is filled in the
// first two fifths of the run, and a cache with a table that has its keys at some time.
//
//	doubling grows|stops|cache EVENTS
#include "seep.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

#define ITEMS 250
#define LOOKUPS 50
#define KEYS 8000

static std::vector<int> history;
static std::unordered_map<unsigned, int> cache;

static void remember(int event)
{
	for (int i = 0; i < ITEMS; i++)
		history.push_back(event);
}

static void look_up(int event)
{
	static unsigned state = 1;

	for (int i = 0; i < LOOKUPS; i++) {
		state = state * 1664525 + 1013904223;
		cache[(state >> 8) % KEYS] = event;
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	for (int event = 0; event < n; event++) {
		seep_event_begin(event);
		if (!strcmp(what, "cache"))
			look_up(event);
		else if (strcmp(what, "stops") || 5 * event < 2 * n)
			remember(event);
		seep_event_end();
	}
	printf("truth bytes_per_event %zu\n", !strcmp(what, "grows") ? ITEMS * sizeof(int) : 0);
	return 0;
}
