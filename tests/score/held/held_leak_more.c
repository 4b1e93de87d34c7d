/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaks beside, under or behind something else. */
#include "held.h"

/*
 * What another thread allocates is in the phase that the first thread happens to be in: the
 * same stack is a site for each.  One is the planted one only if it keeps clearly most.
 */
static void make_sites_everywhere(struct held *h, struct held_site **sites)
{
	size_t place;

	for (place = 0; place <= h->n_phases; place++)
		sites[place] = held_site(h, SEEP_MEMORY_HEAP, place);
}

static void blame_largest(struct held *h, struct held_site **sites)
{
	double most = 0, second = 0;
	size_t place, at = 0;

	for (place = 0; place <= h->n_phases; place++) {
		double bytes = held_bytes(sites[place]);

		if (bytes > most) {
			second = most;
			most = bytes;
			at = place;
		} else if (bytes > second) {
			second = bytes;
		}
	}
	if (most > 1.5 * second)
		h->c->truth.site = sites[at]->id;
}

struct timer {
	struct held_site *sites[HELD_PHASES + 1];
	double tick_ns, since_ns, size;
};

static void tick(struct held *h, size_t place, double ns)
{
	struct timer *timer = h->other_thread;

	for (timer->since_ns += ns; timer->since_ns > timer->tick_ns;
	     timer->since_ns -= timer->tick_ns)
		held_alloc(h, timer->sites[place], 1, timer->size, HELD_FOREVER);
}

/* The last event is left out: what was born in it may be freed yet. */
static double mean_bytes(const struct held *h, struct held_site **sites)
{
	double sum = 0;
	size_t place, e;

	for (place = 0; place <= h->n_phases; place++)
		for (e = 0; e + 1 < h->n; e++)
			sum += (double)sites[place]->bytes[e];
	return sum / (double)(h->n - 1);
}

/* Every tick of a timer leaves a record, whatever the events do. */
void held_leak_timer(struct score_case *c, size_t n, struct noise *noise)
{
	struct timer timer = { .since_ns = 0 };
	struct held h;

	held_open(&h, c, n, noise, true);
	h.spread = .8;
	make_sites_everywhere(&h, timer.sites);
	timer.tick_ns = h.event_ns * held_log_between(&h, .1, .6);
	timer.size = floor(held_log_between(&h, 500, 8000));
	h.other_thread = &timer;
	h.meanwhile = tick;
	while (held_next(&h))
		while (held_phase(&h))
			;
	held_truth_leak(&h, mean_bytes(&h, timer.sites));
	blame_largest(&h, timer.sites);
	held_close(&h);
}

void held_leak_two(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *large, *small;
	double size;
	struct held h;

	held_open(&h, c, n, noise, true);
	large = held_site(&h, SEEP_MEMORY_HEAP, 1);
	small = held_site(&h, SEEP_MEMORY_HEAP, 2);
	if (held_chance(&h, .5)) {
		large->phase = 2;
		small->phase = 1;
	}
	size = floor(held_log_between(&h, 500, 20000));
	while (held_next(&h))
		while (held_phase(&h)) {
			if (h.phase == large->phase)
				held_alloc(&h, large, 3, size, HELD_FOREVER);
			if (h.phase == small->phase)
				held_alloc(&h, small, 1, size, HELD_FOREVER);
		}
	held_truth_leak(&h, 4 * size);
	held_planted(&h, large);
	held_close(&h);
}

/* The first phase makes objects, the last one frees them, and overlooks one in ten. */
void held_leak_unbalanced(struct score_case *c, size_t n, struct noise *noise)
{
	static const char *const phases[] = { "build", "use", "clear", NULL };
	struct held_site *site;
	double size, rate;
	uint64_t born;
	struct held h;

	held_open_phases(&h, c, n, noise, phases);
	site = held_site(&h, SEEP_MEMORY_HEAP, 1);
	size = floor(held_log_between(&h, 50, 3000));
	rate = held_between(&h, 40, 200);
	while (held_next(&h)) {
		born = held_poisson(&h, rate);
		while (held_phase(&h)) {
			uint64_t freed = born - born / 10;

			if (h.phase == 1)
				held_alloc(&h, site, born, size, HELD_FOREVER);
			if (h.phase == 3)
				held_free(&h, site, h.event, freed, (double)freed * size);
		}
	}
	held_truth_leak(&h, held_bytes(site) / (double)n);
	held_planted(&h, site);
	held_close(&h);
}

