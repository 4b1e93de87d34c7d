/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/run_target.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPT_DEPTH 5   /* the kernel follows as many */

/* 0, -EACCES or -ENOENT: could this file be executed? */
static int try_path(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == EACCES ? -EACCES : -ENOENT;
	if (!S_ISREG(st.st_mode) || access(path, X_OK))
		return -EACCES;
	return 0;
}

/* The directories of PATH in turn; an empty one is the current directory. */
static int search_path(char *found, const char *command)
{
	const char *list = getenv("PATH");
	int result = -ENOENT;

	if (!list)
		list = "/bin:/usr/bin";
	for (;;) {
		size_t n = strcspn(list, ":");
		int length = snprintf(found, PATH_MAX, "%.*s%s%s", (int)n, list, n ? "/" : "./",
				      command);

		if (length < PATH_MAX) {
			int rc = try_path(found);

			if (!rc)
				return 0;
			if (rc == -EACCES)
				result = rc;
		}
		if (!list[n])
			break;
		list += n + 1;
	}
	return result;
}

static int find_file(char *found, const char *command)
{
	if (!strchr(command, '/'))
		return *command ? search_path(found, command) : -ENOENT;
	if (snprintf(found, PATH_MAX, "%s", command) >= PATH_MAX)
		return -ENOENT;
	return try_path(found);
}

int seep_target_find(struct seep_target *target, const char *command, struct seep_err *err)
{
	int rc = find_file(target->path, command);
	struct stat st;

	if (!rc)
		return 0;
	if (rc == -ENOENT)
		return seep_err_set(err, ENOENT, "'%.200s' was not found%s", command,
				    strchr(command, '/') ? "" : " in PATH; to run a program in "
				    "this directory, write ./NAME");
	if (!stat(command, &st) && S_ISDIR(st.st_mode))
		return seep_err_set(err, EACCES, "'%.200s' is a directory", command);
	return seep_err_set(err, EACCES, "'%.200s' is not executable; try chmod +x", command);
}

/*
 * The file behind "#!", which the kernel does not search for; with env, the
 * program that env would find.  False if it is no script, or one that cannot be
 * understood.
 */
static bool read_script(const char *path, char *interpreter)
{
	char line[512], *word, *rest;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	word = strtok_r(line + 2, " \t", &rest);
	if (!word)
		return false;
	if (strlen(word) < 4 || strcmp(word + strlen(word) - 4, "/env"))
		return snprintf(interpreter, PATH_MAX, "%s", word) < PATH_MAX &&
		       !try_path(interpreter);
	do
		word = strtok_r(NULL, " \t", &rest);
	while (word && (word[0] == '-' || strchr(word, '=')));
	return word && !find_file(interpreter, word);
}

static void follow_scripts(struct seep_target *target)
{
	char next[PATH_MAX];

	memcpy(target->binary, target->path, sizeof(target->binary));
	for (int depth = 0; depth < SCRIPT_DEPTH && read_script(target->binary, next); depth++)
		memcpy(target->binary, next, sizeof(target->binary));
}

static const char *user_name(uid_t uid)
{
	struct passwd *user = getpwuid(uid);

	return user ? user->pw_name : "another user";
}

/* The loader drops a preload where running the file changes who we are. */
static int check_privileges(const char *path, struct seep_err *err)
{
	struct stat st;
	struct statvfs fs;

	if (stat(path, &st) || (!statvfs(path, &fs) && (fs.f_flag & ST_NOSUID)))
		return 0;
	if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
		return seep_err_set(err, ENOEXEC,
				    "'%.200s' is setuid to %.40s, and the system does not preload "
				    "libraries into such programs; run a copy without the setuid "
				    "bit, as that user", path, user_name(st.st_uid));
	if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid())
		return seep_err_set(err, ENOEXEC,
				    "'%.200s' is setgid, and the system does not preload libraries "
				    "into such programs; run a copy without the setgid bit, as "
				    "that group",
				    path);
	if (geteuid() && getxattr(path, "security.capability", NULL, 0) > 0)
		return seep_err_set(err, ENOEXEC,
				    "'%.200s' has file capabilities, and the system does not "
				    "preload libraries into such programs; run a copy (cp drops "
				    "them), as root if it needs them", path);
	return 0;
}

static int check_object(const char *path, const struct seep_object *object, struct seep_err *err)
{
	if (!object->elf)
		return 0;
	if (!object->own_class)
		return seep_err_set(err, ENOEXEC,
				    "'%.200s' was built for a different architecture or word size; "
				    "use a matching build of seep", path);
	if (!object->loadable)
		return seep_err_set(err, ENOEXEC,
				    "'%.200s' is statically linked, so the tracker cannot be "
				    "loaded into it; link it dynamically (without -static)", path);
	if (object->musl)
		return seep_err_set(err, ENOEXEC,
				    "'%.200s' is linked with musl, but this tracker is built for "
				    "glibc; rebuild one of them", path);
	if (object->sanitizer[0])
		return seep_err_set(err, ENOEXEC,
				    "'%.200s' is built with %s, which has its own malloc; build it "
				    "without -fsanitize", path, object->sanitizer);
	return 0;
}

/* A binary that may be run but not read is not judged. */
int seep_target_inspect(struct seep_target *target, struct seep_err *err)
{
	int rc;

	follow_scripts(target);
	rc = check_privileges(target->binary, err);
	if (rc || seep_object_inspect(&target->object, target->binary))
		return rc;
	return check_object(target->binary, &target->object, err);
}
