/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/help.h"

#include <string.h>

#define WIDTH 80
#define HEADER_MOST 26 /* columns; the text of a longer one starts on the next line */

static const struct seep_option help_row = {
	.name = "help", .letter = 'h', .help = "Show this help.",
};

struct header {
	char text[80];
};

/* "  -o, --output FILE" */
static struct header make_header(const struct seep_option *row)
{
	struct header header;
	char letter[5] = "    ";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	snprintf(header.text, sizeof(header.text), "  %s--%s%s%s", letter, row->name,
		 row->argument && row->argument[0] != '[' ? " " : "",
		 row->argument ? row->argument : "");
	return header;
}

/* The column in which the texts start: behind the longest header that is not too long. */
static int find_column(const struct seep_option *table)
{
	size_t longest = strlen(make_header(&help_row).text);

	for (; table->name; table++) {
		size_t length = strlen(make_header(table).text);

		if (length > longest && length <= HEADER_MOST)
			longest = length;
	}
	return (int)longest + 2;
}

static void write_row(FILE *out, const struct seep_option *row, int column)
{
	struct header header = make_header(row);
	const char *word = row->help;
	int at = fprintf(out, "%s", header.text);

	if (at + 2 > column)
		at = WIDTH;
	while (*word) {
		int length = (int)strcspn(word, " ");

		if (at + 1 + length > WIDTH)
			at = fprintf(out, "\n%*s%.*s", column, "", length, word) - 1;
		else if (at < column)
			at += fprintf(out, "%*s%.*s", column - at, "", length, word);
		else
			at += fprintf(out, " %.*s", length, word);
		word += length;
		word += strspn(word, " ");
	}
	fputc('\n', out);
}

static void write_usage(FILE *out, const struct seep_command *command)
{
	size_t others = 0;

	fprintf(out, "usage: seep %s", command->name);
	for (const struct seep_option *row = command->options; row->name; row++) {
		if (row->in_usage)
			fprintf(out, " --%s %s", row->name, row->argument);
		others += !row->in_usage;
	}
	fprintf(out, "%s%s%s\n\n", others ? " [OPTION]..." : "",
		*command->operands_text ? " " : "", command->operands_text);
}

void seep_help_write(FILE *out, const struct seep_command *command)
{
	int column = find_column(command->options);

	write_usage(out, command);
	if (*command->examples)
		fprintf(out, "%s\n", command->examples);
	fputs("Options:\n", out);
	for (const struct seep_option *row = command->options; row->name; row++)
		write_row(out, row, column);
	write_row(out, &help_row, column);
	fprintf(out, "\n%s", command->notes);
}
