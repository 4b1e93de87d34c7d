/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/symbols/symbols_python.h"

#include <ctype.h>
#include <string.h>

static bool is_python(const struct seep_frame *frame)
{
	return frame->language && !strcmp(frame->language, "python");
}

/* Behind "/lib/python" comes a version and "/": the standard library, or packages in it. */
static bool is_in_library(const char *file)
{
	const char *found = file, *at;

	while ((found = strstr(found, "/lib/python"))) {
		at = found += strlen("/lib/python");
		while (isdigit((unsigned char)*at) || *at == '.')
			at++;
		if (at > found && *at == '/')
			return true;
	}
	return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/");
}

enum seep_symbols_owner seep_symbols_python_owner(const struct seep_frame *frame)
{
	if (!is_python(frame))
		return SEEP_SYMBOLS_NOT_PYTHON;
	if (!frame->file || !strncmp(frame->file, "<frozen ", 8) || is_in_library(frame->file))
		return SEEP_SYMBOLS_LIBRARY;
	return frame->file[0] == '<' ? SEEP_SYMBOLS_MADE : SEEP_SYMBOLS_USER;
}
