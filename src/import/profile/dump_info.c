/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/profile/dump_info.h"

#include "import/number.h"
#include "os/base_name.h"

#include <dirent.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

#define INFO_MAX ((off_t)16 << 20)

/* The directory of a file with a slash at its end; "" is the current one. */
static const char *directory_of(const char *path, struct seep_arena *arena)
{
	const char *slash = strrchr(path, '/');

	return slash ? seep_arena_copy(arena, path, (size_t)(slash - path) + 1) : "";
}

static json_t *load(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size > INFO_MAX)
		return NULL;
	return json_load_file(path, 0, NULL);
}

static int64_t integer_at(const json_t *object, const char *name, int64_t otherwise)
{
	const json_t *value = json_object_get(object, name);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

void seep_dump_info_read(struct seep_dump_info *info, const char *beside,
			 struct seep_arena *arena)
{
	const char *directory = directory_of(beside, arena);
	const char *const places[] = { "", "../" };
	int64_t pid;

	*info = (struct seep_dump_info){ 0 };
	for (size_t i = 0; i < 2 && !info->json; i++) {
		info->path = seep_arena_printf(arena, "%s%sruninfo.json", directory, places[i]);
		info->json = load(info->path);
	}
	if (!info->json)
		return;
	info->exe = json_string_value(json_object_get(info->json, "exe"));
	pid = integer_at(info->json, "pid", 0);
	info->pid = pid > 0 && pid <= INT32_MAX ? (uint64_t)pid : 0;
	info->has_end = json_is_integer(json_object_get(info->json, "retcode"));
	info->retcode = integer_at(info->json, "retcode", 0);
	info->signal = integer_at(info->json, "signal", 0);
	if (info->retcode < 0) { /* as in Python's subprocess */
		info->signal = -info->retcode;
		info->retcode = 0;
	}
}

void seep_dump_info_release(struct seep_dump_info *info)
{
	json_decref(info->json);
}

static bool is_name(const char *text, const char *name)
{
	return text && !strcmp(seep_base_name(text), name);
}

void seep_dump_info_forget(struct seep_dump_info *info)
{
	seep_dump_info_release(info);
	*info = (struct seep_dump_info){ 0 };
}

bool seep_dump_info_lists(const struct seep_dump_info *info)
{
	const json_t *dumps = json_object_get(info->json, "dumps");

	return json_array_size(dumps) || json_object_size(dumps);
}

bool seep_dump_info_names(const struct seep_dump_info *info,
			  const struct seep_dump_file *file)
{
	json_t *dumps = json_object_get(info->json, "dumps"), *dump;
	const char *name;
	size_t i;

	json_array_foreach(dumps, i, dump)
		if (is_name(json_string_value(json_object_get(dump, "file")), file->name))
			return true;
	json_object_foreach(dumps, name, dump)
		if (is_name(name, file->name))
			return true;
	return false;
}

static void take_event(struct seep_dump_file *file, const json_t *event)
{
	if (json_is_integer(event) && json_integer_value(event) >= 0)
		file->event = json_integer_value(event);
}

void seep_dump_info_tell(const struct seep_dump_info *info, struct seep_dump_file *file)
{
	json_t *dumps = json_object_get(info->json, "dumps"), *dump;
	const char *name;
	size_t i;

	json_array_foreach(dumps, i, dump) {
		if (!is_name(json_string_value(json_object_get(dump, "file")), file->name))
			continue;
		take_event(file, json_object_get(dump, "event"));
		if (json_is_true(json_object_get(dump, "final")))
			file->final = true;
	}
	json_object_foreach(dumps, name, dump)
		if (is_name(name, file->name))
			take_event(file, dump);
}

/*
 * The kinds of log lines.  The later kinds count only if there are more dumps than lines of the
 * earlier ones.
 */
enum told { TOLD_DUMP, TOLD_STOP, TOLD_START, TOLD_KINDS };

struct log_line {
	enum told told;
	int64_t event;
};

static bool take_line(const char *line, struct log_line *found)
{
	static const struct {
		const char *words;
		enum told told;
	} kinds[] = {
		{ "Jemalloc Dumping heap at event ", TOLD_DUMP },
		{ "Dumping Jemalloc profile at event ", TOLD_DUMP },
		{ "Stopping Jemalloc profile at event ", TOLD_STOP },
		{ "Starting Jemalloc profile at event ", TOLD_START },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *at = strstr(line, kinds[i].words);
		uint64_t event;

		if (!at)
			continue;
		at += strlen(kinds[i].words);
		if (!seep_number_decimal(&at, &event) || event > INT32_MAX)
			return false;
		*found = (struct log_line){ kinds[i].told, (int64_t)event };
		return true;
	}
	return false;
}

/* Takes the lines up to a kind.  Returns true if there are as many as dumps. */
static bool pick(const struct log_line *lines, size_t n_lines, enum told last, int64_t *events,
		 size_t n)
{
	size_t used = 0;

	for (size_t i = 0; i < n_lines; i++) {
		if (lines[i].told > last)
			continue;
		if (used < n)
			events[used] = lines[i].event;
		used++;
	}
	return used == n;
}

static bool read_log(const char *path, int64_t *events, size_t n, struct seep_arena *arena)
{
	struct seep_table lines = SEEP_TABLE(arena, struct log_line);
	struct seep_err ignored = { 0 };
	struct seep_source *source = seep_source_open(path, &ignored);
	struct log_line found;
	bool picked = false;
	size_t bytes;
	char *line;
	int rc = source ? 1 : 0;

	while (source && lines.n <= 2 * n + 2 &&
	       (rc = seep_source_line(source, &line, &bytes, &ignored)) > 0)
		if (take_line(line, &found))
			*(struct log_line *)seep_table_add(&lines) = found;
	for (int last = TOLD_DUMP; source && !rc && !picked && last < TOLD_KINDS; last++)
		picked = pick(lines.items, lines.n, (enum told)last, events, n);
	seep_source_close(source);
	return picked;
}

bool seep_dump_info_read_log(const char *beside, int64_t *events, size_t n,
			     struct seep_arena *arena)
{
	const char *directory = directory_of(beside, arena);
	DIR *dir = opendir(*directory ? directory : ".");
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);

		if (length > 4 && !strcmp(entry->d_name + length - 4, ".log"))
			found = read_log(seep_arena_printf(arena, "%s%s", directory,
							   entry->d_name), events, n, arena);
	}
	if (dir)
		closedir(dir);
	return found;
}
