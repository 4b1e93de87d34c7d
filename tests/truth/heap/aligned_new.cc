// SPDX-License-Identifier: MIT
// Aligned new and delete, of which an allocator's own may come by way of its aligned_alloc.
#include "truth.h"

#include <new>

struct alignas(64) line {
	char bytes[256];
};

struct plain {
	char bytes[300];
};

SITE static line *make_line()
{
	line *made = new line;

	KEEP_FRAME();
	return made;
}

SITE static plain *make_plain()
{
	plain *made = new plain;

	KEEP_FRAME();
	return made;
}

int main()
{
	static line *lines[50];
	static plain *plains[50];

	for (int i = 0; i < 500; i++) {
		delete lines[i % 50];
		delete plains[i % 50];
		lines[i % 50] = make_line();
		plains[i % 50] = make_plain();
	}
	truth_site("make_line", 50, 50 * sizeof(line));
	truth_site("make_plain", 50, 50 * sizeof(plain));
	return 0;
}
