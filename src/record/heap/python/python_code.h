/* SPDX-License-Identifier: MIT */
/*
 * Lines of source as they appear in stacks: the name of a function, its file, a line.
 *
 *	code object  --->  function: file, name, first line  --->  line of it  --->  pc
 *
 * What is the same has the same number, wherever it is in memory: a module that is loaded again,
 * or a function that is made again and again, adds nothing.
 */
#ifndef SEEP_RECORD_HEAP_PYTHON_PYTHON_CODE_H
#define SEEP_RECORD_HEAP_PYTHON_PYTHON_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* The tables; false if there is no memory for them. */
bool seep_python_code_init(void);

#define SEEP_PYTHON_HIDDEN UINT64_MAX

/*
 * What stands in stacks for the line that a frame is at; 0 if that cannot be found out,
 * SEEP_PYTHON_HIDDEN if the frame does not belong to the program.
 */
uint64_t seep_python_code_pc(uintptr_t frame);

/*
 * Takes the address of a code object that was met for the first time; 0: there are no more.  The
 * caller sees to it that seep_python_code_freed is called when it is freed.
 */
uintptr_t seep_python_code_take_new(void);

/* Whether a code object that was met was at this address when it was last looked at. */
bool seep_python_code_is_met(uintptr_t code);
void seep_python_code_freed(uintptr_t code);

/* Writes the functions and lines that the trace does not have yet.  The recording is held. */
void seep_python_code_write_new(void);

/* Bytes of the tables in use. */
uint64_t seep_python_code_own_bytes(void);

void seep_python_code_forked(void);

#endif
