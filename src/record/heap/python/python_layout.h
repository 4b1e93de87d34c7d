/* SPDX-License-Identifier: MIT */
/*
 * Where CPython keeps what a stack is made of: offsets, by version.
 *
 *	                3.9, 3.10           3.11, 3.12                3.13
 *	thread state    -> frame            -> cframe -> frame        -> frame
 *	frame           -> f_back           -> previous               -> previous
 *	where it is     code, f_lasti       a pointer into the code   the same
 *	ends a call of  each frame          is_entry; from 3.12 on    the same
 *	the evaluator                       a frame without code
 *
 * From 3.13 on the interpreter itself has most of them in a table at the start of _PyRuntime.
 */
#ifndef SEEP_RECORD_HEAP_PYTHON_PYTHON_LAYOUT_H
#define SEEP_RECORD_HEAP_PYTHON_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define SEEP_PYTHON_NONE UINT32_MAX /* this version has no such field */

struct seep_python_layout {
	uint32_t version;        /* 0x30b is 3.11 */
	uint32_t lasti_bytes;    /* what f_lasti counts; 0: frames point into their code */
	/* _PyRuntime */
	uint32_t key;            /* under which a thread has its state */
	uint32_t finalizing;     /* the state of the thread that ends the interpreter */
	uint32_t interpreters;   /* the newest one; the main one follows */
	/* the state of a thread */
	uint32_t thread_id;
	uint32_t cframe;
	uint32_t current;        /* in the cframe, if there is one */
	/* a frame */
	uint32_t code;
	uint32_t previous;
	uint32_t spot;           /* f_lasti, or the pointer into the code */
	uint32_t is_entry;
	uint32_t owner;
	/* a code object */
	uint32_t file;
	uint32_t function;
	uint32_t first_line;
	uint32_t instructions;
	/* a text: its head, if it is ASCII and if it is not */
	uint32_t text_length;
	uint32_t text_state;
	uint32_t text_ascii;
	uint32_t text_other;
};

/*
 * Fills in the layout.  hex: as Py_Version, 0x030b02f0.  runtime: where _PyRuntime is.  NULL, or
 * why this interpreter is not known.
 */
const char *seep_python_layout_find(struct seep_python_layout *layout, uint32_t hex,
				    const unsigned char *runtime);

#endif
