/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/series/command_line.h"

#include <string.h>

#define WORDS_MAX 256

static char *end_of_word(char **word)
{
	if (**word == '\'') {
		++*word;
		return strchr(*word, '\'');
	}
	return strpbrk(*word, " \t");
}

void seep_command_line(struct seep_import *import, const char *text)
{
	char *at = seep_arena_copy(&import->arena, text, strlen(text));
	const char *words[WORDS_MAX + 1];
	size_t n = 0;

	while (at && n < WORDS_MAX) {
		char *word = at + strspn(at, " \t");

		if (!*word)
			break;
		at = end_of_word(&word);
		if (at)
			*at++ = 0;
		words[n++] = word;
	}
	words[n] = NULL;
	if (n)
		seep_compose_command(&import->compose, words[0], words);
}
