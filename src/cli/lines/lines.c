/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lines/lines.h"
#include "cli/lines/lines_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct seep_lines_pattern pattern_of(const char *text, size_t bytes)
{
	return (struct seep_lines_pattern){ .option = "--event", .text = text, .bytes = bytes };
}

int seep_lines_check(const char *text, struct seep_err *err)
{
	struct seep_lines_regex regex;
	int rc = seep_lines_regex_init(&regex, pattern_of(text, strlen(text)), err);

	if (!rc)
		seep_lines_regex_release(&regex);
	return rc;
}

static int init_file(struct seep_lines_regex *regex, const char *text, struct seep_err *err)
{
	size_t n = seep_lines_tail_split(text);

	if (!n)
		return seep_err_set(err, EINVAL, "--event: 'file:%.200s' is not file:REGEX:PATH, "
				    "such as 'file:^event (?<event>\\d+):job.log'", text);
	return seep_lines_regex_init(regex, pattern_of(text, n), err);
}

int seep_lines_check_file(const char *text, struct seep_err *err)
{
	struct seep_lines_regex regex;
	int rc = init_file(&regex, text, err);

	if (!rc)
		seep_lines_regex_release(&regex);
	return rc;
}

int seep_lines_open(struct seep_lines *lines, enum seep_trace_source source, const char *text,
		    struct seep_err *err)
{
	bool is_file = source == SEEP_SOURCE_FILE;
	int rc;

	*lines = (struct seep_lines){ .source = source, .text = text, .over = -1, .done = -1 };
	rc = is_file ? init_file(&lines->regex, text, err)
		     : seep_lines_regex_init(&lines->regex, pattern_of(text, strlen(text)), err);
	if (rc)
		return rc;
	lines->status = seep_lines_status_create();
	if (!lines->status)
		rc = seep_err_set(err, ENOMEM, "out of memory");
	else if (is_file)
		rc = seep_lines_tail_init(&lines->tail, text + seep_lines_tail_split(text) + 1,
					  err);
	else
		rc = seep_lines_channels_open(&lines->channels, err);
	if (rc)
		seep_lines_close(lines);
	return rc;
}

int seep_lines_use(const struct seep_lines *lines)
{
	return seep_lines_channels_use(&lines->channels);
}

/*
 * Signals from the terminal and those that end a job are for the program: the reader stays for its
 * last words.  Those that stop a job stop the reader as well.
 */
static void set_signals(void)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1,
				       SIGUSR2 };
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Closes all but these descriptors, of which there are few. */
static void keep_only(const int *kept, size_t n)
{
	unsigned int from = 0;

	for (;;) {
		unsigned int next = ~0u;

		for (size_t i = 0; i < n; i++)
			if (kept[i] >= 0 && (unsigned int)kept[i] >= from &&
			    (unsigned int)kept[i] < next)
				next = (unsigned int)kept[i];
		if (next > from)
			close_range(from, next - 1, 0);
		if (next == ~0u)
			return;
		from = next + 1;
	}
}

static _Noreturn void read_lines(struct seep_lines *lines, struct seep_told *told, int over,
				 int done)
{
	const struct seep_lines_channel *items = lines->channels.items;
	int kept[8] = { over, done, lines->tail.fd, lines->tail.notify, -1, -1, -1, -1 };
	struct seep_lines_sink sink;

	if (lines->source == SEEP_SOURCE_LINES)
		kept[2] = kept[3] = -1;
	for (size_t i = 0; i < lines->channels.n; i++) {
		kept[4 + 2 * i] = items[i].from;
		kept[5 + 2 * i] = items[i].to;
	}
	keep_only(kept, sizeof(kept) / sizeof(kept[0]));
	prctl(PR_SET_NAME, "seep-lines");
	set_signals();
	seep_lines_sink_init(&sink, &lines->regex, told, lines->status);
	if (lines->source == SEEP_SOURCE_FILE)
		seep_lines_copy_tail(&lines->tail, &sink, over);
	else
		seep_lines_copy(&lines->channels, &sink, over, done);
	_exit(0);
}

int seep_lines_start(struct seep_lines *lines, struct seep_told *told, struct seep_err *err)
{
	int over[2], done[2];

	if (!told)
		return seep_err_set(err, ENOMEM, "--event: events cannot be passed to the tracker, "
				    "because the memory for them is limited (ulimit -v or -f)");
	seep_lines_channels_give(&lines->channels);
	if (pipe2(over, O_CLOEXEC))
		return seep_err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
	if (pipe2(done, O_CLOEXEC)) {
		close(over[0]);
		close(over[1]);
		return seep_err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
	}
	lines->reader = fork();
	if (!lines->reader)
		read_lines(lines, told, over[0], done[1]);
	close(over[0]);
	close(done[1]);
	lines->over = over[1];
	lines->done = done[0];
	if (lines->reader < 0)
		return seep_err_set(err, errno, "cannot start a process: %s", strerror(errno));
	seep_lines_channels_close(&lines->channels);
	return 0;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void seep_lines_finish(struct seep_lines *lines)
{
	char nothing;

	if (lines->reader <= 0)
		return;
	close_one(&lines->over);
	while (read(lines->done, &nothing, 1) < 0 && errno == EINTR)
		;
	close_one(&lines->done);
	waitpid(lines->reader, NULL, WNOHANG);
}

void seep_lines_close(struct seep_lines *lines)
{
	close_one(&lines->over);
	close_one(&lines->done);
	seep_lines_channels_close(&lines->channels);
	if (lines->source == SEEP_SOURCE_FILE && lines->tail.path)
		seep_lines_tail_release(&lines->tail);
	seep_lines_regex_release(&lines->regex);
	if (lines->status)
		munmap(lines->status, sizeof(*lines->status));
	lines->status = NULL;
}
