/* SPDX-License-Identifier: MIT */
/* Children by fork, vfork and posix_spawn: the parent's books are not touched by them. */
#include "truth.h"
#include "seep.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

SITE static void *in_parent(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

SITE static void *in_child(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

static int reap(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int fork_one(void **blocks, int n)
{
	pid_t pid = fork();
	int i;

	if (pid)
		return reap(pid);
	for (i = 0; i < n; i++)
		free(blocks[i]);
	for (i = 0; i < 1000; i++)
		in_child(50);
	if (n % 2)
		_exit(7);
	exit(7);
}

static int spawn_one(const char *program, int status)
{
	char *argv[] = {(char *)(uintptr_t)program, NULL};
	pid_t pid;

	if (posix_spawnp(&pid, program, NULL, NULL, argv, environ))
		return status == 127;
	return reap(pid) == status;
}

static int vfork_one(void)
{
	pid_t pid = vfork();

	if (!pid) {
		execl("/nonexistent", "nonexistent", (char *)NULL);
		_exit(99);
	}
	return reap(pid);
}

int main(void)
{
	static void *blocks[40];
	int i;

	for (i = 0; i < 20; i++) {
		seep_event_begin(i);
		blocks[2 * i] = in_parent(10);
		blocks[2 * i + 1] = in_parent(20);
		if (fork_one(blocks, 2 * i + 1 + i % 2) != 7 || vfork_one() != 99 ||
		    !spawn_one("true", 0) || !spawn_one("no-such-program", 127))
			return 1;
		seep_event_end();
	}
	truth_site("in_parent", 40, 600);
	truth_site("in_child", 0, 0);
	return 0;
}
