/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/self.h"
#include "cli/watch/watch_target.h"
#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int refuse(pid_t pid, int code, struct seep_err *err)
{
	if (code == ENOENT || code == ESRCH)
		return seep_err_set(err, ESRCH, "there is no process %ld, or it is hidden from you",
				    (long)pid);
	return seep_err_set(err, code, "process %ld cannot be watched: %s", (long)pid,
			    strerror(code));
}

int seep_watch_target_check(struct seep_tree *tree, pid_t pid, struct seep_err *err)
{
	const struct seep_member_status *status = &tree->members[0].status;
	int rc;

	if (pid == getpid())
		return seep_err_set(err, EINVAL, "%ld is seep itself", (long)pid);
	rc = seep_tree_open(tree, pid);
	if (rc)
		return refuse(pid, -rc, err);
	if (status->tgid != status->pid)
		rc = seep_err_set(err, EINVAL, "%ld is a thread of process %ld; watch the whole "
				  "process: %.200s watch %ld", (long)pid, (long)status->tgid,
				  seep_self(), (long)status->tgid);
	else if (!status->has_memory && (status->state == 'Z' || status->state == 'X'))
		rc = seep_err_set(err, ESRCH, "process %ld has ended and is only waiting for its "
				  "parent to collect it", (long)pid);
	else if (!status->has_memory)
		rc = seep_err_set(err, EINVAL, "%ld is a kernel thread and has no memory of its "
				  "own", (long)pid);
	if (rc)
		seep_tree_close(tree);
	return rc;
}

int seep_watch_target_attach(struct seep_watch_target *target, pid_t pid, struct seep_err *err)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t set;

	memset(target, 0, sizeof(*target));
	target->pid = pid;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		struct sigaction old;

		if (!sigaction(stops[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(&set, stops[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &target->old_mask);
	signal(SIGPIPE, SIG_IGN);
	target->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (target->signal_fd < 0) {
		sigprocmask(SIG_SETMASK, &target->old_mask, NULL);
		return seep_err_set(err, errno, "cannot wait for signals: %s", strerror(errno));
	}
	target->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	return 0;
}

void seep_watch_target_detach(struct seep_watch_target *target)
{
	struct signalfd_siginfo info;

	while (read(target->signal_fd, &info, sizeof(info)) == sizeof(info))
		;
	close(target->signal_fd);
	if (target->pid_fd >= 0)
		close(target->pid_fd);
	sigprocmask(SIG_SETMASK, &target->old_mask, NULL);
}

static bool wait_for_other(struct seep_watch_target *target, int64_t until_ns)
{
	struct pollfd fds[2] = {
		{ .fd = target->signal_fd, .events = POLLIN },
		{ .fd = target->pid_fd, .events = POLLIN },
	};
	int64_t left = until_ns - seep_clock_mono_ns();

	while (left > 0 && !target->ended && !target->stopped) {
		struct timespec wait = { left / 1000000000, left % 1000000000 };

		if (ppoll(fds, 2, &wait, NULL) > 0) {
			target->stopped = fds[0].revents;
			target->ended = fds[1].revents;
		}
		left = until_ns - seep_clock_mono_ns();
	}
	return target->ended || target->stopped;
}

bool seep_watch_target_wait(struct seep_watch_target *target, int64_t until_ns)
{
	if (!target->ours)
		return wait_for_other(target, until_ns);
	target->ended = seep_child_wait_until(&target->child, until_ns);
	return target->ended;
}
