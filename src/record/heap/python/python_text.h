/* SPDX-License-Identifier: MIT */
/* The texts of an interpreter, as UTF-8: names of functions and files, each kept once. */
#ifndef SEEP_RECORD_HEAP_PYTHON_PYTHON_TEXT_H
#define SEEP_RECORD_HEAP_PYTHON_PYTHON_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define SEEP_PYTHON_TEXT_MAX 1024u /* bytes; of a longer text, the end is lost */

struct seep_python_text {
	const char *letters;
	uint32_t bytes;
};

bool seep_python_text_init(void);

/* The number of the text of a str object; 0 if it is none, or if there is no room. */
uint32_t seep_python_text_add(uintptr_t object);

struct seep_python_text seep_python_text_get(uint32_t text);

uint64_t seep_python_text_own_bytes(void);
void seep_python_text_forked(void);

#endif
