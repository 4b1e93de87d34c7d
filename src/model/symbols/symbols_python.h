/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose code a frame of Python is in. */
#ifndef SEEP_MODEL_SYMBOLS_SYMBOLS_PYTHON_H
#define SEEP_MODEL_SYMBOLS_SYMBOLS_PYTHON_H

#include "model/run.h"

/* In the order in which a site is named after them. */
enum seep_symbols_owner {
	SEEP_SYMBOLS_NOT_PYTHON,
	SEEP_SYMBOLS_LIBRARY,    /* the standard library, or an installed package */
	SEEP_SYMBOLS_MADE,       /* code without a file: from exec, a dataclass, -c */
	SEEP_SYMBOLS_USER,
};

enum seep_symbols_owner seep_symbols_python_owner(const struct seep_frame *frame);

#endif
