/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/entry/entry_decode.h"

const char *seep_entry_decode(const struct seep_entry_text *text,
			      const struct seep_entry_function *function,
			      struct seep_entry_code *code)
{
	(void)text;
	(void)function;
	(void)code;
	return "cannot be followed, because this seep was built without capstone (SEEP_ENTRY=OFF)";
}
