/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run in slices of equal time: how much was live at the end of each slice, and what each site
 * held at the end of some.  As the run grows, slices become longer: of each two the later one is
 * kept, so that their number never exceeds a fixed limit.
 */
#ifndef SEEP_IMPORT_PROFILE_HEAPTRACK_SLICES_H
#define SEEP_IMPORT_PROFILE_HEAPTRACK_SLICES_H

#include "import/profile/heaptrack_books.h"

#define SEEP_HEAPTRACK_MARKS 512u
#define SEEP_HEAPTRACK_DUMPS 64u
#define SEEP_HEAPTRACK_TIME_MAX ((uint64_t)1 << 42) /* ms: more than a century */

struct seep_heaptrack_mark {
	int64_t t_ms;
	bool has_rss;
	uint64_t rss_bytes, blocks, bytes;
};

/* Packed numbers: site (as a difference), blocks and bytes of each site that holds something. */
struct seep_heaptrack_dump {
	struct seep_arena arena;
	uint64_t mark;           /* its number, from 1 */
	unsigned char *data;
	size_t bytes;
};

struct seep_heaptrack_slices {
	struct seep_heaptrack_books *books;
	int64_t width_ms;
	bool has_rss;
	uint64_t rss_bytes;      /* as last read */
	struct seep_heaptrack_mark marks[SEEP_HEAPTRACK_MARKS + 1];
	size_t n_marks;
	uint64_t stride;         /* marks from one dump to the next */
	struct seep_heaptrack_dump dumps[SEEP_HEAPTRACK_DUMPS + 1];
	size_t n_dumps, dump_bytes;
};

void seep_heaptrack_slices_init(struct seep_heaptrack_slices *slices,
				struct seep_heaptrack_books *books);
void seep_heaptrack_slices_release(struct seep_heaptrack_slices *slices);

/* Advances time to t_ms; the books hold what was live until then. */
void seep_heaptrack_slices_advance(struct seep_heaptrack_slices *slices, int64_t t_ms);

/*
 * Call this at the end of the file: composes all events and dumps.  Returns false if there are
 * too many stacks.
 */
bool seep_heaptrack_slices_finish(struct seep_heaptrack_slices *slices, int64_t t_ms);

#endif
