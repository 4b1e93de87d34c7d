/* SPDX-License-Identifier: MIT */
#include "record/alone/profiler_real.h"

#include "os/digits.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 4096
#define NUMBERS_ROOM 80          /* for what is appended to the prefix */

/* One thread at a time is here.  Its stack may be small, so the paths are not on it. */
static struct {
	char prefix[PATH_ROOM - NUMBERS_ROOM];
	int (*mallctl)(const char *, void *, size_t *, void *, size_t);
	void (*start)(const char *prefix); /* this and the next two: tcmalloc */
	int (*is_running)(void);
	void (*dump)(const char *reason);
	uint32_t n_files;        /* files that the profiler has written, as far as we know */
	char path[PATH_ROOM], renamed[PATH_ROOM];
} profiler;

static void find(void *function, const char *name)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	memcpy(function, &symbol, sizeof(symbol));
}

static const char *find_jemalloc(void)
{
	bool on = false;
	size_t bytes = sizeof(on);

	find(&profiler.mallctl, "mallctl");
	if (!profiler.mallctl)
		return "jemalloc is not loaded in this process: no heap dumps are written";
	if (!profiler.mallctl("opt.prof", &on, &bytes, NULL, 0) && on)
		return NULL;
	profiler.mallctl = NULL;
	return "jemalloc's heap profiler is off: no heap dumps are written";
}

static const char *find_tcmalloc(void)
{
	find(&profiler.start, "HeapProfilerStart");
	find(&profiler.is_running, "IsHeapProfilerRunning");
	find(&profiler.dump, "HeapProfilerDump");
	if (!profiler.start || !profiler.is_running || !profiler.dump) {
		profiler.dump = NULL;
		return "tcmalloc's heap profiler is not loaded in this process: no heap dumps "
		       "are written";
	}
	if (!profiler.is_running())
		profiler.start(profiler.prefix);
	return NULL;
}

const char *seep_profiler_find(const char *name, const char *prefix)
{
	size_t n = prefix ? strlen(prefix) : 0;

	if (!n || n >= sizeof(profiler.prefix))
		return "the path for heap dumps is missing or too long: no heap dumps are written";
	memcpy(profiler.prefix, prefix, n + 1);
	return strcmp(name, "tcmalloc") ? find_jemalloc() : find_tcmalloc();
}

static void append(char *path, const char *text)
{
	memcpy(path + strlen(path), text, strlen(text) + 1);
}

static void append_number(char *path, const char *before, uint32_t number)
{
	append(path, before);
	seep_digits_append(path, number);
}

static void begin_path(void)
{
	memcpy(profiler.path, profiler.prefix, strlen(profiler.prefix) + 1);
}

/* Whether profiler.path, which lacks the ending, names an existing file. */
static bool is_there(void)
{
	size_t n = strlen(profiler.path);
	bool there;

	append(profiler.path, ".heap");
	there = !access(profiler.path, F_OK);
	profiler.path[n] = '\0';
	return there;
}

/* Adds the event to the name of the file. */
static bool name_event(uint32_t event)
{
	char *from = profiler.path, *to = profiler.renamed;

	memcpy(to, from, strlen(from) + 1);
	append(from, ".heap");
	append_number(to, ".event", event);
	append(to, ".heap");
	return !rename(from, to);
}

/*
 * PREFIX.PID.5.m5.event49.heap is our sixth dump.  We choose the name: jemalloc numbers its own
 * dumps, and those that the program asks for, separately.
 */
static bool dump_jemalloc(uint32_t event)
{
	const char *path = profiler.path;

	begin_path();
	append_number(profiler.path, ".", (uint32_t)getpid());
	append_number(profiler.path, ".", profiler.n_files);
	append_number(profiler.path, ".m", profiler.n_files);
	append_number(profiler.path, ".event", event);
	append(profiler.path, ".heap");
	if (profiler.mallctl("prof.dump", NULL, NULL, &path, sizeof(path))) {
		unlink(profiler.path); /* it may be incomplete */
		return false;
	}
	profiler.n_files++;
	return true;
}

/* PREFIX.0001.heap is the first file; a number has at least four digits. */
static void name_tcmalloc_file(uint32_t number)
{
	uint32_t least;

	begin_path();
	append(profiler.path, ".");
	for (least = 1000; number < least && least > 1; least /= 10)
		append(profiler.path, "0");
	seep_digits_append(profiler.path, number);
}

/* The program may have dumped too.  The file with the highest number is ours. */
static bool find_tcmalloc_file(void)
{
	uint32_t last = profiler.n_files;

	do
		name_tcmalloc_file(++last);
	while (is_there());
	if (last == profiler.n_files + 1)
		return false;
	profiler.n_files = last - 1;
	name_tcmalloc_file(last - 1);
	return true;
}

static bool dump_tcmalloc(uint32_t event)
{
	char reason[32] = "event ";

	seep_digits_append(reason, event);
	profiler.dump(reason);
	return find_tcmalloc_file() && name_event(event);
}

bool seep_profiler_dump(uint32_t event)
{
	if (profiler.mallctl)
		return dump_jemalloc(event);
	return profiler.dump && dump_tcmalloc(event);
}
