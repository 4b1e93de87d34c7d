/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * w4: arrays that grow by realloc.
 *
 *	w4 STEPS
 *
 * 4096 arrays of items of 96 bytes.  Each step grows a random one: of every two
 * arrays one doubles its room, up to 256 items, and the other takes one item more, up
 * to 128.  An array at its limit is freed and starts again with one item.  New
 * items are written.  Below the call paths of paths.h.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARRAYS 4096
#define DOUBLED_MAX 256
#define STEPPED_MAX 128
#define BURST_MAX 31

struct item {
	unsigned char bytes[96];
};

struct array {
	struct item *items;
	size_t n;
};

struct worker {
	uint64_t random;
	struct array *arrays;
};

static inline uint64_t draw(struct worker *w);

static inline void leaf(struct worker *w)
{
	uint64_t r = draw(w);
	size_t k = r % ARRAYS, n;
	struct array *a = &w->arrays[k];
	struct item *items;

	if (a->n == (k % 2 ? DOUBLED_MAX : STEPPED_MAX)) {
		free(a->items);
		*a = (struct array){ NULL, 0 };
	}
	n = k % 2 && a->n ? 2 * a->n : a->n + 1;
	items = realloc(a->items, n * sizeof(*items));
	if (!items)
		abort();
	memset(items + a->n, (int)(r >> 40), (n - a->n) * sizeof(*items));
	*a = (struct array){ items, n };
}

#include "paths.h"

int main(int argc, char **argv)
{
	static struct array arrays[ARRAYS];
	struct worker w = { 88172645463325252u, arrays };

	walk_paths(&w, argc > 1 ? strtol(argv[1], NULL, 10) : 500000);
	return 0;
}
