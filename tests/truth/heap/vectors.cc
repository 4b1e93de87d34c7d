// SPDX-License-Identifier: MIT
//
// Containers of the C++ library that grow.  What they ask for follows from their capacities, at
// which this program looks after each step:
//
//	truth moves FUNCTION chains N growths N ...        as in growers.c
#include "seep.h"
#include "truth.h"

#include <string>
#include <vector>

struct item {
	char bytes[24];
};

struct counts {
	long long chains, growths, copied_bytes, first_bytes, grown_bytes, largest_bytes;
};

// had and has are the bytes asked for, 0 where nothing was.
static void count(struct counts *counts, size_t first, size_t had, size_t has)
{
	if (!had || has == had)
		return;
	if (had == first) {
		counts->chains++;
		counts->first_bytes += (long long)first;
	}
	counts->growths++;
	counts->copied_bytes += (long long)had;
	counts->grown_bytes += (long long)(has - had);
	if ((long long)has > counts->largest_bytes)
		counts->largest_bytes = (long long)has;
}

SITE static void fill_vector(struct counts *counts, size_t n)
{
	std::vector<item> items;

	for (size_t i = 0; i < n; i++) {
		size_t had = items.capacity() * sizeof(item);

		items.push_back(item());
		count(counts, sizeof(item), had, items.capacity() * sizeof(item));
	}
	KEEP_FRAME();
}

SITE static void fill_strings(struct counts *counts, size_t n)
{
	std::vector<std::string> strings;

	for (size_t i = 0; i < n; i++) {
		size_t had = strings.capacity() * sizeof(std::string);

		strings.emplace_back("short");
		count(counts, sizeof(std::string), had, strings.capacity() * sizeof(std::string));
	}
	KEEP_FRAME();
}

// A short string has its letters inside.
static size_t asked_for(const std::string &text)
{
	return text.capacity() > 15 ? text.capacity() + 1 : 0;
}

SITE static void fill_string(struct counts *counts, size_t n)
{
	std::string text;

	for (size_t i = 0; i < n; i++) {
		size_t had = asked_for(text);

		text.push_back('x');
		count(counts, 31, had, asked_for(text));
	}
	KEEP_FRAME();
}

static void tell(const char *function, const struct counts *counts)
{
	printf("truth moves %s chains %lld growths %lld moves %lld replaced %lld copied_bytes %lld "
	       "first_bytes %lld grown_bytes %lld largest_bytes %lld live_chains 0 live_bytes 0\n",
	       function, counts->chains, counts->growths, counts->growths, counts->growths,
	       counts->copied_bytes, counts->first_bytes, counts->grown_bytes,
	       counts->largest_bytes);
}

int main()
{
	struct counts counts[3] = {};

	for (int event = 0; event < 20; event++) {
		seep_event_begin(event);
		fill_vector(&counts[0], 3000);
		fill_strings(&counts[1], 500);
		fill_string(&counts[2], 2000);
		seep_event_end();
	}
	tell("fill_vector", &counts[0]);
	tell("fill_strings", &counts[1]);
	tell("fill_string", &counts[2]);
}
