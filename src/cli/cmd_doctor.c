/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cli/common/command.h"
#include "cli/common/install.h"
#include "cli/common/self.h"
#include "cli/run/run_target.h"
#include "os/process.h"
#include "os/shared.h"
#include "os/tool/limit.h"
#include "os/tool/proc.h"
#include "record/heap/real/real_pymem.h"
#include "render/sizes.h"
#include "render/style.h"

#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TRACE_BYTES 100e6      /* free space below which a long run may end early */
#define ADDRESS_BYTES 2e9      /* of address space: the tracker's tables take a part of it */

enum finding { OK, WARN, FAIL };

struct doctor {
	struct seep_style style;
	int failures;
};

__attribute__((format(printf, 3, 4)))
static void tell(struct doctor *doctor, enum finding finding, const char *fmt, ...)
{
	static const char *const words[] = { "ok  ", "warn", "fail" };
	static const enum seep_style_ink inks[] = { SEEP_INK_GOOD, SEEP_INK_DOUBT, SEEP_INK_BAD };
	va_list args;

	doctor->failures += finding == FAIL;
	printf("%s%s%s ", seep_style_on(&doctor->style, inks[finding]), words[finding],
	       seep_style_off(&doctor->style, inks[finding]));
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void check_system(struct doctor *doctor)
{
	struct utsname system;
	int major = 0, minor = 0;

	if (!uname(&system))
		tell(doctor, OK, "kernel %s on %s", system.release, system.machine);
	if (sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 &&
	    (major > 2 || (major == 2 && minor >= 35)))
		tell(doctor, OK, "glibc %s", gnu_get_libc_version());
	else
		tell(doctor, FAIL, "glibc %s is too old: the tracker needs 2.35 (Debian 12, Ubuntu "
		     "22.04); use a newer system or container", gnu_get_libc_version());
}

static void check_tracker(struct doctor *doctor)
{
	struct seep_err err = { 0 };
	struct seep_object object;
	char path[PATH_MAX];

	if (seep_install_tracker(path, &err))
		tell(doctor, FAIL, "%s", err.text);
	else if (seep_object_inspect(&object, path) || !object.elf || !object.own_class)
		tell(doctor, FAIL, "the tracker %s cannot be loaded; rebuild or reinstall seep",
		     path);
	else
		tell(doctor, OK, "tracker %s", path);
}

static void check_growth(struct doctor *doctor, int fd)
{
	static const char block[65536];
	struct statvfs fs;
	double free_bytes;

	if (write(fd, block, sizeof(block)) == sizeof(block))
		tell(doctor, OK, "traces can be written here");
	else
		tell(doctor, FAIL, "a file here cannot grow (%s); choose another location with -o "
		     "FILE",
		     strerror(errno));
	if (fstatvfs(fd, &fs))
		return;
	free_bytes = (double)fs.f_bavail * (double)fs.f_frsize;
	tell(doctor, free_bytes < TRACE_BYTES ? WARN : OK, "%s free here%s",
	     seep_size_format(free_bytes).text,
	     free_bytes < TRACE_BYTES ? ": a long run may not fit; choose another location with -o "
	     "FILE" : "");
}

static void check_directory(struct doctor *doctor)
{
	char name[] = ".seep-doctor-XXXXXX";
	struct rlimit limit;
	int fd = mkstemp(name);

	if (fd < 0) {
		tell(doctor, WARN, "this directory is not writable (%s): choose another location "
		     "with %s run -o FILE", strerror(errno), seep_self());
		return;
	}
	unlink(name);
	check_growth(doctor, fd);
	close(fd);
	if (!getrlimit(RLIMIT_FSIZE, &limit) && (double)limit.rlim_cur < TRACE_BYTES)
		tell(doctor, WARN, "files cannot grow beyond %s: raise the limit with ulimit -f "
		     "unlimited",
		     seep_size_format((double)limit.rlim_cur).text);
}

/* The smallest first. */
static void list_limits(struct doctor *doctor)
{
	struct seep_limit_found found[SEEP_LIMIT_ROOM];
	size_t n = seep_limit_find("", 0, found, SEEP_LIMIT_ROOM);

	for (size_t i = 0; i < n; i++) {
		const struct seep_limit_found *limit = &found[i];
		const char *what = limit->scope == SEEP_LIMIT_SCOPE_ADDRESSES ? "address space"
									      : "memory";
		char left[96] = "";

		if (limit->others_bytes)
			snprintf(left, sizeof(left), ": other processes leave %s of it",
				 seep_size_format((double)seep_limit_left(limit)).text);
		tell(doctor, OK, "%s %s at %s (%s)%s", what,
		     limit->slows ? "is slowed down" : "runs out",
		     seep_size_format((double)limit->bytes).text,
		     limit->source, left);
	}
	if (!n || found[0].slows)
		tell(doctor, WARN, "no memory limit was found: set one with %s run --limit SIZE "
		     "to learn when it will be reached", seep_self());
}

static void check_memory(struct doctor *doctor)
{
	struct rlimit limit;
	char pages[32];

	list_limits(doctor);
	if (!getrlimit(RLIMIT_AS, &limit) && (double)limit.rlim_cur < ADDRESS_BYTES)
		tell(doctor, WARN, "RLIMIT_AS is %s, and the tracker's tables take some of it; "
		     "raise it with ulimit -v unlimited",
		     seep_size_format((double)limit.rlim_cur).text);
	if (seep_proc_overcommit() == 2)
		tell(doctor, WARN, "vm.overcommit_memory is 2: the tracker's tables may not fit; "
		     "sysctl vm.overcommit_memory=0");
	seep_proc_huge_pages(pages, sizeof(pages));
	if (!strcmp(pages, "always"))
		tell(doctor, WARN, "transparent huge pages are 'always': RSS moves in steps of "
		     "2 MiB (the heap is still exact)");
	else if (*pages)
		tell(doctor, OK, "transparent huge pages are '%s'", pages);
}

/* In a container everything is under a filter, and so is seep run. */
static void check_filters(struct doctor *doctor)
{
	int64_t n = seep_process_filters();

	if (n)
		tell(doctor, OK, "%" PRId64 " seccomp filter%s, which a program inherits from "
		     "seep; if it installs another one, the tracker makes no system calls from "
		     "then on", n, n == 1 ? "" : "s");
	else
		tell(doctor, OK, "no seccomp filter; if a program installs one, the tracker makes "
		     "no system calls from then on");
}

/* Without it, a program that marks no events has none at all. */
static void check_sharing(struct doctor *doctor)
{
	char name[SEEP_SHARED_NAME_MAX];
	const struct seep_shared_part all = { 0, 1 };

	if (seep_shared_create(1, name) && seep_shared_open(name, all))
		tell(doctor, OK, "memory can be shared with the program, so there are time slices");
	else
		tell(doctor, WARN, "no memory can be shared with the program (is /proc mounted?): "
		     "only events that it marks itself count");
}

static void check_environment(struct doctor *doctor)
{
	const char *preload = getenv("LD_PRELOAD");
	const char *disable = getenv("SEEP_DISABLE");

	if (preload && *preload)
		tell(doctor, WARN, "LD_PRELOAD is set (%.200s): it is loaded after the tracker",
		     preload);
	if (disable && *disable && strcmp(disable, "0"))
		tell(doctor, FAIL, "SEEP_DISABLE is set, so nothing is tracked: unset "
		     "SEEP_DISABLE");
}

/* Debug information that a package keeps apart is found by the build id. */
static bool has_debug_file(const char *build_id)
{
	char path[PATH_MAX];

	if (strlen(build_id) < 3)
		return false;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id,
		 build_id + 2);
	return !access(path, R_OK);
}

