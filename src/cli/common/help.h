/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `seep help COMMAND` prints. */
#ifndef SEEP_CLI_COMMON_HELP_H
#define SEEP_CLI_COMMON_HELP_H

#include "cli/common/command.h"

#include <stdio.h>

void seep_help_write(FILE *out, const struct seep_command *command);

#endif
