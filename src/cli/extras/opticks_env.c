/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/output.h"
#include "cli/extras/opticks_env.h"
#include "render/export/export.h"
#include "render/safe.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEVEL_SUFFIX "_PROFILE_LEAK_MB"
#define LEVEL_MOST_MB 1e6
#define DIGITS_MOST 20
#define INDEX_MOST 1000000000000

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0");
}

/* 0 where there is none. */
static int read_index(const char *name, int64_t *index, struct seep_err *err)
{
	const char *text = getenv(name);
	char *end;

	*index = 0;
	if (!text || !*text)
		return 0;
	errno = 0;
	*index = strtoll(text, &end, 10);
	if (*end || errno || llabs(*index) > INDEX_MOST)
		return seep_err_set(err, EINVAL, "%s: '%.100s' is not a number", name, text);
	return 0;
}

/* Digits up to what is useful, and no more: the format comes from outside. */
static bool take_digits(const char **at, int *number)
{
	*number = 0;
	for (; isdigit((unsigned char)**at); (*at)++)
		*number = *number * 10 + (**at - '0');
	return *number <= DIGITS_MOST;
}

/* "%d", "%3d", "%03d", "%0.3d" behind the %: moves *at behind it. */
static bool take_conversion(const char **at, int64_t index, char *text, size_t room)
{
	bool zero = **at == '0';
	int width = 0, digits = -1;

	if (strnlen(*at, 8) == 8 && strspn(*at, "0123456789.") >= 8)
		return false;
	if (!take_digits(at, &width))
		return false;
	if (**at == '.') {
		(*at)++;
		zero = false;
		if (!take_digits(at, &digits))
			return false;
	}
	if (!**at || !strchr("diu", **at))
		return false;
	(*at)++;
	if (digits >= 0)
		snprintf(text, room, "%*.*" PRId64, width, digits, index);
	else if (zero)
		snprintf(text, room, "%0*" PRId64, width, index);
	else
		snprintf(text, room, "%*" PRId64, width, index);
	return true;
}

static int refuse_format(const char *format, struct seep_err *err)
{
	return seep_err_set(err, EINVAL, "SProf__PATH: '%.200s' may contain one %%d, as in "
			    "SProf_%%0.5d.txt, but no other %%", format);
}

int seep_run_opticks_path(char *path, const char *format, int64_t index, struct seep_err *err)
{
	const char *at = format;
	size_t used = 0, n;
	bool seen = false;

	*path = 0;
	while (*at) {
		char text[64] = { *at++, 0 };

		if (*text == '%' && *at == '%') {
			at++;
		} else if (*text == '%') {
			if (seen || !take_conversion(&at, index, text, sizeof(text)))
				return refuse_format(format, err);
			seen = true;
		}
		n = strlen(text);
		if (used + n >= PATH_MAX)
			return seep_err_set(err, ENAMETOOLONG, "SProf__PATH is too long");
		memcpy(path + used, text, n + 1);
		used += n;
	}
	return 0;
}

/* Can it be made, and what is there now? */
static int look_at(struct seep_run_opticks_file *file, struct seep_err *err)
{
	if (stat(file->path, &file->before))
		file->before.st_nlink = 0;
	return seep_output_check(file->path, err);
}

static int plan_sprof(struct seep_run_opticks *opticks, struct seep_err *err)
{
	const char *format = getenv("SProf__PATH");
	int64_t index;
	int rc;

	if (!is_set("SProf__WRITE"))
		return 0;
	rc = read_index("SProf__PATH_INDEX", &index, err);
	if (!rc)
		rc = seep_run_opticks_path(opticks->sprof.path,
					   format && *format ? format : "SProf.txt", index, err);
	return rc ? rc : look_at(&opticks->sprof, err);
}

