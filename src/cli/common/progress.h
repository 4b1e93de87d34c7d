/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A status line on the terminal, only for work that takes long.  A timer writes it, so the code
 * that does the work need not look at the clock.  There is one line per process.
 */
#ifndef SEEP_CLI_COMMON_PROGRESS_H
#define SEEP_CLI_COMMON_PROGRESS_H

/* Writes nothing to fd during the first after_ms milliseconds. */
void seep_progress_start(int fd, int after_ms);

/* Sets the text of the line; what must stay valid.  Ignored if nothing was started. */
void seep_progress_step(const char *what);

/* Removes the line. */
void seep_progress_end(void);

#endif
