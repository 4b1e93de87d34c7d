/* SPDX-License-Identifier: MIT */
/*
 * The process's memory as the kernel sees it: one pread of a statm that is
 * kept open, about a microsecond.
 *
 * The caller serialises.  After fork the child calls seep_statm_reopen: the
 * descriptor it inherited shows its parent's memory.
 */
#ifndef SEEP_OS_STATM_H
#define SEEP_OS_STATM_H

#include <stdbool.h>
#include <stdint.h>

void seep_statm_reopen(void);

/* False if statm cannot be read (no /proc); then both numbers are 0. */
bool seep_statm_read(int64_t *vm_bytes, int64_t *rss_bytes);

/* Address space that RLIMIT_AS leaves to this process; UINT64_MAX without such a limit. */
uint64_t seep_statm_address_left(void);

#endif
