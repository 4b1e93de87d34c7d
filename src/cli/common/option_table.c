/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/command.h"
#include "cli/common/option_table.h"
#include "cli/common/options.h"
#include "cli/common/self.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define WORD 1       /* what getopt_long returns for a word that is not an option */
#define FIRST_ROW 256 /* ... and for the long form of the first row; then upwards */

/* A table in the form that getopt_long wants. */
struct getopt_form {
	char letters[2 * SEEP_OPTIONS_MOST + 8];
	struct option names[SEEP_OPTIONS_MOST + 2];
	size_t n;
};

static int argument_kind(const struct seep_option *row)
{
	if (!row->argument)
		return no_argument;
	return row->argument[0] == '[' ? optional_argument : required_argument;
}

static void make_form(struct getopt_form *form, const struct seep_option *table)
{
	char *letter = form->letters;

	/* '-': words are returned where they stand.  ':': so is a missing value. */
	*letter++ = '-';
	*letter++ = ':';
	*letter++ = 'h';
	for (form->n = 0; table[form->n].name; form->n++) {
		const struct seep_option *row = &table[form->n];

		assert(form->n < SEEP_OPTIONS_MOST);
		form->names[form->n] = (struct option){ row->name, argument_kind(row), NULL,
							FIRST_ROW + (int)form->n };
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->argument)
			*letter++ = ':';
	}
	*letter = 0;
	form->names[form->n] = (struct option){ "help", no_argument, NULL, 'h' };
	form->names[form->n + 1] = (struct option){ NULL, 0, NULL, 0 };
}

static const struct seep_option *find_row(const struct getopt_form *form,
					  const struct seep_option *table, int c)
{
	if (c >= FIRST_ROW)
		return &table[c - FIRST_ROW];
	for (size_t i = 0; i < form->n; i++)
		if (table[i].letter && table[i].letter == c)
			return &table[i];
	return NULL;
}

static int set_field(const struct seep_option *row, void *options, const char *value,
		     struct seep_err *err)
{
	void *field = (char *)options + row->at;

	if (row->set)
		return row->set(field, value, err);
	if (row->argument)
		*(const char **)field = value;
	else
		*(bool *)field = true;
	return 0;
}

/* word is "--name" or "--name=value". */
static const char *find_similar(const char *word, const struct option *known)
{
	char name[32];
	const char *similar = NULL;
	size_t nearest = 3;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	for (; known->name; known++) {
		size_t distance = seep_options_distance(name, known->name);

		if (distance && distance < nearest && distance < strlen(known->name)) {
			nearest = distance;
			similar = known->name;
		}
	}
	return similar;
}

/* How many options start with the word, and the names of the first two. */
static size_t find_longer(const char *word, const struct option *known, const char *names[2])
{
	size_t n = 0;

	for (; known->name; known++)
		if (!strncmp(known->name, word + 2, strcspn(word + 2, "="))) {
			if (n < 2)
				names[n] = known->name;
			n++;
		}
	return n;
}

static int refuse_long(const char *word, const struct getopt_form *form, const char *command,
		       struct seep_err *err)
{
	const char *similar = find_similar(word, form->names), *names[2];

	if (optopt == 'h' || optopt >= FIRST_ROW)
		return seep_err_set(err, EINVAL, "option '%.*s' does not take a value",
				    (int)strcspn(word, "="), word);
	if (find_longer(word, form->names, names) > 1)
		return seep_err_set(err, EINVAL, "option '%.100s' is ambiguous: it could be '--%s' "
				    "or '--%s'", word, names[0], names[1]);
	if (similar)
		return seep_err_set(err, EINVAL, "there is no option '%.100s'; did you mean "
				    "'--%s'?  See %.200s help %s", word, similar, seep_self(),
				    command);
	return seep_err_set(err, EINVAL, "there is no option '%.100s'; see %.200s help %s", word,
			    seep_self(), command);
}

/* Says what getopt_long did not like; answer is what it returned, '?' or ':'. */
static int refuse(int answer, char **argv, const struct getopt_form *form,
		  const struct seep_option *table, struct seep_err *err)
{
	const char *word = argv[optind - 1];
	const struct seep_option *row;

	if (answer == ':') {
		row = find_row(form, table, optopt);
		return seep_err_set(err, EINVAL, "option '%.100s' needs a value: %s; see %.200s "
				    "help %s", word, row->argument, seep_self(), argv[0]);
	}
	/* In a cluster such as -jZ, optind does not show the word: optopt shows the letter. */
	if (!optopt || optopt == 'h' || optopt >= FIRST_ROW)
		return refuse_long(word, form, argv[0], err);
	return seep_err_set(err, EINVAL, "there is no option '-%c'; see %.200s help %s",
			    optopt > ' ' && optopt < 127 ? optopt : '?', seep_self(), argv[0]);
}

static bool is_number(const char *word)
{
	return isdigit((unsigned char)*word) && !word[strspn(word, "0123456789")];
}

static bool starts_command(enum seep_operands operands, const char *word)
{
	return operands == SEEP_OPERANDS_COMMAND ||
	       (operands == SEEP_OPERANDS_PID_OR_COMMAND && !is_number(word));
}

/* Words that are no command move to the front of argv, over what has been read already. */
static int read_words(const struct seep_command *command, int argc, char **argv, void *options,
		      struct seep_operands_found *found, struct seep_err *err)
{
	struct getopt_form form;
	int c, before = 1;

	make_form(&form, command->options);
	*found = (struct seep_operands_found){ .words = argv + 1 };
	opterr = 0;
	optind = 0;
	for (; (c = getopt_long(argc, argv, form.letters, form.names, NULL)) != -1;
	     before = optind) {
		const struct seep_option *row = find_row(&form, command->options, c);

		if (c == 'h')
			return SEEP_STATUS_HELP;
		if (c == WORD && starts_command(command->operands, optarg)) {
			found->command = argv + optind - 1;
			return 0;
		}
		if (c == WORD)
			found->words[found->n++] = optarg;
		else if (!row && refuse(c, argv, &form, command->options, err))
			return SEEP_STATUS_FAILED;
		else if (row && set_field(row, options, optarg, err))
			return SEEP_STATUS_FAILED;
	}
	/* Only "--" is taken without an answer. */
	if (optind > before && command->operands > SEEP_OPERANDS_FILES)
		found->command = argv + optind;
	else
		while (optind < argc)
			found->words[found->n++] = argv[optind++];
	return 0;
}

int seep_option_table_parse(const struct seep_command *command, int argc, char **argv,
			    void *options, struct seep_operands_found *found,
			    struct seep_err *err)
{
	int status = read_words(command, argc, argv, options, found, err);

	if (status || command->operands != SEEP_OPERANDS_NONE || !found->n)
		return status;
	seep_err_set(err, EINVAL, "unexpected argument '%.100s': seep %s takes no arguments",
		     found->words[0], command->name);
	return SEEP_STATUS_FAILED;
}
