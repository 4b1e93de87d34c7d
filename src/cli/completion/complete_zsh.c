/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/completion/complete.h"

#include <string.h>

/* Inside single quotes; brackets and colons have a meaning for _arguments. */
static void write_quoted(FILE *out, const char *text, int n)
{
	for (int i = 0; i < n; i++) {
		if (text[i] == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", text[i]))
			fprintf(out, "\\%c", text[i]);
		else
			fputc(text[i], out);
	}
}

/* ":FILE:_files"; two colons before an argument that may be left out */
static void write_argument(FILE *out, const struct seep_option *row)
{
	const char *name = row->argument;

	fputs(":", out);
	if (*name == '[') {
		fputs(":", out);
		name += 2;
	}
	write_quoted(out, name, (int)strcspn(name, "[]"));
	fputs(":", out);
	if (row->value) {
		fputs("(", out);
		for (size_t i = 0; row->value(i); i++) {
			fputs(i ? " " : "", out);
			write_quoted(out, row->value(i), (int)strlen(row->value(i)));
		}
		fputs(")", out);
	} else if (seep_complete_is_directory(row)) {
		fputs("_files -/", out);
	} else if (seep_complete_is_file(row)) {
		fputs("_files", out);
	} else {
		fputs(" ", out);
	}
}

/* '(-o --output)'{-o+,--output=}'[help]:FILE:_files' */
static void write_option(FILE *out, const struct seep_option *row)
{
	const char *ending = !row->argument ? "" : row->argument[0] == '[' ? "=-" : "=";

	fputs(" \\\n			", out);
	if (row->letter)
		fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name, row->letter,
			row->argument ? "+" : "", row->name, ending);
	else
		fprintf(out, "'--%s%s[", row->name, ending);
	write_quoted(out, row->help, seep_complete_sentence(row->help));
	fputs("]", out);
	if (row->argument)
		write_argument(out, row);
	fputs("'", out);
}

static void write_operands(FILE *out, const struct seep_command *command)
{
	static const char *const actions[] = {
		[SEEP_OPERANDS_NONE] = NULL, [SEEP_OPERANDS_FILES] = "'*:FILE:_files'",
		[SEEP_OPERANDS_COMMAND] = "'*:::program: _normal'",
		[SEEP_OPERANDS_FILE_OR_COMMAND] = "'*:FILE:_files'",
		[SEEP_OPERANDS_PID_OR_COMMAND] =
			"'1:process or program:_alternative \"pids\\:process\\:_pids\" "
			"\"commands\\:program\\:_command_names -e\"' '*:::arguments: _normal'",
	};

	if (command->operand_value) {
		fputs(" \\\n			'1:name:(", out);
		seep_complete_values(out, command->operand_value);
		fputs(")'", out);
	} else if (actions[command->operands]) {
		fprintf(out, " \\\n			%s", actions[command->operands]);
	}
}

static void write_command(FILE *out, const struct seep_command *command)
{
	fprintf(out, "	%s)\n		_arguments -s -S", command->name);
	for (const struct seep_option *row = command->options; row->name; row++)
		write_option(out, row);
	fputs(" \\\n			'(-h --help)'{-h,--help}'[Show the help]'", out);
	write_operands(out, command);
	fputs("\n		;;\n", out);
}

void seep_complete_zsh(FILE *out, const struct seep_command *const *commands)
{
	fputs("#compdef seep\n"
	      "# zsh completion for seep, printed by `seep completion zsh`\n"
	      "\n"
	      "_seep()\n"
	      "{\n"
	      "	local -a commands=(\n", out);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(out, "		'%s:", commands[i]->name);
		write_quoted(out, commands[i]->summary, (int)strlen(commands[i]->summary));
		fputs("'\n", out);
	}
	fputs("		'help:explain a command'\n	)\n"
	      "	if ((CURRENT == 2)); then\n"
	      "		_describe -t commands 'seep command' commands\n"
	      "		return\n"
	      "	fi\n"
	      "	local command=$words[2]\n"
	      "	shift words\n"
	      "	((CURRENT--))\n"
	      "	case $command in\n", out);
	for (size_t i = 0; commands[i]; i++)
		write_command(out, commands[i]);
	fputs("	help)\n		_describe -t commands 'seep command' commands\n		;;\n"
	      "	esac\n"
	      "}\n"
	      "\n"
	      "_seep \"$@\"\n", out);
}
