/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cli/common/install.h"
#include "cli/profiler/run_loader.h"
#include "cli/profiler/run_profiler.h"
#include "os/tool/object.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NUMBERS_ROOM 96 /* for what is added to the prefix */

struct seep_profiler_kind {
	const char *name;
	const char *variable;    /* names its library */
	const char *files[4];    /* of it, in the order in which they are looked for */
	const char *symbol;      /* without which it can dump nothing */
	const char *package;     /* of Debian */
	const char *stem;        /* of the dumps */
	bool names_pid;
};

static const struct seep_profiler_kind kinds[] = {
	{ "jemalloc", "JEMALLOCLIB", { "libjemalloc.so.2", "libjemalloc.so", "libjemalloc.so.1" },
	  "mallctl", "libjemalloc2", "jeprof", true },
	{ "tcmalloc", "TCMALLOCLIB", { "libtcmalloc.so.4", "libtcmalloc.so" },
	  "HeapProfilerStart", "google-perftools", "tcmalloc", false },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))
#define FILES (sizeof(kinds[0].files) / sizeof(kinds[0].files[0]))

int seep_profiler_set(void *field, const char *name, struct seep_err *err)
{
	struct seep_profiler *profiler = field;

	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, name)) {
			profiler->kind = &kinds[i];
			return 0;
		}
	return seep_err_set(err, EINVAL, "--profiler: there is no '%.100s'; choose jemalloc or "
			    "tcmalloc", name);
}

const char *seep_profiler_value(size_t i)
{
	return i < KINDS ? kinds[i].name : NULL;
}

const char *seep_profiler_name(const struct seep_profiler *profiler)
{
	return profiler->kind->name;
}

bool seep_profiler_names_pid(const struct seep_profiler *profiler)
{
	return profiler->kind->names_pid;
}

static bool is_jemalloc(const struct seep_profiler *profiler)
{
	return profiler->kind == &kinds[0];
}

/*
 * The value that MALLOC_CONF gives a setting, or NULL; of several the last holds, as
 * jemalloc takes it.
 */
static const char *find_setting(const char *conf, const char *name, size_t *length)
{
	const char *value = NULL;
	size_t n = strlen(name);

	while (conf && *conf) {
		size_t all = strcspn(conf, ",");

		if (!strncmp(conf, name, n) && conf[n] == ':') {
			value = conf + n + 1;
			*length = all - n - 1;
		}
		conf += all + (conf[all] == ',');
	}
	return value;
}

static int find_library(const struct seep_profiler_kind *kind, char *path, struct seep_err *err)
{
	const char *given = getenv(kind->variable);

	if (given && *given) {
		if (strchr(given, '/') ? realpath(given, path) != NULL
				       : seep_loader_find(given, path))
			return 0;
		return seep_err_set(err, ENOENT, "%s is set to '%.200s', but there is no such "
				    "library",
				    kind->variable, given);
	}
	for (size_t i = 0; i < FILES && kind->files[i]; i++)
		if (seep_loader_find(kind->files[i], path))
			return 0;
	return seep_err_set(err, ENOENT, "%s was not found; install it (on Debian: apt install "
			    "%s), or set %s to its path", kind->name, kind->package,
			    kind->variable);
}

/* A jemalloc without --enable-prof does not know the setting, and says so. */
static int check_library(const struct seep_profiler_kind *kind, const char *path,
			 struct seep_err *err)
{
	char said[200] = "";

	if (strpbrk(path, " :"))
		return seep_err_set(err, EINVAL, "%s is in '%.200s', and a path with a space or a "
				    "colon cannot be preloaded", kind->name, path);
	if (!seep_object_defines(path, kind->symbol))
		return seep_err_set(err, ENOTSUP, "'%.200s' has no heap profiler (no %s); the one "
				    "in Debian's %s package does; set %s to its path", path,
				    kind->symbol,
				    kind->package, kind->variable);
	if (kind == &kinds[0])
		seep_loader_try(path, "MALLOC_CONF", "prof:true", said, sizeof(said));
	if (*said)
		return seep_err_set(err, ENOTSUP, "'%.150s' cannot profile (%s); it must be built "
				    "with --enable-prof, like the one in Debian's %s package", path,
				    said,
				    kind->package);
	return 0;
}

/* The user's word is the last, but for one. */
static int check_settings(const struct seep_profiler *profiler, struct seep_err *err)
{
	size_t n = 0;
	const char *on = find_setting(getenv("MALLOC_CONF"), "prof", &n);

	if (is_jemalloc(profiler) && on && (n != 4 || strncmp(on, "true", 4)))
		return seep_err_set(err, EINVAL, "MALLOC_CONF contains prof:%.*s, but without its "
				    "profiler jemalloc has nothing to dump", (int)(n < 20 ? n : 20),
				    on);
	return 0;
}

int seep_profiler_prepare(struct seep_profiler *profiler, struct seep_err *err)
{
	char stamps[PATH_MAX], library[PATH_MAX];
	int rc = check_settings(profiler, err);

	if (!rc)
		rc = find_library(profiler->kind, library, err);
	if (!rc)
		rc = check_library(profiler->kind, library, err);
	if (!rc)
		rc = seep_install_stamps(stamps, err);
	if (!rc)
		snprintf(profiler->preload, sizeof(profiler->preload), "%s:%s", stamps, library);
	return rc;
}

