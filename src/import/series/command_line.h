/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was run, where a file has it as one text. */
#ifndef SEEP_IMPORT_SERIES_COMMAND_LINE_H
#define SEEP_IMPORT_SERIES_COMMAND_LINE_H

#include "import/import.h"

/* Words are apart by blanks; those in '...' are one. */
void seep_command_line(struct seep_import *import, const char *text);

#endif
