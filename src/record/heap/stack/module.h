/* SPDX-License-Identifier: MIT */
/*
 * The loaded objects that appear in stacks, with what the tool needs to find
 * their symbols later: path, build id, where they were loaded.
 *
 * If an object is unloaded and another one loaded at its place, they get different
 * ids, so that stacks from before and after do not mix.
 */
#ifndef SEEP_RECORD_HEAP_STACK_MODULE_H
#define SEEP_RECORD_HEAP_STACK_MODULE_H

#include <stdint.h>

struct dl_find_object;

/*
 * The id (from 1 on) of an object that _dl_find_object has found; 0 when the
 * table is full.  epoch counts the unloadings so far, from 1 on.
 */
uint32_t seep_module_id(const struct dl_find_object *found, uint32_t epoch);

/* How many ids there are (the highest + 1), and where an object was loaded. */
uint32_t seep_module_count(void);
uintptr_t seep_module_start(uint32_t id);

/* Makes the program itself known now, as its path takes a system call. */
void seep_module_know_program(void);

/* Writes the modules that the trace does not have yet.  The recording is held. */
void seep_module_write_new(void);

void seep_module_forked(void);

#endif
