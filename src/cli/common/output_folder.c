/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/output_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".XXXXXX"

static int fail(const char *path, int code, struct seep_err *err)
{
	return seep_err_set(err, code, "'%.200s' could not be written: %s", path, strerror(code));
}

static FILE *open_file(struct seep_export_folder *files, const char *name, struct seep_err *err)
{
	struct seep_output_folder *folder = (struct seep_output_folder *)files;
	FILE *out = NULL;
	int fd;

	if (folder->n == SEEP_OUTPUT_FILES_MOST || strlen(name) > NAME_MAX || strchr(name, '/')) {
		fail(name, EINVAL, err);
		return NULL;
	}
	fd = openat(folder->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (!out) {
		fail(name, errno, err);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	memcpy(folder->names[folder->n], name, strlen(name) + 1);
	folder->open[folder->n++] = out;
	return out;
}

/* rename() replaces an empty folder, and nothing else. */
static int check_existing(struct seep_output_folder *folder, const char *path, bool replace,
			  struct seep_err *err)
{
	struct stat st;

	folder->replaces = false;
	if (lstat(path, &st) || (S_ISDIR(st.st_mode) && !rmdir(path)))
		return 0;
	folder->replaces = S_ISDIR(st.st_mode) && replace;
	if (folder->replaces)
		return 0;
	return seep_err_set(err, EEXIST, "'%.200s' exists; %s", path,
			    S_ISDIR(st.st_mode) ? "replace it with -f, or name another folder"
						: "it is not a folder");
}

int seep_output_folder_open(struct seep_output_folder *folder, const char *path, bool replace,
			    struct seep_err *err)
{
	size_t n = strlen(path);
	mode_t mask = umask(0);
	int rc;

	umask(mask);
	memset(folder, 0, sizeof(*folder));
	while (n > 1 && path[n - 1] == '/') /* a link with a slash would be its folder */
		n--;
	if (!n || n >= PATH_MAX - sizeof(SUFFIX))
		return fail(path, n ? ENAMETOOLONG : ENOENT, err);
	snprintf(folder->path, sizeof(folder->path), "%.*s", (int)n, path);
	rc = check_existing(folder, folder->path, replace, err);
	if (rc)
		return rc;
	folder->files.open = open_file;
	snprintf(folder->draft, sizeof(folder->draft), "%.*s" SUFFIX, (int)n, path);
	if (!mkdtemp(folder->draft))
		return fail(path, errno, err);
	folder->fd = open(folder->draft, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->fd < 0 || fchmod(folder->fd, 0777 & ~mask)) {
		rc = fail(path, errno, err);
		seep_output_folder_abandon(folder);
	}
	return rc;
}

static int close_files(struct seep_output_folder *folder, struct seep_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < folder->n; i++) {
		bool failed;

		errno = 0;
		failed = ferror(folder->open[i]) | fflush(folder->open[i]);
		if (fclose(folder->open[i]) || failed)
			rc = fail(folder->names[i], errno ? errno : EIO, err);
		folder->open[i] = NULL;
	}
	return rc;
}

/* Whether the entry is a file that this export has written anew. */
static bool is_written(const struct seep_output_folder *folder, DIR *directory, const char *name)
{
	struct stat st;

	for (size_t i = 0; i < folder->n; i++)
		if (!strcmp(folder->names[i], name))
			return !fstatat(dirfd(directory), name, &st, AT_SYMLINK_NOFOLLOW) &&
			       S_ISREG(st.st_mode);
	return false;
}

/* -f replaces an earlier export, but never removes a file that is not part of one. */
static int check_contents(const struct seep_output_folder *folder, struct seep_err *err)
{
	DIR *directory = opendir(folder->path);
	struct dirent *entry;
	int rc = directory ? 0 : fail(folder->path, errno, err);

	while (!rc && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    !is_written(folder, directory, entry->d_name))
			rc = seep_err_set(err, EEXIST, "'%.200s' is not replaced: it contains "
					  "'%.200s', which is not part of this export",
					  folder->path, entry->d_name);
	if (directory)
		closedir(directory);
	return rc;
}

/* The old folder steps aside, so that it can come back if the new one cannot take its name. */
static int replace_folder(struct seep_output_folder *folder, struct seep_err *err)
{
	char old[PATH_MAX], file[PATH_MAX + NAME_MAX + 2];
	int rc = check_contents(folder, err);

	if (rc)
		return rc;
	snprintf(old, sizeof(old), "%.*s" SUFFIX, (int)(PATH_MAX - sizeof(SUFFIX)), folder->path);
	if (!mkdtemp(old))
		return fail(folder->path, errno, err);
	if (rename(folder->path, old)) {
		rc = fail(folder->path, errno, err);
		rmdir(old);
		return rc;
	}
	if (rename(folder->draft, folder->path)) {
		rc = fail(folder->path, errno, err);
		rename(old, folder->path);
		return rc;
	}
	for (size_t i = 0; i < folder->n; i++) {
		snprintf(file, sizeof(file), "%s/%s", old, folder->names[i]);
		unlink(file);
	}
	if (rmdir(old))
		return seep_err_set(err, errno, "'%.200s' has been written, but the earlier export "
				    "could not be removed; it is in '%.200s'", folder->path, old);
	return 0;
}

int seep_output_folder_commit(struct seep_output_folder *folder, struct seep_err *err)
{
	int rc = close_files(folder, err);

	if (!rc && folder->replaces)
		rc = replace_folder(folder, err);
	else if (!rc && rename(folder->draft, folder->path))
		rc = fail(folder->path, errno, err);
	if (rc)
		return rc;
	close(folder->fd);
	folder->draft[0] = 0;
	return 0;
}

void seep_output_folder_abandon(struct seep_output_folder *folder)
{
	for (size_t i = 0; i < folder->n; i++) {
		if (folder->open[i])
			fclose(folder->open[i]);
		unlinkat(folder->fd, folder->names[i], 0);
	}
	if (folder->fd >= 0)
		close(folder->fd);
	rmdir(folder->draft);
}
