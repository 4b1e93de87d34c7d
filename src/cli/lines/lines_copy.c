/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each channel has a thread of its own: if the reader of stdout waits for stderr first, a full pipe
 * of the one must not hold up the other.  A thread tells the events of a line before it copies it.
 */
#include "cli/lines/lines_copy.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#define LOOK_MS 50           /* at a log file, where inotify does not work */
#define AFTER_BYTES 2097152  /* more than a pipe holds: who writes that is not the program */

/* What the threads have in common. */
struct copying {
	pthread_mutex_t lock;
	int done;
	size_t unfinished;       /* channels that may have more of what the program wrote */
};

struct copier {
	struct copying *all;
	struct seep_lines_channel channel;
	struct seep_lines_reader reader;
	int over;
	bool is_over, is_finished;
	size_t after;            /* bytes copied since the program ended */
	char text[SEEP_LINES_READ_BYTES];
};

static void finish(struct copier *copier)
{
	if (copier->is_finished)
		return;
	copier->is_finished = true;
	pthread_mutex_lock(&copier->all->lock);
	if (!--copier->all->unfinished)
		close(copier->all->done);
	pthread_mutex_unlock(&copier->all->lock);
}

/* Somebody may have made it non-blocking. */
static bool wait_until_writable(int fd)
{
	struct pollfd wanted = { .fd = fd, .events = POLLOUT };

	return poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

static bool write_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, text, bytes);

		if (n < 0 && (errno == EINTR || (errno == EAGAIN && wait_until_writable(fd))))
			continue;
		if (n < 0)
			return false;
		text += n;
		bytes -= (size_t)n;
	}
	return true;
}

/* Where the status line stands, it makes room. */
static bool put(struct copier *copier, size_t bytes)
{
	struct seep_lines_status *status = copier->reader.sink->status;
	bool done;

	if (!copier->channel.terminal)
		return write_all(copier->channel.to, copier->text, bytes);
	seep_lines_status_take(status);
	if (status->drawn)
		write_all(copier->channel.to, "\r\033[K", 4);
	status->drawn = false;
	done = write_all(copier->channel.to, copier->text, bytes);
	status->inside_line = copier->text[bytes - 1] != '\n';
	seep_lines_status_give(status);
	return done;
}

/* False: nobody writes any more, or nobody reads. */
static bool copy(struct copier *copier)
{
	ssize_t n = read(copier->channel.from, copier->text, sizeof(copier->text));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0)
		return false;
	seep_lines_reader_take(&copier->reader, copier->text, (size_t)n);
	if (!put(copier, (size_t)n)) {
		if (errno != EPIPE)
			copier->reader.sink->status->failure = errno;
		return false;
	}
	copier->after += copier->is_over ? (size_t)n : 0;
	if (copier->after > AFTER_BYTES)
		finish(copier);
	return true;
}

/* Whether there is something to read.  Does not wait for what the program wrote before it ended. */
static bool wait_for(struct copier *copier)
{
	struct pollfd fds[2] = {
		{ .fd = copier->channel.from, .events = POLLIN },
		{ .fd = copier->is_over ? -1 : copier->over },
	};
	bool waits = !copier->is_over || copier->is_finished;
	int n = poll(fds, 2, waits ? -1 : 0);

	if (n < 0)
		return false;
	if (!n)
		finish(copier);
	if (fds[1].revents)
		copier->is_over = true;
	return fds[0].revents;
}

static void *carry(void *argument)
{
	struct copier *copier = argument;

	while (!wait_for(copier) || copy(copier))
		;
	close(copier->channel.from);
	finish(copier);
	return NULL;
}

void seep_lines_copy(const struct seep_lines_channels *channels, struct seep_lines_sink *sink,
		     int over, int done)
{
	static struct copying all = { .lock = PTHREAD_MUTEX_INITIALIZER };
	static struct copier copiers[2];
	pthread_t second;
	bool has_second;

	all.done = done;
	all.unfinished = channels->n;
	for (size_t i = 0; i < channels->n; i++) {
		copiers[i].all = &all;
		copiers[i].over = over;
		copiers[i].channel = channels->items[i];
		copiers[i].reader.sink = sink;
		copiers[i].reader.may_burst = !channels->items[i].terminal;
	}
	seep_lines_channels_follow_window(channels);
	has_second = channels->n > 1 && !pthread_create(&second, NULL, carry, &copiers[1]);
	carry(&copiers[0]);
	if (has_second)
		pthread_join(second, NULL);
	else if (channels->n > 1)
		carry(&copiers[1]);
}

void seep_lines_copy_tail(struct seep_lines_tail *tail, struct seep_lines_sink *sink, int over)
{
	struct pollfd fds[2] = {
		{ .fd = tail->notify, .events = POLLIN },
		{ .fd = over },
	};

	tail->reader.sink = sink;
	while (!fds[1].revents) {
		poll(fds, 2, LOOK_MS);
		seep_lines_tail_look(tail);
	}
	seep_lines_tail_look(tail);
}