/* Between the last stamp of an event and the start of the next; no event is ended. */
void held_leak_wrap_around(struct score_case *c, size_t n, struct noise *noise)
{
	static const char *const phases[] = { "HEAD", "propagate", "TAIL", NULL };
	struct held_site *site;
	double size;
	struct held h;

	held_open_phases(&h, c, n, noise, phases);
	h.ends = false;
	site = held_site(&h, SEEP_MEMORY_HEAP, 3);
	size = floor(held_log_between(&h, 1000, 100000));
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, 2, size, HELD_FOREVER);
	held_truth_leak(&h, 2 * size);
	held_planted(&h, site);
	held_close(&h);
}

struct packer {
	struct held_site *sites[HELD_PHASES + 1];
	double rate, size;
};

static void pack(struct held *h, size_t place, double ns)
{
	struct packer *packer = h->other_thread;
	double mean = packer->rate * ns / h->event_ns;

	held_alloc(h, packer->sites[place], held_poisson(h, mean), packer->size, HELD_FOREVER);
	held_alloc(h, packer->sites[place], held_poisson(h, 3 * mean), packer->size, 0);
}

/* A thread of its own compresses what it is given and loses one buffer of four. */
void held_leak_other_thread(struct score_case *c, size_t n, struct noise *noise)
{
	struct packer packer;
	struct held h;

	held_open(&h, c, n, noise, true);
	make_sites_everywhere(&h, packer.sites);
	packer.rate = held_log_between(&h, 2, 10);
	packer.size = floor(held_log_between(&h, 1000, 20000));
	h.other_thread = &packer;
	h.meanwhile = pack;
	while (held_next(&h))
		while (held_phase(&h))
			;
	held_truth_leak(&h, mean_bytes(&h, packer.sites));
	blame_largest(&h, packer.sites);
	held_close(&h);
}

/* A collector runs now and then, and what has a reference too many stays. */
void held_leak_under_collector(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *garbage, *lost;
	double rate, size, mean;
	int64_t next, e;
	struct held h;

	held_open(&h, c, n, noise, true);
	garbage = held_site_somewhere(&h);
	lost = held_site_somewhere(&h);
	rate = held_log_between(&h, 40, 300);
	size = floor(held_log_between(&h, 100, 500));
	mean = (double)n / held_between(&h, 9, 20);
	next = (int64_t)(mean * held_between(&h, .5, 1.5));
	while (held_next(&h))
		while (held_phase(&h)) {
			if (h.phase == lost->phase)
				held_alloc(&h, lost, 10, 1024, HELD_FOREVER);
			if (h.phase != garbage->phase)
				continue;
			held_alloc(&h, garbage, held_poisson(&h, rate), size, HELD_FOREVER);
			if (h.event < next)
				continue;
			for (e = 0; e <= h.event; e++)
				held_free(&h, garbage, e, garbage->blocks[e],
					  (double)garbage->bytes[e]);
			next = h.event + 1 + (int64_t)(mean * held_between(&h, .5, 1.5));
		}
	held_truth_leak(&h, 10240);
	held_planted(&h, lost);
	held_close(&h);
}

/* 20 KB are lost in an event, and 60 KB of pages stay behind that are free. */
void held_leak_and_retention(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site, *pin;
	struct held h;

	held_open(&h, c, n, noise, true);
	h.memory.allocator = "glibc";
	h.memory.decay = 0;
	h.memory.trims = false;
	h.memory.probed = true;
	site = held_site_somewhere(&h);
	pin = held_site_somewhere(&h);
	while (held_next(&h))
		while (held_phase(&h)) {
			if (h.phase == site->phase)
				held_alloc(&h, site, 5, 4096, HELD_FOREVER);
			if (h.phase != pin->phase)
				continue;
			held_alloc(&h, pin, 1, 64, 1);
			held_add_holes(&h, 60 * HELD_KB * held_between(&h, .6, 1.4));
		}
	held_truth_leak(&h, 5 * 4096);
	held_planted(&h, site);
	held_close(&h);
}

