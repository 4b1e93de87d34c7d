/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cli/run/run_child.h"
#include "cli/run/run_lines.h"
#include "cli/run/run_live.h"
#include "cli/run/run_pending.h"
#include "os/clock.h"
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define IDLE_NS 500000000 /* how often to look where nothing calls for more */

/*
 * Each makes an allocator above malloc hand every block through to it.  The tracker takes Python's
 * away again if it can track that allocator itself.
 */
static const struct pool {
	const char *name;
	const char *value;
	const char *said;
} pools[] = {
	{ "PYTHONMALLOC", "malloc", "Python" },
	{ "G_SLICE", "always-malloc", "G_SLICE=always-malloc" },
	{ "GLIBCXX_FORCE_NEW", "1", "GLIBCXX_FORCE_NEW=1" },
};

#define POOLS (sizeof(pools) / sizeof(pools[0]))

static const int passed_on[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2 };

#define PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

bool seep_child_is_disabled(void)
{
	const char *value = getenv("SEEP_DISABLE");

	return value && *value && strcmp(value, "0");
}

void seep_child_pools(char *text, size_t room)
{
	size_t used = 0;

	text[0] = 0;
	for (size_t i = 0; i < POOLS; i++) {
		if (getenv(pools[i].name))
			continue;
		used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "",
					 pools[i].said);
		if (used >= room)
			return;
	}
}