static void check_names(struct doctor *doctor, const struct seep_target *target)
{
	const struct seep_object *object = &target->object;
	const char *servers = getenv("DEBUGINFOD_URLS");

	if (object->debug_info || has_debug_file(object->build_id))
		tell(doctor, OK, "it has debug information: sites will show file and line");
	else if (object->build_id[0] && servers && *servers)
		tell(doctor, OK, "its debug information may come from DEBUGINFOD_URLS");
	else
		tell(doctor, WARN, "it has no debug information: sites will show %s; build it with "
		     "-g or install its -dbgsym package",
		     object->symbols ? "functions but no lines" : "only exported functions");
	if (!object->build_id[0])
		tell(doctor, WARN, "it has no build id, so seep cannot tell a later build from "
		     "this one: link with -Wl,--build-id");
}

/* The N of a file named python3.N, -1 of others. */
static int python_minor(const char *binary)
{
	char path[PATH_MAX];
	const char *name = realpath(binary, path) ? strrchr(path, '/') : NULL;

	return name && !strncmp(name, "/python3.", 9) ? (int)strtol(name + 9, NULL, 10) : -1;
}

static void check_python(struct doctor *doctor, const char *binary)
{
	const char *set = getenv("PYTHONMALLOC"), *mode = getenv("PYTHONDEVMODE");
	int minor = python_minor(binary);

	if (minor < 0)
		return;
	if (set && strcmp(set, "malloc") != 0)
		tell(doctor, WARN, "PYTHONMALLOC is set (%.40s): memory in Python's pools is not "
		     "tracked; unset PYTHONMALLOC", set);
	else if (set)
		tell(doctor, WARN, "PYTHONMALLOC=malloc is set, which only makes Python slower; "
		     "unset PYTHONMALLOC");
	else if (mode && *mode)
		tell(doctor, WARN, "PYTHONDEVMODE is set: seep run sets PYTHONMALLOC=malloc, as "
		     "this mode has its own allocator; unset PYTHONDEVMODE");
	else if (minor < SEEP_PYMEM_MINOR_FIRST || minor > SEEP_PYMEM_MINOR_LAST)
		tell(doctor, WARN, "Python 3.%d is not known to this version of seep: seep run "
		     "sets PYTHONMALLOC=malloc, which makes Python slower", minor);
	else
		tell(doctor, OK, "it is Python 3.%d; seep tracks its own allocator", minor);
}

