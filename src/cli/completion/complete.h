/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Completion scripts for shells, made from the option tables.  They complete the commands,
 * their options, values that belong to a fixed set, and files.
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

/* What the name of an argument says about its value. */
bool seep_complete_is_file(const struct seep_option *row);
bool seep_complete_is_directory(const struct seep_option *row);

/* Whether the value is the next word; one that may be left out follows "=". */
bool seep_complete_takes_word(const struct seep_option *row);

/* The first sentence of a help text, without its full stop. */
int seep_complete_sentence(const char *help);

/* " a b c" */
void seep_complete_values(FILE *out, const char *(*value)(size_t i));

#endif
