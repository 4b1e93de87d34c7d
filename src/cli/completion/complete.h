/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Completion scripts for shells, generated from the option tables.  They complete commands,
 * options, values from a fixed set, and file names.
 */
#ifndef SEEP_CLI_COMPLETION_COMPLETE_H
#define SEEP_CLI_COMPLETION_COMPLETE_H

#include "cli/common/command.h"

#include <stdbool.h>
#include <stdio.h>

/* commands ends with NULL. */
void seep_complete_bash(FILE *out, const struct seep_command *const *commands);
void seep_complete_zsh(FILE *out, const struct seep_command *const *commands);
void seep_complete_fish(FILE *out, const struct seep_command *const *commands);

/* Whether the value is a file or a directory, judging by the name of the argument. */
bool seep_complete_is_file(const struct seep_option *row);
bool seep_complete_is_directory(const struct seep_option *row);

/* Whether the value is the next word.  An optional value follows "=" instead. */
bool seep_complete_takes_word(const struct seep_option *row);

/* The length of the first sentence of a help text, without its full stop. */
int seep_complete_sentence(const char *help);

/* Writes all values: " a b c". */
void seep_complete_values(FILE *out, const char *(*value)(size_t i));

#endif
