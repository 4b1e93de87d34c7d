/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan is made in steps, each of which may drop files: keep the dumps of one process, take
 * events from runinfo.json, drop the dump after the clean-up and an empty last one, drop dumps
 * without an event, sort by event, and keep one dump per event.  If no event is known, the
 * dumps are counted.
 */
#include "import/profile/dump_plan.h"

#include "base/sort.h"
#include "import/number.h"
#include "import/profile/dump_info.h"
#include "os/base_name.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define LISTED 6                 /* most processes in a message */

/* The plan in progress, shared by all steps. */
struct making {
	struct seep_import *import;
	struct seep_dump_info info;
	struct seep_dump_file *files;
	size_t n;
};

/*
 * Takes the last part ("m0" of "jeprof.41.0.m0") off a name of *n characters; *n becomes the
 * length of the rest.
 */
static const char *take_part(const char *name, size_t *n)
{
	size_t i = *n;

	while (i && name[i - 1] != '.')
		i--;
	if (!i)
		return NULL;
	*n = i - 1;
	return name + i;
}

static bool is_number(const char *part, size_t n, uint64_t *number)
{
	const char *at = part;

	return seep_number_decimal(&at, number) && at == part + n;
}

/* The length of a part of the name, up to the next dot. */
static size_t length_of(const char *part)
{
	return strcspn(part, ".");
}

static void read_name(struct seep_dump_file *file, struct seep_arena *arena)
{
	const char *end = strstr(file->name, ".heap"), *part;
	size_t n = end ? (size_t)(end - file->name) : strlen(file->name), rest = n;
	uint64_t number;

	part = take_part(file->name, &rest);
	if (part && !strncmp(part, "event", 5) &&
	    is_number(part + 5, length_of(part + 5), &number) && number <= INT32_MAX) {
		file->event = (int64_t)number;
		n = rest;
		part = take_part(file->name, &rest);
	}
	if (part && strchr("fimu", *part) && *part &&
	    (length_of(part) == 1 || is_number(part + 1, length_of(part + 1), &number))) {
		file->kind = *part;
		file->final = *part == 'f';
		part = take_part(file->name, &rest);
	}
	if (!part || !is_number(part, length_of(part), &number)) {
		file->process = "";
		return;
	}
	file->process = seep_arena_copy(arena, file->name, rest);
	n = rest;
	part = file->kind ? take_part(file->name, &n) : NULL;
	if (part && is_number(part, length_of(part), &number) && number <= INT32_MAX)
		file->pid = number;
}

static void read_names(struct making *making)
{
	struct seep_import *import = making->import;

	making->files = seep_arena_array(&import->arena, import->n_paths, sizeof(*making->files));
	making->n = import->n_paths;
	for (size_t i = 0; i < making->n; i++) {
		struct seep_dump_file *file = &making->files[i];

		file->path = import->paths[i];
		file->name = seep_base_name(file->path);
		file->event = -1;
		read_name(file, &import->arena);
	}
}

/* Drops the files that keep does not mark. */
static void leave(struct making *making, const bool *keep)
{
	size_t kept = 0;

	for (size_t i = 0; i < making->n; i++)
		if (keep[i])
			making->files[kept++] = making->files[i];
	making->n = kept;
}

struct process {
	const char *name;
	uint64_t pid;
	size_t dumps;
};

static struct seep_table find_processes(const struct making *making)
{
	struct seep_table found = SEEP_TABLE(&making->import->arena, struct process);

	for (size_t i = 0; i < making->n; i++) {
		struct process *all = found.items;
		size_t p = 0;

		while (p < found.n && strcmp(all[p].name, making->files[i].process))
			p++;
		if (p == found.n)
			*(struct process *)seep_table_add(&found) = (struct process){
				.name = making->files[i].process, .pid = making->files[i].pid };
		((struct process *)found.items)[p].dumps++;
	}
	return found;
}

