/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"
#include "cli/common/self.h"
#include "render/safe.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define PLAIN "seep"

static char name[2 * PATH_MAX];

/* A path that cannot be shown as it is, or is far too long, could not be pasted anyway. */
static void find_name(void)
{
	const char *typed = program_invocation_name;
	struct seep_arena arena;
	const char *word;

	snprintf(name, sizeof(name), "%s", PLAIN);
	if (!typed || !strchr(typed, '/'))
		return;
	seep_arena_init(&arena);
	word = seep_safe_shell(&arena, typed);
	if (!strcmp(seep_safe_text(&arena, typed), typed) && strlen(word) < sizeof(name))
		snprintf(name, sizeof(name), "%s", word);
	seep_arena_release(&arena);
}

const char *seep_self(void)
{
	if (!name[0])
		find_name();
	return name;
}
