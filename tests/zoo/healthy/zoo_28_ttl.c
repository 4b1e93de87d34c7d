/* SPDX-License-Identifier: MIT */
/*
 * Entries are valid for 60 ms.  Events are slow and fast by turns, from 1 to 4 ms, so an
 * entry lives for as many milliseconds as the others, but not for as many events.
 */
#include "work.h"

#define VALID_NS 60000000
#define ENTRIES 6                /* per event */
#define ENTRY_BYTES 320
#define CYCLE 150.0              /* events */

struct entry {
	struct entry *next;
	int64_t made_ns;
	char value[ENTRY_BYTES - sizeof(void *) - sizeof(int64_t)];
};

static struct entry *oldest, **end = &oldest;

static ZOO_SITE struct entry *make_entry(void)
{
	return zoo_touch(malloc(sizeof(struct entry)), sizeof(struct entry));
}

static void insert(int64_t now)
{
	struct entry *entry = make_entry();

	entry->next = NULL;
	entry->made_ns = now;
	*end = entry;
	end = &entry->next;
}

static void expire(int64_t now)
{
	while (oldest && oldest->made_ns < now - VALID_NS) {
		struct entry *entry = oldest;

		oldest = entry->next;
		free(entry);
	}
	if (!oldest)
		end = &oldest;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "cache", "flat" }, .bytes_per_event = NAN };
	long i, k, n = zoo_start(argc, argv, 600);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("wait");
		work_sleep_us(2200 - 1500 * cos(2 * 3.14159265358979323846 * (double)i / CYCLE));
		seep_stamp("look_up");
		expire(work_now_ns());
		for (k = 0; k < ENTRIES; k++)
			insert(work_now_ns());
		seep_stamp("answer");
		work_read(i);
		work_handle(i);
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
