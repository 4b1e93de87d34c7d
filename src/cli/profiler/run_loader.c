/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/profiler/run_loader.h"
#include "os/tool/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define IDLE_PROGRAM "/bin/true"

struct errand {
	const char *program;
	const char *preload;
	const char *variable, *value;
	int heard;               /* the descriptor that is listened to */
};

static _Noreturn void become(const struct errand *errand, int out)
{
	int nothing = open("/dev/null", O_RDWR);

	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	dup2(nothing, STDERR_FILENO);
	dup2(out, errand->heard);
	if (!setenv("LD_PRELOAD", errand->preload, 1) &&
	    !setenv(errand->variable, errand->value, 1))
		execl(errand->program, errand->program, (char *)NULL);
	_exit(127);
}

/* What the program says, to be read; NULL: it could not be started. */
static FILE *begin(const struct errand *errand, pid_t *pid)
{
	int ends[2];
	FILE *said;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	fflush(NULL);
	*pid = fork();
	if (!*pid)
		become(errand, ends[1]);
	close(ends[1]);
	said = *pid > 0 ? fdopen(ends[0], "r") : NULL;
	if (!said)
		close(ends[0]);
	return said;
}

static void end(FILE *said, pid_t pid)
{
	fclose(said);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* "\tNAME => PATH (0x7f...)" */
static bool take_path(const char *line, const char *name, char *path)
{
	size_t n = strlen(name);
	const char *last;

	line += strspn(line, "\t ");
	if (strncmp(line, name, n) || strncmp(line + n, " => /", 5))
		return false;
	line += n + 4;
	last = strstr(line, " (0x");
	n = last ? (size_t)(last - line) : 0;
	if (!n || n >= PATH_MAX)
		return false;
	memcpy(path, line, n);
	path[n] = 0;
	return true;
}

/* As ldd does it.  The program that is named is not run; any would do. */
bool seep_loader_find(const char *name, char *path)
{
	char self[PATH_MAX], line[2 * PATH_MAX];
	struct errand errand = { self, name, "LD_TRACE_LOADED_OBJECTS", "1", STDOUT_FILENO };
	bool found = false;
	FILE *said;
	pid_t pid;

	if (seep_proc_own_path(self, sizeof(self)))
		return false;
	said = begin(&errand, &pid);
	if (!said)
		return false;
	while (fgets(line, sizeof(line), said))
		found = found || take_path(line, name, path);
	end(said, pid);
	return found;
}

void seep_loader_try(const char *library, const char *variable, const char *value, char *text,
		     size_t room)
{
	struct errand errand = { IDLE_PROGRAM, library, variable, value, STDERR_FILENO };
	char rest[256];
	pid_t pid;
	FILE *said = begin(&errand, &pid);

	text[0] = 0;
	if (!said)
		return;
	if (fgets(text, (int)room, said))
		text[strcspn(text, "\n")] = 0;
	while (fgets(rest, sizeof(rest), said))
		;
	end(said, pid);
}