int seep_run_opticks_plan(struct seep_run_opticks *opticks, struct seep_err *err)
{
	const char *path = getenv("OPTICKS_PROFILE_PATH");
	int rc;

	*opticks = (struct seep_run_opticks){ .start_index = 0 };
	rc = read_index("OPTICKS_START_INDEX", &opticks->start_index, err);
	if (!rc)
		rc = plan_sprof(opticks, err);
	if (rc || !path || !*path)
		return rc;
	if (snprintf(opticks->profile.path, PATH_MAX, "%s", path) >= PATH_MAX)
		return seep_err_set(err, ENAMETOOLONG, "OPTICKS_PROFILE_PATH is too long");
	return look_at(&opticks->profile, err);
}

/* Whether the program has written it. */
static bool is_its_own(const struct seep_run_opticks_file *file)
{
	const struct stat *before = &file->before;
	struct stat now;

	if (stat(file->path, &now) || !S_ISREG(now.st_mode))
		return false;
	return !before->st_nlink || now.st_ino != before->st_ino ||
	       now.st_size != before->st_size || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

static int write_file(struct seep_view *view, const char *format, const char *path,
		      struct seep_err *err)
{
	struct seep_output output;
	int rc = seep_output_open(&output, path, err);

	if (rc)
		return rc;
	view->out = output.out;
	rc = seep_export_find(format)->write(view, err);
	return seep_output_settle(&output, rc, err);
}

/* One of the files, if it is wanted. */
static int write_one(struct seep_analysis *analysis, const struct seep_run_opticks *opticks,
		     const struct seep_run_opticks_file *file, const char *format, bool quiet,
		     struct seep_err *err)
{
	struct seep_view view = seep_analysis_view(analysis, stderr);
	bool own = *file->path && is_its_own(file);
	int rc = 0;

	view.start_index = opticks->start_index;
	if (*file->path && !own)
		rc = write_file(&view, format, file->path, err);
	if (*file->path && !rc && !quiet)
		fprintf(stderr, "seep: %s was written%s\n",
			seep_safe_text(&analysis->arena, file->path),
			own ? " by the program itself and is left unchanged" : "");
	return rc;
}

int seep_run_opticks_write(const struct seep_run_opticks *opticks, const char *trace, bool quiet,
			   struct seep_err *err)
{
	struct seep_analysis analysis;
	int rc;

	if (!*opticks->sprof.path && !*opticks->profile.path)
		return 0;
	rc = seep_analysis_open(&analysis, trace, err);
	if (rc)
		return rc;
	rc = write_one(&analysis, opticks, &opticks->sprof, "sprof", quiet, err);
	if (!rc)
		rc = write_one(&analysis, opticks, &opticks->profile, "opticks-profile", quiet,
			       err);
	seep_analysis_close(&analysis);
	return rc;
}

/* The name of a variable of this kind in "NAME=value", or 0 letters. */
static size_t find_level_name(const char *entry)
{
	size_t n = strcspn(entry, "="), suffix = strlen(LEVEL_SUFFIX);

	return entry[n] && n > suffix && !strncmp(entry + n - suffix, LEVEL_SUFFIX, suffix) ? n : 0;
}

static int read_level(const char *text, size_t name, int64_t *bytes, struct seep_err *err)
{
	const char *value = text + name + 1;
	char *end;
	double mb = strtod(value, &end);

	if (end == value || *end || !isfinite(mb) || mb < 0 || mb > LEVEL_MOST_MB)
		return seep_err_set(err, EINVAL, "%.*s: '%.100s' is not a number of megabytes",
				    (int)(name < 100 ? name : 100), text, value);
	if (mb > 0)
		*bytes = (int64_t)(mb * 1e6);
	return 0;
}

int seep_run_opticks_level(int64_t *bytes, struct seep_err *err)
{
	char name[256];
	size_t n;
	char **entry = environ;
	int rc = 0;

	*bytes = 0;
	while (!rc && *entry) {
		n = find_level_name(*entry);
		if (!n || n >= sizeof(name)) {
			entry++;
			continue;
		}
		rc = read_level(*entry, n, bytes, err);
		memcpy(name, *entry, n);
		name[n] = 0;
		unsetenv(name); /* what is behind it moves here */
	}
	return rc;
}
