/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/completion/complete.h"

#include <string.h>

bool seep_complete_is_file(const struct seep_option *row)
{
	static const char *const names[] = { "FILE", "PATH", "PICTURE" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (row->argument && !strcmp(row->argument, names[i]))
			return true;
	return false;
}

bool seep_complete_is_directory(const struct seep_option *row)
{
	return row->argument && !strcmp(row->argument, "DIRECTORY");
}

bool seep_complete_takes_word(const struct seep_option *row)
{
	return row->argument && row->argument[0] != '[';
}

int seep_complete_sentence(const char *help)
{
	const char *end = strstr(help, ". ");
	size_t n = strlen(help);

	if (end)
		return (int)(end - help);
	return (int)(n && help[n - 1] == '.' ? n - 1 : n);
}

void seep_complete_values(FILE *out, const char *(*value)(size_t i))
{
	for (size_t i = 0; value(i); i++)
		fprintf(out, " %s", value(i));
}
