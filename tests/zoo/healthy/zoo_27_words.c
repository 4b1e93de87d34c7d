/* SPDX-License-Identifier: MIT */
/* Words are kept that were ever seen: there is always a new one, and ever more seldom. */
#include "mock.h"

#define BUCKETS 65536u
#define WORDS 60

struct word {
	struct word *next;
	uint64_t rank;
	char text[400];
};

static struct word *buckets[BUCKETS];

ZOO_SITE static struct word *remember(struct word *next, uint64_t rank)
{
	struct word *word = zoo_touch(malloc(sizeof(*word)), sizeof(*word));

	word->next = next;
	word->rank = rank;
	return word;
}

static void look_up(uint64_t rank)
{
	struct word **bucket = &buckets[(rank * 0x9e3779b97f4a7c15u) >> 48], *word;

	for (word = *bucket; word && word->rank != rank; word = word->next)
		;
	if (!word)
		*bucket = remember(*bucket, rank);
}

/* Zipf with an exponent of 1.5: of N words about N^.67 are different ones. */
static uint64_t draw_rank(void)
{
	return (uint64_t)fmin(pow(zoo_uniform(), -2), 1e18);
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 500), i;
	int w;

	mock_start();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_count("words", WORDS);
		seep_stamp("tokenise");
		for (w = 0; w < WORDS; w++)
			look_up(draw_rank());
		seep_stamp("score");
		mock_session();
		mock_scratch(25);
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){ .kinds = { "cache" }, .bytes_per_event = NAN });
	return 0;
}
