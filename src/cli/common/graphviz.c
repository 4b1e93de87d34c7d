/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/graphviz.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts dot between the two files; 0 or an errno. */
static int start(pid_t *pid, int graph, int picture)
{
	char program[] = "dot", option[] = "-Tsvg";
	char *argv[] = { program, option, NULL };
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return rc;
	rc = posix_spawn_file_actions_adddup2(&actions, graph, STDIN_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
	if (!rc)
		rc = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

static int wait_for(pid_t pid, struct seep_err *err)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return seep_err_set(err, errno, "waiting for dot failed: %s",
					    strerror(errno));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return seep_err_set(err, EIO, "Graphviz's dot failed (%s %d); use --to dot to see its "
			    "input", WIFSIGNALED(status) ? "signal" : "status",
			    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static int copy(FILE *from, FILE *to, struct seep_err *err)
{
	char buffer[1 << 14];
	size_t n;

	while ((n = fread(buffer, 1, sizeof(buffer), from)) > 0)
		if (fwrite(buffer, 1, n, to) != n)
			break;
	if (ferror(from) || ferror(to))
		return seep_err_set(err, EIO, "the picture could not be written: %s",
				    strerror(errno));
	return 0;
}

static int draw(FILE *graph, FILE *picture, FILE *out, struct seep_err *err)
{
	pid_t pid;
	int rc;

	if (fflush(graph) || fseek(graph, 0, SEEK_SET) || lseek(fileno(graph), 0, SEEK_SET) < 0)
		return seep_err_set(err, errno, "the graph could not be written: %s",
				    strerror(errno));
	rc = start(&pid, fileno(graph), fileno(picture));
	if (rc == ENOENT)
		return seep_err_set(err, rc, "drawing SVG requires the program dot, which was not "
				    "found: install the graphviz package, or use --to dot");
	if (rc)
		return seep_err_set(err, rc, "dot could not be started: %s", strerror(rc));
	rc = wait_for(pid, err);
	if (rc)
		return rc;
	if (fseek(picture, 0, SEEK_SET))
		return seep_err_set(err, errno, "the picture could not be read: %s",
				    strerror(errno));
	return copy(picture, out, err);
}

int seep_graphviz_svg(FILE *graph, FILE *out, struct seep_err *err)
{
	FILE *picture = tmpfile();
	int rc;

	if (!picture)
		return seep_err_set(err, errno, "no temporary file could be created: %s",
				    strerror(errno));
	rc = draw(graph, picture, out, err);
	fclose(picture);
	return rc;
}
