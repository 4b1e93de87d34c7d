/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/command.h"

#include <stddef.h>

const struct seep_command *const seep_commands[] = {
	&seep_command_run,
	&seep_command_watch,
	&seep_command_report,
	&seep_command_diff,
	&seep_command_check,
	&seep_command_calibrate,
	&seep_command_plot,
	&seep_command_export,
	&seep_command_pack,
	&seep_command_demo,
	&seep_command_doctor,
	&seep_command_completion,
	NULL,
};
