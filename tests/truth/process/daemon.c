/* SPDX-License-Identifier: MIT */
/* Becomes a daemon as of old: forks twice, has a session of its own, closes what it inherited. */
#include "truth.h"
#include "seep.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS 50

static void *blocks[EVENTS];

SITE static void *kept_by_daemon(int i)
{
	void *block = malloc(80);

	blocks[i] = block;
	KEEP_FRAME();
	return block;
}

int main(void)
{
	int fd, i;

	free(malloc(10));
	if (fork())
		_exit(0);
	if (setsid() < 0)
		return 1;
	if (fork())
		_exit(0);
	umask(077);
	if (chdir("/"))
		return 1;
	for (fd = 0; fd < 2000; fd++)
		if (fd != STDOUT_FILENO)
			close(fd);
	open("/dev/null", O_RDWR);
	for (i = 0; i < EVENTS; i++) {
		seep_event_begin(i);
		kept_by_daemon(i);
		seep_event_end();
	}
	truth_site("kept_by_daemon", EVENTS, EVENTS * 80);
	return 0;
}
