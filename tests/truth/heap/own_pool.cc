/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * own_pool EVENTS [THREADS]
 *
 * Two pools, for --alloc-fn and --free-fn: a typed one, with pages from operator new and a free
 * list, and pool_take, which has its size as second argument.  In each event, lose_hit keeps 20
 * hits and lose_piece keeps 10 pieces of 48 bytes for good; use_hits takes 300 hits and gives them
 * back in the next event.  pool_take throws once per event, and lose_plain then takes 32 bytes from
 * malloc.
 */
#include "seep.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <vector>

#define NOT_INLINE __attribute__((noinline))

struct Hit {
	double x[13];
};

template <class T> struct Allocator {
	union Element {
		Element *next;
		T item;
	};
	struct Page {
		Page *next;
		Element elements[40];
	};
	Element *free_ones = nullptr;
	Page *pages = nullptr;
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	void grow();
	T *take_single();
	void give_single(T *item);
};

template <class T> NOT_INLINE void Allocator<T>::grow()
{
	Page *page = static_cast<Page *>(::operator new(sizeof(Page)));

	page->next = pages;
	pages = page;
	for (Element &element : page->elements) {
		element.next = free_ones;
		free_ones = &element;
	}
}

template <class T> NOT_INLINE T *Allocator<T>::take_single()
{
	pthread_mutex_lock(&lock);
	if (!free_ones)
		grow();

	Element *element = free_ones;

	free_ones = element->next;
	pthread_mutex_unlock(&lock);
	return &element->item;
}

template <class T> NOT_INLINE void Allocator<T>::give_single(T *item)
{
	Element *element = reinterpret_cast<Element *>(item);

	pthread_mutex_lock(&lock);
	element->next = free_ones;
	free_ones = element;
	pthread_mutex_unlock(&lock);
}

static Allocator<Hit> hits;
static pthread_mutex_t piece_lock = PTHREAD_MUTEX_INITIALIZER;
static char *piece, *piece_end;
static int piece_pages;

extern "C" NOT_INLINE void *pool_take(int kind, size_t bytes)
{
	char *block;

	if (kind < 0)
		throw std::bad_alloc();
	pthread_mutex_lock(&piece_lock);
	if (static_cast<size_t>(piece_end - piece) < bytes) {
		piece = static_cast<char *>(malloc(8192));
		piece_end = piece + 8192;
		piece_pages++;
	}
	block = piece;
	piece += bytes;
	pthread_mutex_unlock(&piece_lock);
	return block;
}

static thread_local void *volatile kept;

static NOT_INLINE void lose_hit()
{
	Hit *hit = hits.take_single();

	hit->x[0] = 1;
	kept = hit;
}

static NOT_INLINE void lose_piece()
{
	kept = pool_take(0, 48);
}

static NOT_INLINE void lose_plain()
{
	kept = malloc(32);
}

static NOT_INLINE void use_hits(std::vector<Hit *> &used)
{
	for (Hit *hit : used)
		hits.give_single(hit);
	used.clear();
	for (int i = 0; i < 300; i++)
		used.push_back(hits.take_single());
}

static NOT_INLINE void fail()
{
	try {
		kept = pool_take(-1, 48);
	} catch (const std::bad_alloc &) {
	}
}

static int n_events;

static NOT_INLINE void turn(std::vector<Hit *> &used)
{
	for (int i = 0; i < 20; i++)
		lose_hit();
	use_hits(used);
	for (int i = 0; i < 10; i++)
		lose_piece();
	fail();
	lose_plain();
}

static void *work(void *)
{
	std::vector<Hit *> used;

	for (int i = 0; i < n_events; i++)
		turn(used);
	return nullptr;
}

static void work_together(int n_threads)
{
	std::vector<pthread_t> threads(static_cast<size_t>(n_threads));

	seep_event_begin(0);
	for (pthread_t &thread : threads)
		if (pthread_create(&thread, nullptr, work, nullptr))
			exit(1);
	for (pthread_t &thread : threads)
		pthread_join(thread, nullptr);
	seep_event_end();
}

int main(int argc, char **argv)
{
	std::vector<Hit *> used;
	int n_threads = argc > 2 ? atoi(argv[2]) : 1;

	n_events = argc > 1 ? atoi(argv[1]) : 100;
	if (n_threads > 1)
		work_together(n_threads);
	for (int i = 0; i < n_events && n_threads == 1; i++) {
		seep_event_begin(i);
		turn(used);
		seep_event_end();
	}
	printf("truth lose_hit %d lose_piece %d lose_plain %d\n", 20 * n_events * n_threads,
	       10 * n_events * n_threads, n_events * n_threads);
	return 0;
}