/*
 * A list of all that ever happened, that of the last run included: an eighth larger than
 * needed when it is made larger, which is a sixteenth in the mean.
 */
void held_leak_history(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *list;
	double used, room = 256 * HELD_KB, item;
	struct held h;

	held_open(&h, c, n, noise, true);
	list = held_site_somewhere(&h);
	item = floor(held_log_between(&h, 6000, 40000));
	used = .97 * room;
	while (held_next(&h))
		while (held_phase(&h)) {
			if (h.phase != list->phase)
				continue;
			if (h.event == 0)
				held_alloc(&h, list, 1, room, HELD_FOREVER);
			used += floor(item * held_between(&h, .5, 1.5));
			if (used > room) {
				double more = floor(used * 1.125 - room);

				held_grow(&h, list, 0, more);
				room += more;
			}
		}
	held_truth_leak(&h, 1.0625 * item);
	held_planted(&h, list);
	held_close(&h);
}

/* The reader is faster than who writes to the disk: the queue between them gets longer. */
void held_leak_backlog(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *queue;
	double size, rate, keeps_up;
	int64_t oldest = 0;
	struct held h;

	held_open(&h, c, n, noise, true);
	queue = held_site_somewhere(&h);
	rate = held_log_between(&h, 10, 100);
	keeps_up = held_between(&h, .6, .85);
	size = floor(held_log_between(&h, 200, 8000));
	while (held_next(&h))
		while (held_phase(&h)) {
			uint64_t done = held_poisson(&h, keeps_up * rate);

			if (h.phase != queue->phase)
				continue;
			held_alloc(&h, queue, held_poisson(&h, rate), size, HELD_FOREVER);
			while (done && held_blocks(queue)) {
				uint64_t some;

				while (!queue->blocks[oldest])
					oldest++;
				some = queue->blocks[oldest];
				some = done < some ? done : some;
				held_free(&h, queue, oldest, some, (double)some * size);
				done -= some;
			}
		}
	held_truth_leak(&h, (1 - keeps_up) * rate * size);
	held_planted(&h, queue);
	held_close(&h);
}

/* The tables of a start; when it begins again they are freed and others made. */
static void start_again(struct held *h, struct held_site *tables, int64_t *made)
{
	if (*made == HELD_EARLY)
		held_free(h, tables, HELD_EARLY, tables->early_blocks,
			  (double)tables->early_bytes);
	else
		held_free(h, tables, *made, tables->blocks[*made], (double)tables->bytes[*made]);
	held_alloc(h, tables, 100, held_log_between(h, 5e3, 8e4), HELD_FOREVER);
	*made = h->event;
	h->index_from = h->event + 1;
}

/*
 * The program starts again within itself, four times: it frees its tables, makes others, and
 * counts its events from 0.  What it has lost it cannot free.  One start more may be clean.
 */
void held_leak_restarts(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site, *tables;
	int64_t made = HELD_EARLY;
	struct held h;
	size_t clean, segments = 4;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	tables = held_site(&h, SEEP_MEMORY_HEAP, h.n_phases);
	clean = held_chance(&h, .5) ? 1 + held_pick(&h, 2) : SIZE_MAX;
	segments += clean != SIZE_MAX;
	held_alloc(&h, tables, 100, held_log_between(&h, 5e3, 8e4), HELD_FOREVER);
	while (held_next(&h)) {
		size_t now = (size_t)h.event * segments / n;
		size_t next = (size_t)(h.event + 1) * segments / n;

		while (held_phase(&h)) {
			if (h.phase == site->phase && now != clean)
				held_alloc(&h, site, 5, 1024, HELD_FOREVER);
			if (h.phase == tables->phase && next > now && next < segments)
				start_again(&h, tables, &made);
		}
	}
	held_truth_leak(&h, clean == SIZE_MAX ? 5120 : NAN);
	held_planted(&h, site);
	held_close(&h);
}
