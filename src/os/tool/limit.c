/* SPDX-License-Identifier: MIT */
#include "os/tool/limit.h"

#include "os/tool/limit_search.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Version 1 writes "no limit" as the largest multiple of the page size; no real limit is close. */
#define UNLIMITED_BYTES ((int64_t)1 << 60)
#define ENVIRONMENT_MAX 1000000

FILE *seep_limit_search_open(const struct seep_limit_search *search, const char *path)
{
	char full[PATH_MAX];

	if ((size_t)snprintf(full, sizeof(full), "%s%s", search->root, path) >= sizeof(full))
		return NULL;
	return fopen(full, "re");
}

struct seep_limit_found *seep_limit_search_add(struct seep_limit_search *search, int64_t bytes,
					       const char *source, ...)
{
	struct seep_limit_found *limit;
	va_list args;

	if (bytes <= 0 || bytes >= UNLIMITED_BYTES || search->n == SEEP_LIMIT_SEARCH_MAX)
		return NULL;
	limit = &search->found[search->n++];
	*limit = (struct seep_limit_found){ .bytes = bytes };
	va_start(args, source);
	vsnprintf(limit->source, sizeof(limit->source), source, args);
	va_end(args);
	return limit;
}

/* -1 for "max", for text that is not a number, and for a number that does not fit. */
static int64_t parse(const char *text)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || errno || value < 0 || (*end && !isspace((unsigned char)*end)))
		return -1;
	return value;
}

int64_t seep_limit_search_number(const struct seep_limit_search *search, const char *path)
{
	return seep_limit_search_word(search, path, "", 1);
}

int64_t seep_limit_search_word(const struct seep_limit_search *search, const char *path,
			       const char *word, int64_t factor)
{
	char line[256];
	size_t n = strlen(word);
	int64_t bytes = -1;
	FILE *file = seep_limit_search_open(search, path);

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, word, n)) {
			bytes = parse(line + n);
			break;
		}
	fclose(file);
	if (bytes > INT64_MAX / factor)
		return -1;
	return bytes < 0 ? -1 : bytes * factor;
}

/* RLIMIT_RSS is there as well, but Linux has ignored it since 2.4.30. */
static void search_rlimits(struct seep_limit_search *search)
{
	static const struct {
		const char *word, *source;
	} limits[] = {
		{ "Max address space", "RLIMIT_AS" },
		{ "Max data size", "RLIMIT_DATA" },
	};
	char path[96];

	snprintf(path, sizeof(path), "%s/limits", search->proc);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		int64_t bytes = seep_limit_search_word(search, path, limits[i].word, 1);
		struct seep_limit_found *limit =
			seep_limit_search_add(search, bytes, "%s", limits[i].source);

		if (limit)
			limit->scope = SEEP_LIMIT_SCOPE_ADDRESSES;
	}
}

/* The environment as the process was given it: strings, each ended by a zero. */
static char *read_environment(const struct seep_limit_search *search, size_t *bytes)
{
	char path[96], *text = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "%s/environ", search->proc);
	file = seep_limit_search_open(search, path);
	if (!file)
		return NULL;
	text = malloc(ENVIRONMENT_MAX + 1);
	if (text) {
		*bytes = fread(text, 1, ENVIRONMENT_MAX, file);
		text[*bytes] = 0;
	}
	fclose(file);
	return text;
}

/* NULL if it is not there. */
static const char *find_variable(const char *text, size_t bytes, const char *name)
{
	const char *end = text + bytes;
	size_t n = strlen(name);

	for (; text < end; text += strlen(text) + 1)
		if (!strncmp(text, name, n) && text[n] == '=')
			return text + n + 1;
	return NULL;
}

