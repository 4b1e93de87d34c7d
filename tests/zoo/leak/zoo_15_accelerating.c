/* SPDX-License-Identifier: MIT */
/*
 * A list of what was seen gets one item longer in each event, and a copy of it
 * is made in each that nobody frees.
 */
#include "mock.h"

#define ITEM_BYTES 96

struct item {
	struct item *next;
	long event;
};

ZOO_SITE static struct item *new_item(struct item *next, long event)
{
	struct item *item = zoo_touch(malloc(ITEM_BYTES), ITEM_BYTES);

	item->next = next;
	item->event = event;
	return item;
}

ZOO_SITE static struct item *copy_item(const struct item *from)
{
	struct item *item = zoo_touch(malloc(ITEM_BYTES), ITEM_BYTES);

	item->next = NULL;
	item->event = from->event;
	return item;
}

static long sum_of_copy(const struct item *list)
{
	struct item *copy = NULL, **end = &copy;
	long sum = 0;

	for (; list; list = list->next) {
		*end = copy_item(list);
		end = &(*end)->next;
	}
	for (; copy; copy = copy->next)
		sum += copy->event;
	return sum;
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 300), i, sum = 0;
	struct item *list = NULL;

	mock_start();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("collect");
		mock_session();
		mock_scratch(20);
		list = new_item(list, i);
		seep_stamp("summarise");
		sum += sum_of_copy(list);
		seep_stamp("report");
		mock_think(5);
		seep_event_end();
	}
	printf("sum %ld\n", sum);
	zoo_tell(&(struct zoo_truth){
		.kinds = { "leak" }, .bytes_per_event = ITEM_BYTES * (.875 * (double)n + 1),
		.phase = "summarise", .site = "copy_item",
	});
	return 0;
}
