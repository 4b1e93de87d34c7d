/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lines/lines_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

static bool is_writable(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/* Whether both are the same open file, as after 2>&1; or the same terminal or pipe. */
static bool are_one(int a, int b)
{
	struct stat at_a, at_b;
	long order;

	if (fstat(a, &at_a) || fstat(b, &at_b) || at_a.st_dev != at_b.st_dev ||
	    at_a.st_ino != at_b.st_ino)
		return false;
	if (!S_ISREG(at_a.st_mode))
		return true;
	order = syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, a, b);
	if (order >= 0)
		return !order;
	return fcntl(a, F_GETFL) == fcntl(b, F_GETFL) &&
	       lseek(a, 0, SEEK_CUR) == lseek(b, 0, SEEK_CUR);
}

/*
 * The terminal behind it turns \n into \r\n, and does all else that is to be done: this one passes
 * bytes on as they are.
 */
static void copy_settings(const struct seep_lines_channel *channel)
{
	struct termios settings;
	struct winsize size;

	if (!tcgetattr(channel->to, &settings)) {
		settings.c_oflag &= (tcflag_t)~OPOST;
		tcsetattr(channel->given, TCSANOW, &settings);
	}
	if (!ioctl(channel->to, TIOCGWINSZ, &size))
		ioctl(channel->given, TIOCSWINSZ, &size);
}

static int open_terminal(struct seep_lines_channel *channel)
{
	char name[64];

	channel->from = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (channel->from < 0)
		return -errno;
	if (grantpt(channel->from) || unlockpt(channel->from) ||
	    ptsname_r(channel->from, name, sizeof(name)))
		return -errno;
	channel->given = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (channel->given < 0)
		return -errno;
	copy_settings(channel);
	return 0;
}

static int open_pipe(struct seep_lines_channel *channel)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	channel->from = ends[0];
	channel->given = ends[1];
	return 0;
}

static int open_channel(struct seep_lines_channels *channels, int fd)
{
	struct seep_lines_channel *channel = &channels->items[channels->n++];

	*channel = (struct seep_lines_channel){
		.to = fd, .from = -1, .given = -1,
		.out = fd == STDOUT_FILENO, .error = fd == STDERR_FILENO,
		.terminal = isatty(fd),
	};
	return channel->terminal ? open_terminal(channel) : open_pipe(channel);
}

int seep_lines_channels_open(struct seep_lines_channels *channels, struct seep_err *err)
{
	bool out = is_writable(STDOUT_FILENO), error = is_writable(STDERR_FILENO);
	int rc = 0;

	channels->n = 0;
	if (!out && !error)
		return seep_err_set(err, EBADF, "--event lines: needs standard output or standard "
				    "error, and both are closed");
	if (out)
		rc = open_channel(channels, STDOUT_FILENO);
	if (!rc && error && out && are_one(STDOUT_FILENO, STDERR_FILENO))
		channels->items[0].error = true;
	else if (!rc && error)
		rc = open_channel(channels, STDERR_FILENO);
	if (!rc)
		return 0;
	seep_lines_channels_close(channels);
	return seep_err_set(err, -rc, "cannot make a pipe or terminal to read the program's output "
			    "from: %s", strerror(-rc));
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void seep_lines_channels_give(struct seep_lines_channels *channels)
{
	for (size_t i = 0; i < channels->n; i++)
		close_one(&channels->items[i].given);
}

void seep_lines_channels_close(struct seep_lines_channels *channels)
{
	seep_lines_channels_give(channels);
	for (size_t i = 0; i < channels->n; i++)
		close_one(&channels->items[i].from);
	channels->n = 0;
}

/* The ends are never 1 or 2 where these are replaced: those were open. */
int seep_lines_channels_use(const struct seep_lines_channels *channels)
{
	for (size_t i = 0; i < channels->n; i++) {
		const struct seep_lines_channel *channel = &channels->items[i];

		if (channel->out && dup2(channel->given, STDOUT_FILENO) < 0)
			return errno;
		if (channel->error && dup2(channel->given, STDERR_FILENO) < 0)
			return errno;
	}
	return 0;
}

/* --- The size of the window --------------------------------------------------- */

static struct {
	int real, ours[2];
	struct winsize size;
} window = { .real = -1, .ours = { -1, -1 } };

/*
 * The program was told of the change by its own terminal, but may have asked for the size before
 * it got to ours: so it is told once more.  That reaches us, too, and then nothing has changed.
 */
static void window_changed(int signal)
{
	int saved = errno;
	struct winsize size;

	(void)signal;
	if (!ioctl(window.real, TIOCGWINSZ, &size) && memcmp(&size, &window.size, sizeof(size))) {
		window.size = size;
		for (int i = 0; i < 2; i++)
			if (window.ours[i] >= 0)
				ioctl(window.ours[i], TIOCSWINSZ, &size);
		kill(0, SIGWINCH);
	}
	errno = saved;
}

void seep_lines_channels_follow_window(const struct seep_lines_channels *channels)
{
	struct sigaction action = { .sa_handler = window_changed, .sa_flags = SA_RESTART };
	sigset_t set;

	for (size_t i = 0; i < channels->n; i++) {
		if (!channels->items[i].terminal)
			continue;
		window.real = channels->items[i].to;
		window.ours[i] = channels->items[i].from;
	}
	if (window.real < 0)
		return;
	ioctl(window.ours[0] >= 0 ? window.ours[0] : window.ours[1], TIOCGWINSZ, &window.size);
	sigaction(SIGWINCH, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGWINCH); /* it may have changed since */
}
