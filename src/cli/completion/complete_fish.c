/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/completion/complete.h"

#include <string.h>

/* Inside single quotes. */
static void write_quoted(FILE *out, const char *text, int n)
{
	fputc('\'', out);
	for (int i = 0; i < n; i++) {
		if (strchr("'\\", text[i]))
			fputc('\\', out);
		fputc(text[i], out);
	}
	fputc('\'', out);
}

static void write_option(FILE *out, const struct seep_option *row)
{
	if (row->letter)
		fprintf(out, " -s %c", row->letter);
	fprintf(out, " -l %s", row->name);
	if (row->value && seep_complete_takes_word(row)) {
		fputs(" -x -a '", out);
		seep_complete_values(out, row->value);
		fputs("'", out);
	} else if (seep_complete_is_directory(row)) {
		fputs(" -x -a '(__fish_complete_directories)'", out);
	} else if (seep_complete_is_file(row)) {
		fputs(" -r -F", out);
	} else if (seep_complete_takes_word(row)) {
		fputs(" -x", out);
	}
	fputs(" -d ", out);
	write_quoted(out, row->help, seep_complete_sentence(row->help));
}

static void write_operands(FILE *out, const struct seep_command *command)
{
	switch (command->operands) {
	case SEEP_OPERANDS_NONE:
		fputs(" -f\n", out);
		break;
	case SEEP_OPERANDS_FILES:
	case SEEP_OPERANDS_FILE_OR_COMMAND:
		if (command->operand_value) {
			fputs(" -f -a '", out);
			seep_complete_values(out, command->operand_value);
			fputs("'\n", out);
		} else {
			fputs(" -F\n", out);
		}
		break;
	case SEEP_OPERANDS_COMMAND:
		fputs(" -F -a '(__fish_complete_command)'\n", out);
		break;
	case SEEP_OPERANDS_PID_OR_COMMAND:
		fputs(" -F -a '(__fish_complete_pids) (__fish_complete_command)'\n", out);
		break;
	}
}

static void start_line(FILE *out, const struct seep_command *command)
{
	fprintf(out, "complete -c seep -n '__seep_command_is %s'", command->name);
}

static void write_command(FILE *out, const struct seep_command *command)
{
	for (const struct seep_option *row = command->options; row->name; row++) {
		start_line(out, command);
		write_option(out, row);
		fputc('\n', out);
	}
	start_line(out, command);
	fputs(" -s h -l help -d 'Show the help'\n", out);
	start_line(out, command);
	write_operands(out, command);
}

void seep_complete_fish(FILE *out, const struct seep_command *const *commands)
{
	fputs("# fish completion for seep, printed by `seep completion fish`\n"
	      "\n"
	      "# Without arguments: no command has been typed yet.\n"
	      "function __seep_command_is\n"
	      "	set -l words (commandline -opc)\n"
	      "	if test (count $argv) -eq 0\n"
	      "		test (count $words) -eq 1\n"
	      "		return\n"
	      "	end\n"
	      "	test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
	      "end\n"
	      "\n"
	      "complete -c seep -n __seep_command_is -f\n", out);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(out, "complete -c seep -n __seep_command_is -a %s -d ", commands[i]->name);
		write_quoted(out, commands[i]->summary, (int)strlen(commands[i]->summary));
		fputc('\n', out);
	}
	fputs("complete -c seep -n __seep_command_is -a help -d 'explain a command'\n"
	      "complete -c seep -n '__seep_command_is help' -f -a '", out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", commands[i]->name);
	fputs("'\n", out);
	for (size_t i = 0; commands[i]; i++)
		write_command(out, commands[i]);
}
