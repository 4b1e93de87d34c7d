/* SPDX-License-Identifier: MIT */
/*
 * A stack for the command itself.
 *
 * "ulimit -s" may be set for the program that is to be run.  The command and its libraries
 * (DWARF, pictures, statistics) need more, but must not change the limit, since the program
 * inherits it.
 */
#ifndef SEEP_OS_TOOL_OWN_STACK_H
#define SEEP_OS_TOOL_OWN_STACK_H

/* Calls work, on a stack that is large enough whatever the limit is. */
int seep_own_stack_run(int (*work)(int argc, char **argv), int argc, char **argv);

#endif
