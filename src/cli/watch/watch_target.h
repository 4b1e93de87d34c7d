/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is watched: a running process, until it ends or the user stops seep; or a command, which
 * is started as in seep run but without the tracker.
 */
#ifndef SEEP_CLI_WATCH_WATCH_TARGET_H
#define SEEP_CLI_WATCH_WATCH_TARGET_H

#include "cli/run/run_child.h"
#include "os/tool/tree.h"

struct seep_watch_target {
	pid_t pid;
	bool ours;               /* seep started it */
	bool ended, stopped;     /* the process has ended; a signal told seep to stop */
	struct seep_child child; /* valid if ours */
	int pid_fd;              /* if not ours: readable when it has ended; -1: not supported */
	int signal_fd;
	sigset_t old_mask;
};

/* Fails with a reason if the process cannot be watched; otherwise opens tree. */
int seep_watch_target_check(struct seep_tree *tree, pid_t pid, struct seep_err *err);

/* Blocks signals; from now on, seep_watch_target_wait receives them. */
int seep_watch_target_attach(struct seep_watch_target *target, pid_t pid, struct seep_err *err);
void seep_watch_target_detach(struct seep_watch_target *target);

/* Waits until until_ns on the monotonic clock.  True: the process ended, or stop was requested. */
bool seep_watch_target_wait(struct seep_watch_target *target, int64_t until_ns);

#endif
