/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/progress.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define REFRESH_US 200000
#define BLANK "\r\033[K"

static const char *volatile step;
static const char *volatile shown;
static int line_fd = -1;

static void put(const char *text)
{
	ssize_t n = write(line_fd, text, strlen(text));

	(void)n; /* a terminal that is gone needs no line */
}

/* In a signal handler: only write. */
static void refresh(int number)
{
	int code = errno;

	(void)number;
	if (step && step != shown) {
		put(BLANK "seep: ");
		put(step);
		put(" ...");
		shown = step;
	}
	errno = code;
}

void seep_progress_start(int fd, int after_ms)
{
	struct itimerval timer = {
		.it_value = { after_ms / 1000, (after_ms % 1000) * 1000 },
		.it_interval = { 0, REFRESH_US },
	};
	struct sigaction action = { .sa_handler = refresh, .sa_flags = SA_RESTART };

	line_fd = fd;
	step = shown = NULL;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

void seep_progress_step(const char *what)
{
	if (line_fd >= 0)
		step = what;
}

void seep_progress_end(void)
{
	static const struct itimerval none;

	if (line_fd < 0)
		return;
	setitimer(ITIMER_REAL, &none, NULL);
	signal(SIGALRM, SIG_DFL);
	if (shown)
		put(BLANK);
	step = shown = NULL;
	line_fd = -1;
}
