/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program that seep run will execute: where it is, and whether a library can be preloaded
 * into it.  The loader silently ignores a preload that it cannot use, so this is checked
 * before the program starts.
 */
#ifndef SEEP_CLI_RUN_RUN_TARGET_H
#define SEEP_CLI_RUN_RUN_TARGET_H

#include "base/err.h"
#include "os/tool/object.h"

#include <limits.h>

struct seep_target {
	char path[PATH_MAX];     /* what will be executed */
	char binary[PATH_MAX];   /* the same, or the interpreter if it is a script */
	struct seep_object object; /* about the binary; filled by seep_target_inspect */
};

/* Searches as execvp does.  -ENOENT: not found; -EACCES: not executable. */
int seep_target_find(struct seep_target *target, const char *command, struct seep_err *err);

/* 0, or -ENOEXEC if the tracker cannot be loaded: err says why and what to do. */
int seep_target_inspect(struct seep_target *target, struct seep_err *err);

#endif
