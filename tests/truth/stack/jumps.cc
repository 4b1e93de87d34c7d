// SPDX-License-Identifier: MIT
// Exceptions and longjmp through frames that the tracker remembers, deep recursion, static
// constructors and destructors, a realigned stack.
#include "truth.h"

#include <csetjmp>
#include <cstdlib>
#include <stdexcept>

static void *kept[4096];
static int n_kept;

SITE static void in_constructor()
{
	kept[n_kept++] = malloc(40);
	KEEP_FRAME();
}

static struct Early {
	Early() { in_constructor(); }
	~Early() { free(malloc(20)); }
} early;

SITE static void leaf(size_t bytes)
{
	kept[n_kept++] = malloc(bytes);
	KEEP_FRAME();
}

SITE static void thrower(int depth)
{
	leaf(8);
	if (depth == 0)
		throw std::runtime_error("far out");
	thrower(depth - 1);
	KEEP_FRAME();
}

static jmp_buf place;

SITE static void jump_if(bool now)
{
	if (now)
		longjmp(place, 1);
}

SITE static void jumper(int depth)
{
	leaf(16);
	if (depth)
		jumper(depth - 1);
	jump_if(depth == 0);
	KEEP_FRAME();
}

SITE static int deep(int depth)
{
	int n = depth ? deep(depth - 1) : 0;

	if (depth % 1000 == 0)
		leaf(32);
	KEEP_FRAME();
	return n + 1;
}

SITE static void realigned(int n)
{
	alignas(64) volatile char wide[128];

	wide[n % 128] = 1;
	leaf(63 + wide[n % 128]);
	KEEP_FRAME();
}

int main()
{
	for (volatile int i = 0; i < 50; i = i + 1) {
		try {
			thrower(i % 7);
		} catch (const std::runtime_error &) {
			leaf(1);
		}
		if (!setjmp(place))
			jumper(i % 5);
		leaf(2);
		realigned(i);
	}
	deep(5000);
	long long blocks = 0, bytes = 0;
	for (int i = 0; i < 50; i++) {
		blocks += i % 7 + 1 + i % 5 + 1 + 3;
		bytes += (i % 7 + 1) * 8 + (i % 5 + 1) * 16 + 1 + 2 + 64;
	}
	truth_site("leaf", blocks + 6, bytes + 6 * 32);
	truth_site("in_constructor", 1, 40);
	return kept[0] == nullptr;
}