static const char *list(const struct process *all, size_t n, struct seep_arena *arena)
{
	const char *text = "";

	for (size_t i = 0; i < n && i < LISTED; i++)
		text = seep_arena_printf(arena, "%s%s%.60s (%zu)", text, i ? ", " : "",
					 *all[i].name ? all[i].name : "others", all[i].dumps);
	return n > LISTED ? seep_arena_printf(arena, "%s, ...", text) : text;
}

/* Chooses the process; NULL: it is not clear which one. */
static const struct process *choose(const struct process *all, size_t n, uint64_t pid)
{
	const struct process *chosen = NULL;

	for (size_t i = 0; i < n; i++)
		if (pid && all[i].pid == pid)
			return &all[i];
	for (size_t i = 0; i < n; i++) {
		if (all[i].dumps > 1 && chosen)
			return NULL;
		if (all[i].dumps > 1)
			chosen = &all[i];
	}
	return chosen;
}

static int keep_one_process(struct making *making, struct seep_err *err)
{
	struct seep_arena *arena = &making->import->arena;
	struct seep_table found = find_processes(making);
	const struct process *chosen;
	bool *keep;

	if (found.n <= 1)
		return 0;
	chosen = choose(found.items, found.n, making->info.pid);
	if (!chosen)
		return seep_err_set(err, EINVAL, "%.100s: these are dumps of %zu processes (%s); "
				    "name the files of one process", making->files[0].path,
				    found.n, list(found.items, found.n, arena));
	seep_compose_note(&making->import->compose, "there are dumps of %zu processes (%s); only "
			  "those of %.60s are read", found.n, list(found.items, found.n, arena),
			  *chosen->name ? chosen->name : "others");
	keep = seep_arena_array(arena, making->n, sizeof(*keep));
	for (size_t i = 0; i < making->n; i++)
		keep[i] = !strcmp(making->files[i].process, chosen->name);
	leave(making, keep);
	return 0;
}

/* What survives the clean-up at exit belongs to no event. */
static void leave_final(struct making *making)
{
	bool *keep = seep_arena_array(&making->import->arena, making->n, sizeof(*keep));
	size_t finals = 0;

	for (size_t i = 0; i < making->n; i++) {
		keep[i] = !making->files[i].final;
		finals += making->files[i].final;
	}
	if (!finals || finals == making->n)
		return;
	seep_compose_note(&making->import->compose, "the dump from the end of the program was left "
			  "out: it was written after the clean-up and belongs to no event");
	leave(making, keep);
}

/* A program that is killed while it writes a dump leaves an empty or a cut file. */
static int leave_empty(struct making *making, struct seep_err *err)
{
	for (size_t i = 0; i < making->n; i++) {
		struct stat st;

		if (stat(making->files[i].path, &st) || st.st_size)
			continue;
		if (i + 1 < making->n || making->n == 1)
			return seep_err_set(err, EBADMSG, "%s: the file is empty; leave it out",
					    making->files[i].path);
		seep_compose_note(&making->import->compose, "the last dump, %.200s, is empty and "
				  "was left out; was the program killed?", making->files[i].name);
		making->n--;
	}
	return 0;
}

/*
 * Whether the events are known, of all dumps or of at least two.  In the second case the other
 * dumps belong to no event, such as the last one of gperftools, and are dropped.
 */
static bool know_events(struct making *making)
{
	bool *keep = seep_arena_array(&making->import->arena, making->n, sizeof(*keep));
	size_t known = 0;

	for (size_t i = 0; i < making->n; i++) {
		keep[i] = making->files[i].event >= 0;
		known += keep[i];
	}
	if (known < making->n && known < 2)
		return false;
	if (known < making->n)
		seep_compose_note(&making->import->compose, "dumps that belong to no event, such "
				  "as the one from the end of the program, were left out");
	leave(making, keep);
	return true;
}

