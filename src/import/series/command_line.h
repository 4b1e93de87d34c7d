/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command of a run, from files that store it as one text. */
#ifndef SEEP_IMPORT_SERIES_COMMAND_LINE_H
#define SEEP_IMPORT_SERIES_COMMAND_LINE_H

#include "import/import.h"

/* Blanks separate words; '...' is one word. */
void seep_command_line(struct seep_import *import, const char *text);

#endif
