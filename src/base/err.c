/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

int seep_err_set(struct seep_err *err, int code, const char *fmt, ...)
{
	va_list args;

	if (!err || err->code)
		return -code;
	err->code = code;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -code;
}
