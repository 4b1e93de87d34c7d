/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who is watched: a process that runs already, until it ends or somebody has enough; or a
 * command, which is started as seep run does it, but for the tracker.
 */
#ifndef SEEP_CLI_WATCH_WATCH_TARGET_H
#define SEEP_CLI_WATCH_WATCH_TARGET_H

#include "cli/run/run_child.h"
#include "os/tool/tree.h"

struct seep_watch_target {
	pid_t pid;
	bool ours;               /* we have started it */
	bool ended, stopped;     /* it has; we were told to */
	struct seep_child child; /* if it is ours */
	int pid_fd;              /* else: readable when it has ended; -1: the kernel cannot */
	int signal_fd;
	sigset_t old_mask;
};

/* Why this process cannot be watched, if it cannot; tree is open then. */
int seep_watch_target_check(struct seep_tree *tree, pid_t pid, struct seep_err *err);

/* From here on signals wait until seep_watch_target_wait takes them. */
int seep_watch_target_attach(struct seep_watch_target *target, pid_t pid, struct seep_err *err);
void seep_watch_target_detach(struct seep_watch_target *target);

/* Until then, on the monotonic clock.  True if it is over: ended or stopped. */
bool seep_watch_target_wait(struct seep_watch_target *target, int64_t until_ns);

#endif
