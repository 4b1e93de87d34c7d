/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the user called seep, so that printed commands can be pasted. */
#ifndef SEEP_CLI_COMMON_SELF_H
#define SEEP_CLI_COMMON_SELF_H

/* "seep", or the path as typed, quoted for the shell.  Valid as long as the process. */
const char *seep_self(void);

#endif
