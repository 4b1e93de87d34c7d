/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one way an error travels: the function that knows most about it writes the text, and only
 * cli/main.c prints it.
 *
 * A function that may fail returns 0 or -errno and takes a struct seep_err as its last
 * parameter.  The text is written once, where the failure happened; callers pass it on untouched.
 * It names the file and byte, or the pid, and what the user can do about it, if anything.
 */
#ifndef SEEP_BASE_ERR_H
#define SEEP_BASE_ERR_H

struct seep_err {
	int code;       /* errno value, 0 = no error */
	char text[512]; /* one sentence, no newline, no program name */
};

/*
 * Fills err unless it is already filled, and returns -code.  err may be NULL.
 */
int seep_err_set(struct seep_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
