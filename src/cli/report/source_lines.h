/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the source code around a frame, if the file is on this machine. */
#ifndef SEEP_CLI_REPORT_SOURCE_LINES_H
#define SEEP_CLI_REPORT_SOURCE_LINES_H

#include "base/arena.h"
#include "model/run.h"
#include "render/excerpt.h"

/* NULL if the file or the line is not there.  The excerpt lives in the arena. */
const struct seep_excerpt *seep_source_lines_read(const struct seep_run *run,
						  const struct seep_frame *frame,
						  struct seep_arena *arena);

#endif