/* Where the user wants the dumps, or NULL. */
static const char *find_wish(const struct seep_profiler *profiler, size_t *n)
{
	const char *wish;

	if (is_jemalloc(profiler))
		return find_setting(getenv("MALLOC_CONF"), "prof_prefix", n);
	wish = getenv("HEAPPROFILE");
	*n = wish ? strlen(wish) : 0;
	return wish;
}

/* "" for what is absolute anyway. */
static int find_here(char *here, const char *path, struct seep_err *err)
{
	here[0] = 0;
	if (*path != '/' && !getcwd(here, PATH_MAX))
		return seep_err_set(err, errno, "the path of the current directory is unknown (%s)",
				    strerror(errno));
	return 0;
}

int seep_profiler_place(struct seep_profiler *profiler, const char *trace, struct seep_err *err)
{
	size_t n = 0, length = strlen(trace);
	const char *wish = find_wish(profiler, &n);
	char here[PATH_MAX];
	int rc, used;

	profiler->own_folder = !n;
	if (length > 5 && !strcmp(trace + length - 5, ".seep"))
		length -= 5;
	rc = find_here(here, n ? wish : trace, err);
	if (rc)
		return rc;
	used = n ? snprintf(profiler->prefix, PATH_MAX, "%s%s%.*s", here, *here ? "/" : "", (int)n,
			    wish)
		 : snprintf(profiler->prefix, PATH_MAX, "%s%s%.*s.dumps/%s", here,
			    *here ? "/" : "", (int)length, trace, profiler->kind->stem);
	if (used >= PATH_MAX - NUMBERS_ROOM)
		return seep_err_set(err, ENAMETOOLONG, "the names of the dumps would be too long; "
				    "choose a shorter one with -o FILE");
	if (is_jemalloc(profiler) && strchr(profiler->prefix, ','))
		return seep_err_set(err, EINVAL, "jemalloc does not accept a path with a comma, "
				    "and its dumps would go to '%.300s'; choose another location "
				    "with -o FILE", profiler->prefix);
	return 0;
}

static void find_folder(const struct seep_profiler *profiler, char *folder)
{
	snprintf(folder, PATH_MAX, "%.*s",
		 (int)(strrchr(profiler->prefix, '/') - profiler->prefix), profiler->prefix);
}

/* Those of an earlier run, and nothing else. */
static void remove_dumps(const struct seep_profiler *profiler, const char *folder)
{
	const char *stem = profiler->kind->stem;
	struct dirent *entry;
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir))) {
		size_t n = strlen(entry->d_name);

		if (!strncmp(entry->d_name, stem, strlen(stem)) && n > 5 &&
		    !strcmp(entry->d_name + n - 5, ".heap"))
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

int seep_profiler_make_folder(const struct seep_profiler *profiler, bool replace,
			      struct seep_err *err)
{
	char folder[PATH_MAX];

	find_folder(profiler, folder);
	if (!profiler->own_folder) {
		if (access(*folder ? folder : "/", W_OK | X_OK))
			return seep_err_set(err, errno, "the dumps cannot be written to '%.200s': "
					    "%s", folder, strerror(errno));
		return 0;
	}
	if (!mkdir(folder, 0777))
		return 0;
	if (errno == EEXIST && replace) {
		remove_dumps(profiler, folder);
		return 0;
	}
	return seep_err_set(err, errno, "the folder '%.200s' for the dumps could not be created: "
			    "%s%s", folder, strerror(errno),
			    errno == EEXIST ? "; reuse it with -f" : "");
}

void seep_profiler_drop_folder(const struct seep_profiler *profiler)
{
	char folder[PATH_MAX];

	if (!profiler->own_folder)
		return;
	find_folder(profiler, folder);
	rmdir(folder);
}

/* jemalloc takes the last of several values, so what the user says holds. */
static int set_jemalloc(const char *prefix)
{
	const char *given = getenv("MALLOC_CONF");
	char *conf;
	int failed;

	if (asprintf(&conf, "prof:true,prof_leak:true,prof_final:true,prof_prefix:%s%s%s", prefix,
		     given && *given ? "," : "", given ? given : "") < 0)
		return -ENOMEM;
	failed = setenv("MALLOC_CONF", conf, 1);
	free(conf);
	return failed ? -ENOMEM : 0;
}

/* It dumps by itself as well when enough was allocated, which is at no event. */
static int set_tcmalloc(const char *prefix)
{
	return setenv("HEAPPROFILE", prefix, 1) ||
	       setenv("HEAP_PROFILE_ALLOCATION_INTERVAL", "0", 0) ||
	       setenv("HEAP_PROFILE_INUSE_INTERVAL", "0", 0) ? -ENOMEM : 0;
}

int seep_profiler_set_environment(const struct seep_profiler *profiler)
{
	if (setenv("SEEP_PROFILER", profiler->kind->name, 1) ||
	    setenv("SEEP_DUMP_PREFIX", profiler->prefix, 1))
		return -ENOMEM;
	return is_jemalloc(profiler) ? set_jemalloc(profiler->prefix)
				     : set_tcmalloc(profiler->prefix);
}