/* Slurm counts in MiB, unless there is a letter; 0 means all memory of the node. */
static int64_t parse_slurm(const char *text)
{
	static const char letters[] = "KMGT";
	const char *letter;
	char *end;
	long long value;
	int shift = 20;

	if (!text || !isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	value = strtoll(text, &end, 10);
	letter = *end ? strchr(letters, *end) : NULL;
	if (letter) {
		shift = 10 * (int)(letter - letters + 1);
		end++;
	}
	if (errno || *end || value > INT64_MAX >> shift)
		return -1;
	return (int64_t)value << shift;
}

/* "8", or "8(x2),4" for several nodes: takes that of the first. */
static int64_t parse_cpus(const char *text)
{
	long value = text ? strtol(text, NULL, 10) : 0;

	return value > 0 && value < 1000000 ? value : 0;
}

/*
 * If Slurm enforces the limit by control groups, those say more.  But it may also just check now
 * and then, and kill the job.  Everything in the job on this node counts.
 */
static void search_slurm(struct seep_limit_search *search)
{
	size_t bytes = 0;
	char *text = read_environment(search, &bytes);
	const char *source = "SLURM_MEM_PER_NODE";
	struct seep_limit_found *limit;
	int64_t memory, cpus;

	if (!text)
		return;
	memory = parse_slurm(find_variable(text, bytes, source));
	if (memory <= 0) {
		source = "SLURM_MEM_PER_CPU";
		memory = parse_slurm(find_variable(text, bytes, source));
		cpus = parse_cpus(find_variable(text, bytes, "SLURM_CPUS_ON_NODE"));
		if (!cpus)
			cpus = parse_cpus(find_variable(text, bytes, "SLURM_JOB_CPUS_PER_NODE"));
		if (memory > 0 && cpus > 1 && memory < UNLIMITED_BYTES / cpus)
			memory *= cpus;
	}
	limit = seep_limit_search_add(search, memory, "Slurm %s", source);
	if (limit)
		limit->scope = SEEP_LIMIT_SCOPE_GROUP;
	free(text);
}

/* If the total is missing or makes no sense, the available memory is used instead. */
static void search_machine(struct seep_limit_search *search)
{
	static const char path[] = "/proc/meminfo";
	int64_t total = seep_limit_search_word(search, path, "MemTotal:", 1024);
	int64_t left = seep_limit_search_word(search, path, "MemAvailable:", 1024);
	int64_t swap = seep_limit_search_word(search, path, "SwapTotal:", 1024);
	struct seep_limit_found *limit;

	if (left <= 0 || left >= UNLIMITED_BYTES || total >= UNLIMITED_BYTES)
		return;
	total = total > left ? total : left;
	if (swap < search->swap_bytes || swap >= UNLIMITED_BYTES)
		swap = search->swap_bytes;
	limit = seep_limit_search_add(search, total + swap, "%s", swap ? "RAM and swap" : "RAM");
	if (!limit)
		return;
	limit->scope = SEEP_LIMIT_SCOPE_GROUP;
	limit->others_bytes = total + swap - left - search->swap_bytes;
}

static int compare_left(const void *a, const void *b)
{
	const struct seep_limit_found *x = a, *y = b;
	int64_t left = seep_limit_left(x), other = seep_limit_left(y);

	if (x->slows != y->slows)
		return x->slows ? 1 : -1;
	return (left > other) - (left < other);
}

size_t seep_limit_find(const char *root, pid_t pid, struct seep_limit_found *found, size_t room)
{
	struct seep_limit_search search = { .root = root, .n = 0 };

	if (pid)
		snprintf(search.proc, sizeof(search.proc), "/proc/%ld", (long)pid);
	else
		snprintf(search.proc, sizeof(search.proc), "/proc/self");
	search.swap_bytes = seep_limit_search_word(&search, "/proc/meminfo", "SwapFree:", 1024);
	if (search.swap_bytes < 0 || search.swap_bytes >= UNLIMITED_BYTES)
		search.swap_bytes = 0;
	seep_limit_search_groups(&search);
	search_rlimits(&search);
	search_slurm(&search);
	search_machine(&search);
	qsort(search.found, search.n, sizeof(search.found[0]), compare_left);
	if (search.n < room)
		room = search.n;
	memcpy(found, search.found, room * sizeof(found[0]));
	return room;
}
