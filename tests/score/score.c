/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scoreboard: verdicts on made-up runs of which the truth is known.  README.md tells
 * how to read it.
 *
 * A case is told by its scenario, its seed and the range of n, so the same command prints
 * the same table on every machine, however many processes share the work.
 */
#include "outcome.h"
#include "properties.h"
#include "sensitivity.h"

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
	bool verbose, dump, coverage, properties, sensitive;
	struct sensitivity sensitivity;
};

typedef void work_on(const struct options *o, const struct score_set *set, void *results,
		     size_t i);

static const char usage[] =
	"usage: score [--set dev|held-out|third|lifelike] [--runs N] [--seed S] [--n LOW:HIGH]\n"
	"             [--only NUMBER|NAME] [--json FILE] [--jobs N] [--verbose] [--dump]\n"
	"       score properties [--set ...] [--runs N] [--seed S] [--n LOW:HIGH]\n"
	"             [--only NUMBER|NAME] [--jobs N]\n"
	"       score coverage [--runs N] [--seed S]\n"
	"       score sensitivity [--set ...] [--runs N] [--seed S] [--n LOW:HIGH] [--jobs N]\n"
	"             [--only NUMBER|NAME] [--threshold NAME,...] [--scale LOW:HIGH]\n";

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

static bool read_factors(const char *text, double *low, double *high)
{
	char *end;

	*low = strtod(text, &end);
	if (end == text || *end != ':')
		return false;
	text = end + 1;
	*high = strtod(text, &end);
	return end != text && !*end;
}

/* The word behind the options. */
static bool read_command(struct options *o, const char *word)
{
	o->coverage = strcmp(word, "coverage") == 0;
	o->properties = strcmp(word, "properties") == 0;
	o->sensitive = strcmp(word, "sensitivity") == 0;
	return o->coverage || o->properties || o->sensitive;
}

static int read_options(struct options *o, int argc, char **argv)
{
	static const struct option names[] = {
		{ "set", 1, NULL, 's' },   { "runs", 1, NULL, 'r' },  { "seed", 1, NULL, 'x' },
		{ "n", 1, NULL, 'n' },     { "only", 1, NULL, 'o' },  { "json", 1, NULL, 'f' },
		{ "jobs", 1, NULL, 'j' },  { "verbose", 0, NULL, 'v' }, { "dump", 0, NULL, 'd' },
		{ "threshold", 1, NULL, 't' }, { "scale", 1, NULL, 'c' },
		{ 0 },
	};
	struct sensitivity *s = &o->sensitivity;
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
		case 't': s->only = optarg; break;
		case 'c': good = read_factors(optarg, &s->low, &s->high); break;
		default: fputs(usage, stderr); return 2;
		}
		if (!good)
			return complain("cannot be read", optarg);
	}
	if (optind < argc && !read_command(o, argv[optind]))
		return complain("what is that", argv[optind]);
	if (optind + 1 < argc)
		return complain("what is that", argv[optind + 1]);
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

static void find_outcome(const struct options *o, const struct score_set *set, void *results,
			 size_t i)
{
	struct outcome *outcomes = results;
	const struct score_scenario *scenario = &set->scenarios[i / o->runs];

	outcomes[i].scenario = i / o->runs;
	if (is_wanted(o, scenario))
		outcome_find(&outcomes[i], scenario, o->seed + i % o->runs, o->low, o->high);
}

static void find_broken(const struct options *o, const struct score_set *set, void *results,
			size_t i)
{
	struct finding *findings = results;
	struct score_case c;

	if (!is_wanted(o, &set->scenarios[i / o->runs]))
		return;
	outcome_make(&c, &set->scenarios[i / o->runs], o->seed + i % o->runs, o->low, o->high);
	properties_find(&findings[i], &c, o->seed + i);
	fake_release(&c.fake);
}

static void find_answers(const struct options *o, const struct score_set *set, void *results,
			 size_t i)
{
	struct sensitivity_answer *answers = results;
	struct score_case c;

	if (!is_wanted(o, &set->scenarios[i / o->runs]))
		return;
	outcome_make(&c, &set->scenarios[i / o->runs], o->seed + i % o->runs, o->low, o->high);
	sensitivity_judge(&o->sensitivity, answers + i * sensitivity_settings(&o->sensitivity),
			  &c);
	fake_release(&c.fake);
}

