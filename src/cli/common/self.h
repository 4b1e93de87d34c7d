/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the user called seep, so that a command that is printed can be pasted. */
#ifndef SEEP_CLI_COMMON_SELF_H
#define SEEP_CLI_COMMON_SELF_H

/* "seep", or its path as it was typed, quoted for the shell.  Lives as long as the process. */
const char *seep_self(void);

#endif
