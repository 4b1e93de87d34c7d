/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line on a terminal for work that takes long, and none for work that does not.  A timer
 * writes it, so that nothing has to look at the clock; there is one line per process.
 */
#ifndef SEEP_CLI_COMMON_PROGRESS_H
#define SEEP_CLI_COMMON_PROGRESS_H

/* Nothing is written to fd before so many milliseconds are over. */
void seep_progress_start(int fd, int after_ms);

/* What is being done, as a text that stays; ignored if nothing was started. */
void seep_progress_step(const char *what);

/* Removes the line. */
void seep_progress_end(void);

#endif