/* Each process takes every jobs-th case; the results are in memory that all of them see. */
static int share_work(const struct options *o, const struct score_set *set, work_on *work,
		      void *results)
{
	pid_t pids[JOBS_MAX];
	size_t i, j;
	int status, result = 0;

	fflush(stdout);
	for (j = 0; j < o->jobs; j++) {
		pids[j] = fork();
		if (pids[j] < 0)
			return complain("fork", strerror(errno));
		if (pids[j] == 0) {
			for (i = j; i < set->n; i += o->jobs)
				work(o, set, results, i);
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

static void *map_results(size_t bytes)
{
	void *results = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			     0);

	if (results != MAP_FAILED)
		return results;
	complain("mmap", strerror(errno));
	return NULL;
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
	outcomes = map_results(bytes);
	if (!outcomes)
		return 2;
	set->outcomes = outcomes;
	result = share_work(o, set, find_outcome, outcomes);
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

static bool choose_set(const char *name, struct score_set *set)
{
	const struct score_set sets[] = {
		{ .name = "dev", .scenarios = score_dev, .n_scenarios = score_n_dev },
		{ .name = "held-out", .scenarios = score_held_out,
		  .n_scenarios = &score_n_held_out ? score_n_held_out : 0 },
		{ .name = "third", .scenarios = score_third, .n_scenarios = score_n_third },
		{ .name = "lifelike", .scenarios = score_lifelike,
		  .n_scenarios = score_n_lifelike },
	};
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (strcmp(name, sets[i].name) == 0) {
			*set = sets[i];
			return true;
		}
	return false;
}

/* Adds what is broken to the sums by property; returns the number of runs, or 0 on failure. */
static size_t check_set(const struct options *o, const char *name, size_t *broken)
{
	struct finding *findings;
	struct score_set set;
	size_t i, p, runs = 0;

	if (!choose_set(name, &set)) {
		complain("no such set", name);
		return 0;
	}
	set.n = set.n_scenarios * o->runs;
	findings = set.n ? map_results(set.n * sizeof(*findings)) : NULL;
	if (!findings || share_work(o, &set, find_broken, findings))
		return 0;
	for (i = 0; i < set.n; i++) {
		runs += findings[i].filled;
		for (p = 0; p < N_PROPERTIES; p++)
			if (findings[i].broken & 1u << p) {
				printf("%s, %s, seed %" PRIu64 ", %s: %s: %s\n", name,
				       set.scenarios[i / o->runs].name, o->seed + i % o->runs,
				       seep_verdict_kind_name(findings[i].kind),
				       property_name((enum property)p), findings[i].words[p]);
				broken[p]++;
			}
	}
	munmap(findings, set.n * sizeof(*findings));
	return runs;
}

static int check_properties(const struct options *o)
{
	static const char *const all[] = { "dev", "held-out", "third" };
	size_t broken[N_PROPERTIES] = { 0 }, runs = 0, sum = 0, i;

	if (o->set)
		runs = check_set(o, o->set, broken);
	else
		for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			runs += check_set(o, all[i], broken);
	printf("\n%zu runs, each in %d orders of its sites\n\nbroken\n", runs,
	       PROPERTIES_ORDERS + 1);
	for (i = 0; i < N_PROPERTIES; i++) {
		printf("%6zu  %s\n", broken[i], property_name((enum property)i));
		sum += broken[i];
	}
	return !runs || sum;
}

/* Adds the answers on the runs of a set to the sums. */
static int add_set(const struct options *o, const char *name, struct sensitivity_sums *sums)
{
	size_t settings = sensitivity_settings(&o->sensitivity), bytes, i;
	struct sensitivity_answer *answers;
	struct score_set set;
	int result;

	if (!choose_set(name, &set))
		return complain("no such set", name);
	set.n = set.n_scenarios * o->runs;
	if (!set.n)
		return 0;
	printf("%s: %zu scenarios, seeds %" PRIu64 " to %" PRIu64 "\n", name, set.n_scenarios,
	       o->seed, o->seed + o->runs - 1);
	bytes = set.n * settings * sizeof(*answers);
	answers = map_results(bytes);
	if (!answers)
		return 2;
	result = share_work(o, &set, find_answers, answers);
	for (i = 0; i < set.n; i++)
		sensitivity_add(&o->sensitivity, sums, answers + i * settings);
	munmap(answers, bytes);
	return result;
}

static int ask_sensitivity(const struct options *o)
{
	static const char *const all[] = { "dev", "held-out", "lifelike" };
	size_t settings = sensitivity_settings(&o->sensitivity), i;
	struct sensitivity_sums *sums = calloc(settings + 1, sizeof(*sums));
	int result = 0;

	if (!settings || !sums) {
		free(sums);
		return complain("no such threshold, or not built with SEEP_SENSITIVITY",
				"try make score SENSITIVITY=1");
	}
	if (o->set)
		result = add_set(o, o->set, sums);
	for (i = 0; i < sizeof(all) / sizeof(all[0]) && !o->set && !result; i++)
		result = add_set(o, all[i], sums);
	if (!result)
		sensitivity_print(&o->sensitivity, sums);
	free(sums);
	return result;
}

int main(int argc, char **argv)
{
	struct options o = {
		.runs = 20, .low = 60, .high = 500, .seed = 1, .sensitivity = { NULL, .8, 1.25 },
	};
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct score_set set;
	int result;

	o.jobs = cores > 0 ? (size_t)cores : 1;
	result = read_options(&o, argc, argv);
	if (result)
		return result;
	o.jobs = o.jobs < JOBS_MAX ? o.jobs : JOBS_MAX;
	if (o.coverage)
		return coverage_print(o.runs, o.seed);
	if (o.properties)
		return check_properties(&o);
	if (o.sensitive)
		return ask_sensitivity(&o);
	o.set = o.set ? o.set : "dev";
	if (!choose_set(o.set, &set))
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
