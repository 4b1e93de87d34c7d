/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The language runtime inside the process, by the names of its loaded objects.
 *
 * A runtime with a heap of its own takes memory from the system in large pieces, and only the
 * runtime knows what is in them.  A garbage collector frees in its own time.
 */
#ifndef SEEP_ANALYSE_CAUSE_RUNTIME_H
#define SEEP_ANALYSE_CAUSE_RUNTIME_H

#include "model/run.h"

enum seep_runtime_kind {
	SEEP_RUNTIME_NONE,
	SEEP_RUNTIME_PYTHON,
	SEEP_RUNTIME_JAVA,
	SEEP_RUNTIME_V8,
	SEEP_RUNTIME_PHP,
};

struct seep_runtime {
	enum seep_runtime_kind kind;
	const char *name;        /* "CPython"; NULL: none that is known */
	const char *heap;        /* what its own heap is called; NULL: it uses malloc */
	const char *next;        /* the tool that looks into it */
};

const struct seep_runtime *seep_runtime_find(const struct seep_run *run);

/* Is the allocation of the site by the interpreter itself, for an object of its own? */
bool seep_runtime_allocates(const struct seep_run *run, const struct seep_site *site);

#endif
