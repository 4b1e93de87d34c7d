/* SPDX-License-Identifier: MIT */
/* Mappings in all the ways they come, change and go, with books of its own. */
#define _GNU_SOURCE
#include "truth.h"
#include "seep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096l
#define KB 1024l
#define RW (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static void demand(int yes)
{
	if (!yes)
		abort();
}

static char *map(long bytes)
{
	char *map = mmap(NULL, (size_t)bytes, RW, ANON, -1, 0);

	demand(map != MAP_FAILED);
	return map;
}

SITE static void whole(void)
{
	int i;

	for (i = 0; i < 5; i++)
		map(64 * KB);
	for (i = 0; i < 100; i++)
		demand(!munmap(map(16 * PAGE), 16 * PAGE));
	map(1); /* takes a page */
	KEEP_FRAME();
}

SITE static void piecewise(void)
{
	char *middle = map(10 * PAGE), *front = map(10 * PAGE), *back = map(10 * PAGE);
	char *all = map(10 * PAGE), *two = map(8 * PAGE);

	demand(!munmap(middle + 3 * PAGE, 4 * PAGE));
	demand(!munmap(front, 2 * PAGE));
	demand(!munmap(back + 9 * PAGE, PAGE));
	demand(!munmap(all + 2 * PAGE, PAGE) && !munmap(all, 10 * PAGE));
	demand(!munmap(two + PAGE, PAGE) && !munmap(two + 5 * PAGE, PAGE));
	demand(munmap(two + 1, PAGE) && errno == EINVAL); /* changes nothing */
	demand(munmap(two, 0) && errno == EINVAL);
	KEEP_FRAME();
}

#define PIECEWISE (6 + 8 + 9 + 6)

SITE static void lower_layer(char **place)
{
	*place = map(100 * PAGE);
	KEEP_FRAME();
}

SITE static void upper_layer(char *place)
{
	demand(mmap(place + 10 * PAGE, 20 * PAGE, RW, ANON | MAP_FIXED, -1, 0) != MAP_FAILED);
	demand(mmap(place + 25 * PAGE, 20 * PAGE, RW, ANON | MAP_FIXED, -1, 0) != MAP_FAILED);
	demand(mmap(place + 90 * PAGE, 10 * PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) ==
	       MAP_FAILED && errno == EEXIST);
	KEEP_FRAME();
}

SITE static void moved(void)
{
	char *grown = map(4 * PAGE), *shrunk = map(20 * PAGE), *target = map(50 * PAGE);
	char *wall, *kept = map(2 * PAGE);

	grown = mremap(grown, 4 * PAGE, 300 * PAGE, MREMAP_MAYMOVE);
	demand(grown != MAP_FAILED);
	demand(mremap(shrunk, 20 * PAGE, 7 * PAGE, 0) == shrunk);
	demand(mremap(grown, 300 * PAGE, 30 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		      target + 10 * PAGE) == target + 10 * PAGE);
	/* Cannot grow where it is, and must not move. */
	wall = mmap(kept + 2 * PAGE, PAGE, PROT_READ, ANON | MAP_FIXED_NOREPLACE, -1, 0);
	demand(mremap(kept, 2 * PAGE, 1l << 46, 0) == MAP_FAILED && errno == ENOMEM);
	if (wall != MAP_FAILED)
		demand(!munmap(wall, PAGE));
	KEEP_FRAME();
}

#define MOVED (30 + 7 + 20 + 2)

SITE static char *reserve(void)
{
	char *map = mmap(NULL, 1ul << 30, PROT_NONE, ANON | MAP_NORESERVE, -1, 0);

	demand(map != MAP_FAILED);
	KEEP_FRAME();
	return map;
}

SITE static void commit(char *map)
{
	demand(!mprotect(map, 8 * PAGE, RW));
	demand(!mprotect(map + 4 * PAGE, 12 * PAGE, RW));     /* the first four again */
	demand(!mprotect(map + 2 * PAGE, PAGE, PROT_READ));   /* still there */
	demand(!mprotect(map + 6 * PAGE, 3 * PAGE, PROT_NONE));
	demand(!mprotect(map + 100 * PAGE, 5 * PAGE, RW));
	demand(mmap(map + 200 * PAGE, 6 * PAGE, RW, ANON | MAP_FIXED, -1, 0) != MAP_FAILED);
	demand(mprotect(map + 1, PAGE, RW) && errno == EINVAL);
	KEEP_FRAME();
}

#define COMMITTED (16 - 3 + 5 + 6)

SITE static void files(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	demand(fd >= 0);
	demand(mmap(NULL, 3 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
	demand(mmap64(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, PAGE) != MAP_FAILED);
	demand(mmap(NULL, PAGE, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	demand(mmap(NULL, PAGE, RW, MAP_PRIVATE, -1, 0) == MAP_FAILED && errno == EBADF);
	close(fd);
	KEEP_FRAME();
}

/* The break in bytes; a malloc between must not be disturbed. */
SITE static void the_break(void)
{
	char *start = sbrk(0), *block;

	demand(sbrk(10000) == start && sbrk(0) == start + 10000);
	memset(start, 1, 10000);
	block = malloc(100000);
	memset(block, 2, 100000);
	demand(sbrk(5000) != (void *)-1);
	demand(sbrk(-2000) != (void *)-1);
	free(block);
	start = sbrk(0);
	demand(!brk(start + 300));
	demand(sbrk(0) == start + 300);
	demand(!brk(start - 500));
	KEEP_FRAME();
}

/* Behind the back of every hook; the next one there must not be counted twice. */
SITE static void behind_the_back(void)
{
	char *place = map(12 * PAGE);

	syscall(SYS_munmap, place, 12 * PAGE);
	demand(mmap(place, 5 * PAGE, RW, ANON | MAP_FIXED, -1, 0) == place);
	syscall(SYS_munmap, place + 5 * PAGE, 7 * PAGE);
	demand(mmap(place + 5 * PAGE, 7 * PAGE, RW, ANON | MAP_FIXED, -1, 0) != MAP_FAILED);
	KEEP_FRAME();
}

/* Tens of thousands at once, unmapped in an order that has none. */
SITE static void very_many(void)
{
	enum { N = 20000 };
	static char *maps[N];
	unsigned int at = 1;
	int i;

	for (i = 0; i < N; i++)
		maps[i] = map(PAGE);
	for (i = 0; i < N - 10; i++) {
		at = (at * 1103515245u + 12345u) % N;
		while (!maps[at])
			at = (at + 1) % N;
		demand(!munmap(maps[at], PAGE));
		maps[at] = NULL;
	}
	KEEP_FRAME();
}

int main(void)
{
	char *place;

	seep_event_begin(0);
	whole();
	piecewise();
	lower_layer(&place);
	upper_layer(place);
	moved();
	commit(reserve());
	files();
	the_break();
	behind_the_back();
	very_many();
	seep_event_end();
	truth_site("whole", 6, 5 * 64 * KB + PAGE);
	truth_site("piecewise", 4, PIECEWISE * PAGE);
	truth_site("lower_layer", 1, 65 * PAGE);
	truth_site("upper_layer", 2, 35 * PAGE);
	truth_site("moved", 4, MOVED * PAGE);
	truth_site("reserve", 0, 0);
	truth_site("commit", 4, COMMITTED * PAGE);
	truth_site("files", 3, 6 * PAGE);
	truth_site("the_break", 2, 10000 + 5000 - 2000 + 300 - 500 - 300);
	truth_site("behind_the_back", 2, 12 * PAGE);
	truth_site("very_many", 10, 10 * PAGE);
	return 0;
}
