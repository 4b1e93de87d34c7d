/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/completion/complete.h"

static const char start[] =
	"# bash completion for seep, printed by `seep completion bash`\n"
	"\n"
	"_seep()\n"
	"{\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	"	local command=${COMP_WORDS[1]} options='' with_value='' operands='' words='' i\n"
	"\n"
	"	COMPREPLY=()\n"
	"	# bash splits --name=value into three words\n"
	"	if [ \"$cur\" = = ]; then\n"
	"		cur=''\n"
	"	elif [ \"$prev\" = = ]; then\n"
	"		prev=${COMP_WORDS[COMP_CWORD-2]}\n"
	"	fi\n";

/* After the first word of a program, its own completion takes over. */
static const char find_program[] =
	"	if [ \"$operands\" = command ] || [ \"$operands\" = after ]; then\n"
	"		for ((i = 2; i < COMP_CWORD; i++)); do\n"
	"			case ${COMP_WORDS[i]} in\n"
	"			--) ((i++)); break ;;\n"
	"			=) ((i++)) ;;\n"
	"			-*) [[ \" $with_value\" != *\" ${COMP_WORDS[i]} \"* ]] ||\n"
	"				((i++)) ;;\n"
	"			*[!0-9]*) [ \"$operands\" = after ] || break ;;\n"
	"			esac\n"
	"		done\n"
	"		if [ \"$i\" -lt \"$COMP_CWORD\" ] ||\n"
	"			[ \"${COMP_WORDS[i-1]}\" = -- ]; then\n"
	"			if declare -F _command_offset >/dev/null; then\n"
	"				_command_offset \"$i\"\n"
	"			elif [ \"$i\" -eq \"$COMP_CWORD\" ]; then\n"
	"				COMPREPLY=($(compgen -c -- \"$cur\"))\n"
	"			fi\n"
	"			return\n"
	"		fi\n"
	"	fi\n";

static const char end[] =
	"	if [[ $cur == -* ]]; then\n"
	"		COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	"	elif [ -n \"$words\" ]; then\n"
	"		COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	"	elif [ \"$operands\" = command ]; then\n"
	"		COMPREPLY=($(compgen -c -- \"$cur\"))\n"
	"	fi\n"
	"}\n"
	"\n"
	"complete -o default -o bashdefault -F _seep seep\n";

static void write_names(FILE *out, const struct seep_option *row, const char *between)
{
	if (row->letter)
		fprintf(out, "-%c%s", row->letter, between);
	fprintf(out, "--%s", row->name);
}

static void write_command_names(FILE *out, const struct seep_command *const *commands)
{
	for (; *commands; commands++)
		fprintf(out, " %s", (*commands)->name);
}

static void write_command(FILE *out, const struct seep_command *command)
{
	static const char *const operands[] = {
		[SEEP_OPERANDS_NONE] = "none", [SEEP_OPERANDS_FILES] = "files",
		[SEEP_OPERANDS_COMMAND] = "command", [SEEP_OPERANDS_FILE_OR_COMMAND] = "after",
		[SEEP_OPERANDS_PID_OR_COMMAND] = "command",
	};

	fprintf(out, "	%s)\n		operands='%s'\n		options=\"", command->name,
		operands[command->operands]);
	for (const struct seep_option *row = command->options; row->name; row++) {
		write_names(out, row, " ");
		fputc(' ', out);
	}
	fputs("-h --help\"\n		with_value=\"", out);
	for (const struct seep_option *row = command->options; row->name; row++)
		if (seep_complete_takes_word(row)) {
			write_names(out, row, " ");
			fputc(' ', out);
		}
	fputs("\"\n", out);
	if (command->operand_value) {
		fputs("		words=\"", out);
		seep_complete_values(out, command->operand_value);
		fputs("\"\n", out);
	}
	fputs("		;;\n", out);
}

static void write_value(FILE *out, const char *command, const struct seep_option *row)
{
	fputs("	", out);
	if (row->letter)
		fprintf(out, "\"%s -%c\" | ", command, row->letter);
	fprintf(out, "\"%s --%s\")\n", command, row->name);
	if (row->value) {
		fputs("		COMPREPLY=($(compgen -W \"", out);
		seep_complete_values(out, row->value);
		fputs("\" -- \"$cur\"))\n", out);
	} else if (seep_complete_is_directory(row)) {
		fputs("		COMPREPLY=($(compgen -d -- \"$cur\"))\n", out);
	} else if (seep_complete_is_file(row)) {
		fputs("		COMPREPLY=($(compgen -f -- \"$cur\"))\n", out);
	}
	fputs("		return\n		;;\n", out);
}

void seep_complete_bash(FILE *out, const struct seep_command *const *commands)
{
	fputs(start, out);
	fputs("	if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "		COMPREPLY=($(compgen -W \"help --help --version", out);
	write_command_names(out, commands);
	fputs("\" -- \"$cur\"))\n		return\n	fi\n	case $command in\n", out);
	for (size_t i = 0; commands[i]; i++)
		write_command(out, commands[i]);
	fputs("	help)\n		words=\"", out);
	write_command_names(out, commands);
	fputs("\"\n		;;\n	esac\n", out);
	fputs(find_program, out);
	fputs("	case \"$command $prev\" in\n", out);
	for (size_t i = 0; commands[i]; i++)
		for (const struct seep_option *row = commands[i]->options; row->name; row++)
			if (seep_complete_takes_word(row))
				write_value(out, commands[i]->name, row);
	fputs("	esac\n", out);
	fputs(end, out);
}