/* A signal that seep was told to ignore stays ignored, by seep and by the program. */
static void hold_signals(struct seep_child *child)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };

	sigemptyset(&child->watched);
	sigaddset(&child->watched, SIGCHLD);
	for (size_t i = 0; i < PASSED_ON; i++) {
		struct sigaction old;

		if (!sigaction(passed_on[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(&child->watched, passed_on[i]);
	}
	sigaction(SIGCHLD, &plain, &child->old_chld);
	sigprocmask(SIG_BLOCK, &child->watched, &child->old_mask);
}

/* What came for us while the program ran was for the program. */
static void release_signals(struct seep_child *child)
{
	struct timespec now = { 0, 0 };

	while (sigtimedwait(&child->watched, NULL, &now) > 0)
		;
	sigaction(SIGCHLD, &child->old_chld, NULL);
	sigprocmask(SIG_SETMASK, &child->old_mask, NULL);
}

/* Programs with AddressSanitizer that the program starts do not end because we are loaded first. */
static bool calm_sanitizers(void)
{
	const char *options = getenv("ASAN_OPTIONS");
	char *more;
	bool done;

	if (asprintf(&more, "%s%sverify_asan_link_order=0", options ? options : "",
		     options && *options ? ":" : "") < 0)
		return false;
	done = !setenv("ASAN_OPTIONS", more, 1);
	free(more);
	return done;
}

/* 0 is the default, which no variable tells; one from outside would be another's. */
static int set_number(const char *name, int64_t number)
{
	char text[32];

	if (!number)
		return unsetenv(name);
	snprintf(text, sizeof(text), "%lld", (long long)number);
	return setenv(name, text, 1);
}

static int set_calibration(const struct seep_child_plan *plan)
{
	return set_number("SEEP_CALIBRATE", plan->calibrate_bytes) ||
	       set_number("SEEP_CALIBRATE_LEVEL", plan->calibrate_level) ||
	       set_number("SEEP_CALIBRATE_BLOCK", plan->calibrate_block);
}

static int set_dumps(const struct seep_child_plan *plan)
{
	return set_number("SEEP_DUMP_FROM", (int64_t)plan->dump_from) ||
	       set_number("SEEP_DUMP_UNTIL", (int64_t)plan->dump_until) ||
	       set_number("SEEP_DUMP_PERIOD", (int64_t)plan->dump_period);
}

static int set_profiler(struct seep_profiler *profiler, const char *trace)
{
	struct seep_err ignored = { 0 };

	if (!profiler)
		return unsetenv("SEEP_PROFILER") || unsetenv("SEEP_DUMP_PREFIX");
	return seep_profiler_place(profiler, trace, &ignored) ||
	       seep_profiler_set_environment(profiler);
}

/* The tracker, or what is there in its place, comes before what others have in mind. */
static int set_preload(const struct seep_child_plan *plan)
{
	const char *others = getenv("LD_PRELOAD");
	char *preload;
	int failed;

	if (asprintf(&preload, "%s%s%s", plan->profiler ? plan->profiler->preload : plan->library,
		     others && *others ? ":" : "", others ? others : "") < 0)
		return -ENOMEM;
	failed = setenv("LD_PRELOAD", preload, 1);
	free(preload);
	return failed;
}

/* What the child is told when it may become the program. */
struct go {
	char trace[PATH_MAX];
	char share[SEEP_SHARED_NAME_MAX]; /* empty: none */
};

static int set_environment(const struct seep_child_plan *plan, const struct go *go)
{
	int failed = set_preload(plan) || setenv("SEEP_TRACE", go->trace, 1) ||
		     setenv("SEEP_SHARE", go->share, 1) || set_number("SEEP_PID", getpid()) ||
		     set_number("SEEP_FILTERS", seep_process_filters()) ||
		     set_number("SEEP_SAMPLE", plan->sample_bytes) ||
		     set_number("SEEP_MAX_OVERHEAD", plan->overhead_bytes) ||
		     set_number("SEEP_PROBE_EVENT", (int64_t)plan->probe_event) ||
		     set_number("SEEP_NO_PYTHON", plan->no_python) ||
		     set_number("SEEP_NO_PROBE", plan->no_probe) ||
		     set_number("SEEP_POOLS", plan->has_pools) ||
		     set_number("SEEP_COLLECT", plan->collect) || set_calibration(plan) ||
		     set_dumps(plan) || set_profiler(plan->profiler, go->trace);

	failed = failed || (plan->entries ? setenv("SEEP_ENTRY", plan->entries, 1)
					  : unsetenv("SEEP_ENTRY"));
	failed = failed || (plan->follow ? setenv("SEEP_FOLLOW", plan->follow, 1)
					 : unsetenv("SEEP_FOLLOW")) || !calm_sanitizers();
	failed = failed || set_number("SEEP_PYTHONMALLOC",
				      !plan->keep_pools && !getenv("PYTHONMALLOC"));
	for (size_t i = 0; i < POOLS && !plan->keep_pools && !failed; i++)
		failed = setenv(pools[i].name, pools[i].value, 0);
	return failed ? -ENOMEM : 0;
}

static bool read_all(int fd, char *buffer, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = read(fd, buffer + done, bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* In the child: waits for the path of the trace, then becomes the program. */
static _Noreturn void become(const struct seep_child *child, const struct seep_child_plan *plan,
			     int go_fd, int failure_fd)
{
	struct go go;
	int code;

	if (!read_all(go_fd, (char *)&go, sizeof(go)))
		_exit(125);
	code = plan->library ? -set_environment(plan, &go) : 0;
	if (!code && plan->lines)
		code = seep_lines_use(plan->lines);
	sigaction(SIGCHLD, &child->old_chld, NULL);
	sigprocmask(SIG_SETMASK, &child->old_mask, NULL);
	if (!code) {
		execvp(plan->path, plan->argv);
		code = errno;
	}
	if (write(failure_fd, &code, sizeof(code)) != sizeof(code))
		_exit(126);
	_exit(127);
}

int seep_child_fork(struct seep_child *child, const struct seep_child_plan *plan,
		    struct seep_err *err)
{
	int go[2], failure[2];

	if (pipe2(go, O_CLOEXEC))
		return seep_err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
	if (pipe2(failure, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return seep_err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
	}
	child->lines = plan->lines;
	fflush(NULL);
	hold_signals(child);
	child->pid = fork();
	if (!child->pid) {
		close(go[1]);
		close(failure[0]);
		become(child, plan, go[0], failure[1]);
	}
	signal(SIGPIPE, SIG_IGN); /* only here: the program has its own by now */
	close(go[0]);
	close(failure[1]);
	child->go_fd = go[1];
	child->failure_fd = failure[0];
	if (child->pid > 0)
		return 0;
	seep_err_set(err, errno, "cannot start a process: %s", strerror(errno));
	close(child->go_fd);
	close(child->failure_fd);
	release_signals(child);
	return -err->code;
}

static void reap(struct seep_child *child)
{
	while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
		;
}

void seep_child_cancel(struct seep_child *child)
{
	close(child->go_fd);
	close(child->failure_fd);
	reap(child);
	release_signals(child);
}

int seep_child_release(struct seep_child *child, const char *command,
		       const struct seep_run_trace *trace, struct seep_err *err)
{
	struct go go = { .trace = "" };
	int code = 0;
	bool sent, failed;

	memcpy(go.trace, trace->path, sizeof(go.trace));
	memcpy(go.share, trace->share, sizeof(go.share));
	sent = write(child->go_fd, &go, sizeof(go)) == sizeof(go);
	close(child->go_fd);
	failed = read_all(child->failure_fd, (char *)&code, sizeof(code));
	close(child->failure_fd);
	if (sent && !failed)
		return 0;
	reap(child);
	release_signals(child);
	if (!code)
		code = EIO;
	return seep_err_set(err, code, "'%.200s' could not be executed: %s%s", command,
			    strerror(code),
			    code == ENOENT ? " (its loader or interpreter is missing)" : "");
}

/* The terminal sends its signals to the program as well; those of others it only gets from us. */
static void pass_on(const struct seep_child *child, const siginfo_t *info)
{
	if (info->si_signo != SIGCHLD && info->si_code <= 0)
		kill(child->pid, info->si_signo);
}

static struct timespec time_left(int64_t now_ns, const struct seep_run_trace *trace, bool live,
				 int64_t sample_ns)
{
	const struct seep_trace_header *header = trace->writer.header;
	int64_t slice = (int64_t)__atomic_load_n(&header->tick_ns, __ATOMIC_RELAXED);
	int64_t left = IDLE_NS;
	struct timespec wait;

	if (header->tick_on && slice > 0)
		left = slice - (int64_t)(((uint64_t)now_ns - (uint64_t)header->started_mono_ns) %
				 (uint64_t)slice);
	if (live && left > IDLE_NS)
		left = IDLE_NS;
	if (sample_ns > now_ns && left > sample_ns - now_ns)
		left = sample_ns - now_ns;
	if (left > seep_run_pending_gap(trace))
		left = seep_run_pending_gap(trace);
	wait.tv_sec = left / 1000000000;
	wait.tv_nsec = left % 1000000000;
	return wait;
}

static void count_slices(struct seep_run_trace *trace, int64_t now_ns)
{
	struct seep_trace_header *header = trace->writer.header;
	uint64_t slice = __atomic_load_n(&header->tick_ns, __ATOMIC_RELAXED), passed, before;

	if (!slice) /* or the program has written over it */
		return;
	passed = (uint64_t)now_ns - (uint64_t)header->started_mono_ns;
	before = __atomic_exchange_n(&header->tick, passed / slice, __ATOMIC_RELEASE);
	if (trace->told)
		seep_told_pulse(trace->told, passed / slice - before);
}

void seep_child_wait(struct seep_child *child, struct seep_run_trace *trace, bool live,
		     struct seep_strays *strays)
{
	struct seep_trace_header *header = trace->writer.header;
	struct seep_run_live line;

	child->status = 0;
	seep_live_init(&line, child->pid, live);
	line.terminal = child->lines ? child->lines->status : NULL;
	seep_run_samples_begin(&child->samples, child->pid, header);
	while (!waitpid(child->pid, &child->status, WNOHANG)) {
		int64_t now = seep_clock_mono_ns();
		struct timespec wait = time_left(now, trace, live, child->samples.due_ns);
		siginfo_t info;

		if (sigtimedwait(&child->watched, &info, &wait) > 0)
			pass_on(child, &info);
		now = seep_clock_mono_ns();
		count_slices(trace, now);
		seep_run_pending_look(trace, now);
		seep_run_samples_look(&child->samples, header, now);
		seep_run_live_draw(&line, header, now);
		if (live && child->lines)
			seep_run_lines_warn(child->lines, &line);
		seep_strays_look(strays, child->pid, now);
	}
	seep_run_live_erase(&line);
	release_signals(child);
}

bool seep_child_wait_until(struct seep_child *child, int64_t until_ns)
{
	int64_t left;

	child->status = 0;
	while (!waitpid(child->pid, &child->status, WNOHANG)) {
		struct timespec wait;
		siginfo_t info;

		left = until_ns - seep_clock_mono_ns();
		if (left <= 0)
			return false;
		wait = (struct timespec){ left / 1000000000, left % 1000000000 };
		if (sigtimedwait(&child->watched, &info, &wait) > 0)
			pass_on(child, &info);
	}
	release_signals(child);
	return true;
}
