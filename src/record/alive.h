/* SPDX-License-Identifier: MIT */
/* Whether this is still the process that it was, or a child of fork. */
#ifndef SEEP_RECORD_ALIVE_H
#define SEEP_RECORD_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

/* This process is the one. */
void seep_alive_mark(void);

/* Whether that was ever called, here or in a parent. */
bool seep_alive_is_marked(void);

/* False in a child, however it was forked; a child of vfork is part of its parent. */
bool seep_alive_is(void);

/* It is 0 where that is false. */
const uint32_t *seep_alive_word(void);

/* False in a child of vfork too, and if nobody may ask for the pid. */
bool seep_alive_is_own(void);

#endif
