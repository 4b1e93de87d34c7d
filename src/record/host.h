/* SPDX-License-Identifier: MIT */
#ifndef SEEP_RECORD_HOST_H
#define SEEP_RECORD_HOST_H

/*
 * Prints one line on the program's stderr: what failed, with the -errno, and that recording ends.
 * For programs that record without seep run, which would print it otherwise.
 */
void seep_host_print(const char *what, int failure);

#endif