static void check_program(struct doctor *doctor, const char *command)
{
	struct seep_err err = { 0 };
	struct seep_target target;

	if (seep_target_find(&target, command, &err)) {
		tell(doctor, FAIL, "%s", err.text);
		return;
	}
	memset(&target.object, 0, sizeof(target.object));
	if (seep_target_inspect(&target, &err)) {
		tell(doctor, FAIL, "%s", err.text);
		return;
	}
	if (strcmp(target.path, target.binary))
		tell(doctor, OK, "%s is a script for %s", target.path, target.binary);
	if (!target.object.elf) {
		tell(doctor, WARN, "%s cannot be read, or is not an ELF file; seep run will try it "
		     "anyway",
		     target.binary);
		return;
	}
	tell(doctor, OK, "%s is linked dynamically: the tracker can be loaded", target.binary);
	check_names(doctor, &target);
	check_python(doctor, target.binary);
	if (target.object.allocator[0])
		tell(doctor, WARN, "it uses %s: the tracker works with it, but the free memory it "
		     "holds on to looks like RSS growth", target.object.allocator);
}

static const struct seep_option option_table[] = {
	{ .name = NULL },
};

static int run_doctor(int argc, char **argv, struct seep_err *err)
{
	struct doctor doctor = { .style = seep_style_of(stdout) };
	struct seep_operands_found found;
	int status = seep_option_table_parse(&seep_command_doctor, argc, argv, NULL, &found, err);

	if (status)
		return status;
	check_system(&doctor);
	check_tracker(&doctor);
	check_directory(&doctor);
	check_memory(&doctor);
	check_sharing(&doctor);
	check_filters(&doctor);
	check_environment(&doctor);
	if (found.command && *found.command)
		check_program(&doctor, *found.command);
	return doctor.failures ? 1 : 0;
}

const struct seep_command seep_command_doctor = {
	.name = "doctor",
	.summary = "find what prevents tracking on this system, and how to fix it",
	.operands_text = "[CMD]",
	.operands = SEEP_OPERANDS_COMMAND,
	.examples =
		"  seep doctor               this system and this directory\n"
		"  seep doctor ./detector    also this program, without running it\n",
	.notes =
		"Each line starts with ok, warn or fail. The exit status is 1 if a check failed.\n",
	.options = option_table,
	.run = run_doctor,
};
