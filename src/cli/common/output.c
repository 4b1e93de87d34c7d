/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/output.h"

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

/* A link stays one: what it points to is replaced. */
static int find_path(char *found, const char *path, struct seep_err *err)
{
	char *real = realpath(path, NULL);
	int n = snprintf(found, PATH_MAX, "%s", real ? real : path);

	free(real);
	return !*path ? fail(path, ENOENT, err)
	     : n >= PATH_MAX - (int)sizeof(SUFFIX) ? fail(path, ENAMETOOLONG, err) : 0;
}

/* A terminal, a pipe, /dev/null: what is there and no regular file. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

int seep_output_check(const char *path, struct seep_err *err)
{
	char directory[PATH_MAX];
	char *slash;
	int rc = find_path(directory, path, err);
	struct stat st;

	if (rc)
		return rc;
	if (!strcmp(path, "-"))
		return seep_err_set(err, EINVAL, "'-': this output cannot go to standard output; "
				    "name a file");
	if (!stat(directory, &st) && S_ISDIR(st.st_mode))
		return fail(path, EISDIR, err);
	if (is_special(directory))
		return access(directory, W_OK) ? fail(path, errno, err) : 0;
	slash = strrchr(directory, '/');
	if (slash)
		slash[1] = 0;
	return access(slash ? directory : ".", W_OK | X_OK) ? fail(path, errno, err) : 0;
}

/* By what they are if both are there; else by their names, through any links. */
static bool is_same(const char *one, const char *other)
{
	char first[PATH_MAX], second[PATH_MAX];
	struct stat a, b;
	const char *names[] = { one, other };
	char *found[] = { first, second };

	if (!stat(one, &a))
		return S_ISREG(a.st_mode) && !stat(other, &b) && a.st_dev == b.st_dev &&
		       a.st_ino == b.st_ino;
	for (size_t i = 0; i < 2; i++) {
		const char *slash = strrchr(names[i], '/');
		char *copy = slash ? strndup(names[i], (size_t)(slash - names[i]) + 1) : NULL;
		char *real = realpath(copy ? copy : ".", NULL);

		snprintf(found[i], PATH_MAX, "%s/%s", real ? real : "",
			 slash ? slash + 1 : names[i]);
		free(real);
		free(copy);
	}
	return !strcmp(first, second);
}

int seep_output_check_other(const char *path, const char *other, const char *what,
			    struct seep_err *err)
{
	if (!path || !other || !is_same(path, other))
		return 0;
	return seep_err_set(err, EINVAL, "'%.200s' would overwrite %s; choose another name",
			    path, what);
}

int seep_output_check_inputs(const char *path, const char *const *inputs, size_t n,
			     struct seep_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = seep_output_check_other(path, inputs[i], "an input file", err);
	return rc;
}

/* mkstemp makes files for their owner only; this one is to be read by others as usual. */
static int open_draft(struct seep_output *output)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	snprintf(output->draft, sizeof(output->draft), "%.*s" SUFFIX,
		 (int)(PATH_MAX - sizeof(SUFFIX)), output->path);
	fd = mkostemp(output->draft, O_CLOEXEC);
	if (fd >= 0 && fchmod(fd, 0666 & ~mask)) {
		close(fd);
		unlink(output->draft);
		return -1;
	}
	return fd;
}

int seep_output_open(struct seep_output *output, const char *path, struct seep_err *err)
{
	int rc, fd;

	memset(output, 0, sizeof(*output));
	rc = find_path(output->path, path, err);
	if (rc)
		return rc;
	if (is_special(output->path))
		fd = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else
		fd = open_draft(output);
	output->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (output->out)
		return 0;
	rc = fail(path, errno, err);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && *output->draft)
		unlink(output->draft);
	return rc;
}

int seep_output_finish(struct seep_output *output, struct seep_err *err)
{
	FILE *out = output->out;
	bool failed;

	errno = 0;
	failed = ferror(out) | fflush(out);
	output->out = NULL;
	if (fclose(out) || failed)
		return fail(output->path, errno ? errno : EIO, err);
	return 0;
}

int seep_output_commit(struct seep_output *output, struct seep_err *err)
{
	if (*output->draft && rename(output->draft, output->path))
		return fail(output->path, errno, err);
	output->draft[0] = 0;
	return 0;
}

void seep_output_abandon(struct seep_output *output)
{
	if (output->out)
		fclose(output->out);
	if (*output->draft)
		unlink(output->draft);
	output->out = NULL;
	output->draft[0] = 0;
}

int seep_output_settle(struct seep_output *output, int rc, struct seep_err *err)
{
	if (!rc)
		rc = seep_output_finish(output, err);
	if (!rc)
		rc = seep_output_commit(output, err);
	if (rc)
		seep_output_abandon(output);
	return rc;
}