static bool ask_log(struct making *making)
{
	struct seep_arena *arena = &making->import->arena;
	int64_t *events = seep_arena_array(arena, making->n, sizeof(*events));

	for (size_t i = 0; i < making->n; i++)
		if (making->files[i].kind != 'm')
			return false;
	if (!seep_dump_info_read_log(making->files[0].path, events, making->n, arena))
		return false;
	for (size_t i = 0; i < making->n; i++)
		making->files[i].event = events[i];
	return true;
}

static int by_event(const void *a, const void *b)
{
	const struct seep_dump_file *one = a, *two = b;

	return one->event < two->event ? -1 : one->event > two->event;
}

/* If an event has two dumps, the last counts: the profiler was stopped right after it. */
static void leave_twins(struct making *making)
{
	bool *keep = seep_arena_array(&making->import->arena, making->n, sizeof(*keep));

	for (size_t i = 0; i < making->n; i++)
		keep[i] = i + 1 == making->n ||
			  making->files[i].event != making->files[i + 1].event;
	leave(making, keep);
}

static void find_events(struct making *making)
{
	if (!know_events(making) && !ask_log(making)) {
		for (size_t i = 0; i < making->n; i++)
			making->files[i].event = (int64_t)i;
		if (making->n > 1)
			seep_compose_note(&making->import->compose, "the events of these dumps are "
					  "unknown (no runinfo.json, no Gaudi log): each dump "
					  "counts as one event, so rates are per dump");
		return;
	}
	seep_sort_stable(making->files, making->n, sizeof(*making->files), by_event,
			 &making->import->arena);
	leave_twins(making);
}

static void tell_run(const struct making *making)
{
	const struct seep_dump_info *info = &making->info;
	const char *arguments[] = { info->exe, NULL };
	uint64_t pid = info->pid ? info->pid : making->files[0].pid;

	if (info->exe)
		seep_compose_command(&making->import->compose, info->exe, arguments);
	if (pid)
		seep_compose_pid(&making->import->compose, (uint32_t)pid);
}

/*
 * A runinfo.json in the same place may belong to another run; its list of dumps and its pid show
 * that.
 */
static bool is_told_of(const struct making *making)
{
	const struct seep_dump_info *info = &making->info;
	bool numbered = false;

	for (size_t i = 0; i < making->n; i++) {
		const struct seep_dump_file *file = &making->files[i];

		if (seep_dump_info_names(info, file) || (info->pid && file->pid == info->pid))
			return true;
		numbered |= file->pid > 0;
	}
	return !seep_dump_info_lists(info) && !(info->pid && numbered);
}

static int make(struct making *making, struct seep_err *err)
{
	struct seep_import *import = making->import;
	struct seep_dump_plan *plan = seep_arena_alloc(&import->arena, sizeof(*plan));
	const char **paths;
	int rc = keep_one_process(making, err);

	for (size_t i = 0; i < making->n; i++)
		seep_dump_info_tell(&making->info, &making->files[i]);
	leave_final(making);
	if (!rc)
		rc = leave_empty(making, err);
	if (rc)
		return rc;
	find_events(making);
	plan->files = making->files;
	plan->has_end = making->info.has_end;
	plan->retcode = making->info.retcode;
	plan->signal = making->info.signal;
	tell_run(making);
	paths = seep_arena_array(&import->arena, making->n, sizeof(*paths));
	for (size_t i = 0; i < making->n; i++)
		paths[i] = making->files[i].path;
	import->paths = paths;
	import->n_paths = making->n;
	import->plan = plan;
	return 0;
}

int seep_dump_plan_make(struct seep_import *import, struct seep_err *err)
{
	struct making making = { .import = import };
	int rc;

	read_names(&making);
	seep_dump_info_read(&making.info, import->paths[0], &import->arena);
	if (making.info.json && !is_told_of(&making)) {
		seep_compose_note(&import->compose, "%.200s belongs to a different run from these "
				  "dumps and is ignored", making.info.path);
		seep_dump_info_forget(&making.info);
	}
	rc = make(&making, err);
	seep_dump_info_release(&making.info);
	return rc;
}
