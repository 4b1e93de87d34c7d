/* SPDX-License-Identifier: MIT */
/*
 * gensteps - an array that grows, and a question: leak or fragmentation?
 *
 * In February 2021 a detector simulation gained 1.4 to 3.5 MB of address space with
 * every event.  A sister program with the same libraries gained nothing.  What set
 * them apart was one array: the first collected 3000 to 4400 "gensteps" of 96 bytes
 * per event, one at a time, and so let an array double its capacity a dozen times,
 * then gave it all back.  "Is this a leak, or is it fragmentation?" asks the author's
 * note, and after three days of measuring VmSize and RSS it still asks.
 *
 *	seep run -- gensteps               FLAT: no growth at all
 *	                                   advice: reserve 4096 items of 96 B
 *
 * So after ten events it is clear that this is not a leak.  The remedy that the note found
 * after three days is below the verdict, with what it saves.  seep does not yet say whether it
 * is fragmentation: growth of RSS beyond the heap is shown as "rest", unexplained.
 *
 * Nothing leaks here, whatever the settings, and the program frees all it has.  What
 * it does to the allocator depends on the reservation, which the note offers as the
 * remedy.  It is a number of items.  It is made when something is added to the empty
 * array, and so again after each reset:
 *
 *	RESERVATION=0      none: capacity 24, 48, 96 ... values
 *	RESERVATION=4000   room for 4000 items at once; more items double it as before
 *	RESERVATION=-1     as many as the event will have ("does not help, does harm")
 *
 * The argument selects one of two tests of that time.  npy6 has the ten step counts
 * that the simulation had, collector has jumps up to 300000.  Both repeat after ten
 * events.  NEVT is the number of events.  With VERBOSE=1 each growth is printed.
 *
 * The numbers named vm, rss and v are VmSize and VmRSS in the "MB" of the note, which
 * are the kB of /proc/self/status (1024 bytes) divided by 1000: 1 MB is 1024000 bytes.
 */
#define _POSIX_C_SOURCE 200809L

#include <seep.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ITEM_VALUES (6 * 4)
#define N_STEPS 10

static const unsigned npy6_steps[N_STEPS] = {
	3271, 3270, 3057, 3453, 3459, 3362, 3111, 3702, 3479, 3500,
};

static const unsigned collector_steps[N_STEPS] = {
	10000, 50000, 60000, 80000, 10000, 100000, 30000, 300000, 20000, 10000,
};

static bool verbose;

/* An array of shape (items, 6, 4). */
struct npx {
	float *data;
	size_t size;             /* values */
	size_t capacity;         /* values */
	size_t reservation;      /* items; 0: none */
	bool renewed;            /* the storage is new since the last add */
	unsigned long growths;
};

/* As std::vector does, which the array had inside: allocate, copy, free. */
static void renew(struct npx *array, size_t capacity)
{
	float *data = malloc(capacity * sizeof *data);

	if (!data) {
		fputs("gensteps: out of memory\n", stderr);
		exit(1);
	}
	if (array->size)
		memcpy(data, array->data, array->size * sizeof *data);
	free(array->data);
	array->data = data;
	array->capacity = capacity;
	array->renewed = true;
	array->growths++;
}

static void npx_reserve(struct npx *array, size_t items)
{
	size_t before = array->capacity;

	if (items * ITEM_VALUES > array->capacity)
		renew(array, items * ITEM_VALUES);
	if (verbose)
		printf(" reserve  items %zu itemvals %d vals %zu cap0 %zu cap1 %zu\n", items,
		       ITEM_VALUES, items * ITEM_VALUES, before, array->capacity);
}

/* The base pointer shifts wherever the storage is renewed. */
static float *npx_grow(struct npx *array)
{
	size_t at = array->size;
	size_t need = at + ITEM_VALUES;

	if (need > array->capacity)
		renew(array, need > 2 * array->capacity ? need : 2 * array->capacity);
	array->size = need;
	if (array->renewed && verbose)
		printf("NPY<T>::grow base_ptr shift %zu,6,4 m_data->size() %zu "
		       "m_data->capacity() %zu\n", at / ITEM_VALUES, need, array->capacity);
	array->renewed = false;
	return array->data + at;
}

static void npx_add(struct npx *array, const float *item)
{
	if (array->size == 0 && array->reservation > 0)
		npx_reserve(array, array->reservation);
	memcpy(npx_grow(array), item, ITEM_VALUES * sizeof *item);
}

static void npx_reset(struct npx *array)
{
	free(array->data);
	array->data = NULL;
	array->size = 0;
	array->capacity = 0;
}

/* A field of /proc/self/status in kB / 1000; no stdio, as that would allocate. */
static double status_mb(const char *field)
{
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	const char *at;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, field);
	return at ? strtod(at + strlen(field), NULL) / 1000 : 0;
}

