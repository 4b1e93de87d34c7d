/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/saved.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JSON_MOST ((off_t)1 << 28) /* no report is that long */

static bool begins_with_brace(FILE *file)
{
	int c;

	do
		c = getc(file);
	while (c != EOF && isspace(c));
	return c == '{';
}

static int read_file(FILE *file, const char *path, char **text, size_t *bytes,
		     struct seep_err *err)
{
	struct stat st;

	if (fstat(fileno(file), &st) || !S_ISREG(st.st_mode) || !begins_with_brace(file))
		return 0;
	if (st.st_size > JSON_MOST)
		return seep_err_set(err, EFBIG, "%s: too large for a saved report (%lld bytes)",
				    path, (long long)st.st_size);
	*text = malloc((size_t)st.st_size + 1);
	if (!*text)
		return seep_err_set(err, ENOMEM, "%s: not enough memory to read it", path);
	rewind(file);
	*bytes = fread(*text, 1, (size_t)st.st_size, file);
	return 0;
}

int seep_saved_read(const char *path, char **text, size_t *bytes, struct seep_err *err)
{
	/* Non-blocking, since it may be a pipe. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	*text = NULL;
	*bytes = 0;
	if (!file) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	rc = read_file(file, path, text, bytes, err);
	fclose(file);
	return rc;
}
