/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program that seep run is asked to run: where it is, and whether a library
 * can be preloaded into it.  The loader ignores a preload it does not like
 * without a word, so that has to be found out before.
 */
#ifndef SEEP_CLI_RUN_RUN_TARGET_H
#define SEEP_CLI_RUN_RUN_TARGET_H

#include "base/err.h"
#include "os/tool/object.h"

#include <limits.h>

struct seep_target {
	char path[PATH_MAX];     /* what will be executed */
	char binary[PATH_MAX];   /* the same, or the interpreter if it is a script */
	struct seep_object object; /* of the binary; filled by seep_target_inspect */
};

/* As execvp does.  -ENOENT: there is none; -EACCES: it cannot be executed. */
int seep_target_find(struct seep_target *target, const char *command, struct seep_err *err);

/* 0, or -ENOEXEC if the tracker cannot be loaded into it: err says why and what to do. */
int seep_target_inspect(struct seep_target *target, struct seep_err *err);

#endif