static double vm_mb(void)
{
	return status_mb("VmSize:");
}

static double rss_mb(void)
{
	return status_mb("VmRSS:");
}

struct test {
	const char *name;
	const unsigned *steps;
	long events;
	long reservation;
	unsigned long gensteps;  /* of all events */
	struct npx array;
};

static unsigned steps_of(const struct test *test, long event)
{
	return test->steps[event % N_STEPS];
}

static void collect(struct test *test, long event)
{
	unsigned i, steps = steps_of(test, event);
	float item[ITEM_VALUES];

	for (i = 0; i < ITEM_VALUES; i++)
		item[i] = (float)i;
	test->array.reservation =
		test->reservation < 0 ? steps : (size_t)test->reservation;
	for (i = 0; i < steps; i++)
		npx_add(&test->array, item);
	test->gensteps += steps;
}

/* One event; print says what it was while the array is still full. */
static void run_event(struct test *test, long event,
		      void (*print)(const struct test *test, long event))
{
	seep_event_begin(event);
	seep_count("numGenstep", steps_of(test, event));
	seep_stamp("NPX__add_HEAD");
	collect(test, event);
	seep_stamp("NPX__add_TAIL");
	print(test, event);
	seep_stamp("NPX__reset_HEAD");
	npx_reset(&test->array);
	seep_stamp("NPX__reset_TAIL");
	seep_event_end();
}

static void print_npy6(const struct test *test, long event)
{
	printf("%5ld : %g : %g : %zu,6,4\n", event, vm_mb(), rss_mb(),
	       test->array.size / ITEM_VALUES);
}

static void print_steps(const struct test *test)
{
	long i;

	for (i = 0; i < test->events; i++)
		printf(" i %3ld numsteps %u\n", i, steps_of(test, i));
}

static void run_npy6(struct test *test)
{
	double vm0, vm1, rss0, rss1, n = (double)test->events;
	long i;

	printf(" nevt %ld reservation %ld\n", test->events, test->reservation);
	print_steps(test);
	vm0 = vm_mb();
	rss0 = rss_mb();
	for (i = 0; i < test->events; i++)
		run_event(test, i, print_npy6);
	vm1 = vm_mb();
	rss1 = rss_mb();
	print_steps(test);
	printf(" reservation %ld nevt %ld vm0 %g vm1 %g dvm %g dvm_nevt %g"
	       " rss0 %g rss1 %g drss %g drss_nevt %g\n", test->reservation, test->events,
	       vm0, vm1, vm1 - vm0, (vm1 - vm0) / n, rss0, rss1, rss1 - rss0, (rss1 - rss0) / n);
}

static void print_collector(const struct test *test, long event)
{
	printf(" evt %ld num_steps %u gs %zu,6,4\n", event, steps_of(test, event),
	       test->array.size / ITEM_VALUES);
}

static void run_collector(struct test *test)
{
	double v0 = vm_mb(), v1;
	long i;

	for (i = 0; i < test->events; i++)
		run_event(test, i, print_collector);
	v1 = vm_mb();
	printf(" mock_numevt %ld v0 %g v1 %g dv %g dvp %g\n", test->events, v0, v1, v1 - v0,
	       (v1 - v0) / (double)test->events);
}

static const char usage[] =
	"usage: [NEVT=10] [RESERVATION=0] [VERBOSE=0] gensteps [npy6|collector]\n";

static long environment(const char *name, long otherwise, long low, long high)
{
	const char *text = getenv(name);
	char *end;
	long value;

	if (!text || !*text)
		return otherwise;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || *end || value < low || value > high) {
		fprintf(stderr, "gensteps: %s must be a number from %ld to %ld, not '%s'\n",
			name, low, high, text);
		exit(2);
	}
	return value;
}

static bool parse_arguments(struct test *test, int argc, char **argv)
{
	test->name = argc > 1 ? argv[1] : "npy6";
	if (argc > 2)
		return false;
	if (strcmp(test->name, "npy6") == 0)
		test->steps = npy6_steps;
	else if (strcmp(test->name, "collector") == 0)
		test->steps = collector_steps;
	else
		return false;
	test->events = environment("NEVT", 10, 1, 1000000000);
	test->reservation = environment("RESERVATION", 0, -1, 10000000);
	verbose = environment("VERBOSE", 0, 0, 1);
	return true;
}

int main(int argc, char **argv)
{
	struct test test = { 0 };

	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (!parse_arguments(&test, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	if (test.steps == npy6_steps)
		run_npy6(&test);
	else
		run_collector(&test);
	printf("truth events %ld\n", test.events);
	printf("truth gensteps_total %lu\n", test.gensteps);
	printf("truth growths %lu\n", test.array.growths);
	printf("truth rate_bytes_per_event 0\n");
	return fflush(stdout) == 0 ? 0 : 1;
}
