/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scoreboard: verdicts on made-up runs of which the truth is known.  README.md tells
 * how to read it.
 *
 * A case is told by its scenario, its seed and the range of n, so the same command prints
 * the same table on every machine, however many processes share the work.
 */
#include "outcome.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MAX 64

/* A tree may come without the set that is held out. */
extern const struct score_scenario score_held_out[] __attribute__((weak));
extern const size_t score_n_held_out __attribute__((weak));

struct options {
	const char *set, *only, *json;
	size_t runs, low, high, jobs;
	uint64_t seed;
	bool verbose, dump, coverage;
};

static const char usage[] =
	"usage: score [--set dev|held-out|third] [--runs N] [--seed S] [--n LOW:HIGH]\n"
	"             [--only NUMBER|NAME] [--json FILE] [--jobs N] [--verbose] [--dump]\n"
	"       score coverage [--runs N] [--seed S]\n";

static int complain(const char *what, const char *text)
{
	fprintf(stderr, "score: %s: %s\n%s", what, text, usage);
	return 2;
}

static bool read_count(const char *text, size_t *value, const char **end)
{
	char *stop;

	errno = 0;
	*value = strtoull(text, &stop, 10);
	if (end)
		*end = stop;
	return !errno && isdigit((unsigned char)*text) && (end || !*stop);
}

static bool read_range(const char *text, size_t *low, size_t *high)
{
	const char *end;

	return read_count(text, low, &end) && *end == ':' && read_count(end + 1, high, NULL) &&
	       *low >= 1 && *high >= *low;
}

static int read_options(struct options *o, int argc, char **argv)
{
	static const struct option names[] = {
		{ "set", 1, NULL, 's' },   { "runs", 1, NULL, 'r' },  { "seed", 1, NULL, 'x' },
		{ "n", 1, NULL, 'n' },     { "only", 1, NULL, 'o' },  { "json", 1, NULL, 'f' },
		{ "jobs", 1, NULL, 'j' },  { "verbose", 0, NULL, 'v' }, { "dump", 0, NULL, 'd' },
		{ 0 },
	};
	size_t seed;
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		bool good = true;

		switch (c) {
		case 's': o->set = optarg; break;
		case 'r': good = read_count(optarg, &o->runs, NULL) && o->runs; break;
		case 'x': good = read_count(optarg, &seed, NULL); o->seed = seed; break;
		case 'n': good = read_range(optarg, &o->low, &o->high); break;
		case 'o': o->only = optarg; break;
		case 'f': o->json = optarg; break;
		case 'j': good = read_count(optarg, &o->jobs, NULL) && o->jobs; break;
		case 'v': o->verbose = true; break;
		case 'd': o->dump = true; break;
		default: fputs(usage, stderr); return 2;
		}
		if (!good)
			return complain("cannot be read", optarg);
	}
	if (optind < argc && strcmp(argv[optind], "coverage") == 0 && optind + 1 == argc)
		o->coverage = true;
	else if (optind < argc)
		return complain("what is that", argv[optind]);
	return 0;
}

static bool is_wanted(const struct options *o, const struct score_scenario *scenario)
{
	size_t number;

	if (!o->only)
		return true;
	if (read_count(o->only, &number, NULL))
		return scenario->number == (int)number;
	return strstr(scenario->name, o->only) != NULL;
}

/* Every jobs-th case from the first one on. */
static void work(const struct options *o, const struct score_set *set, struct outcome *outcomes,
		 size_t first)
{
	size_t i;

	for (i = first; i < set->n; i += o->jobs) {
		outcomes[i].scenario = i / o->runs;
		if (is_wanted(o, &set->scenarios[i / o->runs]))
			outcome_find(&outcomes[i], &set->scenarios[i / o->runs],
				     o->seed + i % o->runs, o->low, o->high);
	}
}

/* Each process takes its share; the outcomes are in memory that all of them see. */
static int share_work(const struct options *o, const struct score_set *set,
		      struct outcome *outcomes)
{
	pid_t pids[JOBS_MAX];
	size_t j;
	int status, result = 0;

	fflush(stdout);
	for (j = 0; j < o->jobs; j++) {
		pids[j] = fork();
		if (pids[j] < 0)
			return complain("fork", strerror(errno));
		if (pids[j] == 0) {
			work(o, set, outcomes, j);
			_exit(0);
		}
	}
	for (j = 0; j < o->jobs; j++)
		if (waitpid(pids[j], &status, 0) < 0 || status != 0) {
			fprintf(stderr, "score: a process of the scoreboard died\n");
			result = 1;
		}
	return result;
}

static int write_json(const char *path, const struct score_set *set)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return complain(path, strerror(errno));
	table_write_json(out, set);
	if (ferror(out) | fclose(out))
		return complain(path, strerror(errno));
	return 0;
}

static int run_set(const struct options *o, struct score_set *set)
{
	size_t bytes;
	struct outcome *outcomes;
	int result;

	set->n = set->n_scenarios * o->runs;
	bytes = set->n * sizeof(*outcomes);
	outcomes = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (outcomes == MAP_FAILED)
		return complain("mmap", strerror(errno));
	set->outcomes = outcomes;
	result = share_work(o, set, outcomes);
	printf("seeds %" PRIu64 " to %" PRIu64 ", n from %zu to %zu\n", o->seed,
	       o->seed + o->runs - 1, o->low, o->high);
	table_print(set, o->verbose);
	if (o->json && !result)
		result = write_json(o->json, set);
	munmap(outcomes, bytes);
	return result;
}

static void dump(const struct options *o, const struct score_set *set)
{
	size_t s, k;

	for (s = 0; s < set->n_scenarios; s++)
		for (k = 0; k < o->runs && is_wanted(o, &set->scenarios[s]); k++)
			outcome_dump(&set->scenarios[s], o->seed + k, o->low, o->high);
}

static bool choose_set(const struct options *o, struct score_set *set)
{
	set->name = o->set;
	if (strcmp(o->set, "dev") == 0) {
		set->scenarios = score_dev;
		set->n_scenarios = score_n_dev;
	} else if (strcmp(o->set, "held-out") == 0) {
		set->scenarios = score_held_out;
		set->n_scenarios = &score_n_held_out ? score_n_held_out : 0;
	} else if (strcmp(o->set, "third") == 0) {
		set->scenarios = score_third;
		set->n_scenarios = score_n_third;
	} else {
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct options o = { .set = "dev", .runs = 20, .low = 60, .high = 500, .seed = 1 };
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct score_set set = { 0 };
	int result;

	o.jobs = cores > 0 ? (size_t)cores : 1;
	result = read_options(&o, argc, argv);
	if (result)
		return result;
	o.jobs = o.jobs < JOBS_MAX ? o.jobs : JOBS_MAX;
	if (o.coverage)
		return coverage_print(o.runs, o.seed);
	if (!choose_set(&o, &set))
		return complain("no such set", o.set);
	if (!set.n_scenarios) {
		printf("%s: this tree has none\n", set.name);
		return 0;
	}
	if (o.dump) {
		dump(&o, &set);
		return 0;
	}
	return run_set(&o, &set);
}
