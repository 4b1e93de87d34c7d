/* SPDX-License-Identifier: MIT */
#include "record/heap/hook/pymem.h"

#include "record/heap/book/live.h"
#include "record/heap/real/real_pymem.h"

#include "os/process.h"
#include "record/env_init.h"
#include "record/guard.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 4096
#define WHY_MAX 128

static bool is_fallback, is_barred;

/* "-X dev", also after other letters ("-BXdev").  The arguments end at a script, -c or -m. */
static bool is_dev_argument(const char **at, const char *end)
{
	const char *letter = *at + 1, *value;

	for (; *letter; letter++) {
		if (*letter != 'X' && *letter != 'W')
			continue;
		value = letter + 1;
		if (!*value && value + 1 < end)
			*at = ++value;
		return *letter == 'X' && !strcmp(value, "dev");
	}
	return false;
}

static bool is_last_argument(const char *at)
{
	return at[0] != '-' || !at[1] || at[1] == '-' ||
	       (!memchr(at, 'X', strlen(at)) && !memchr(at, 'W', strlen(at)) &&
		at[strcspn(at, "cm")]);
}

/* In this mode Python replaces its allocators by others, unless PYTHONMALLOC says otherwise. */
static bool is_development(void)
{
	static char arguments[ARGUMENTS_MAX + 1];
	const char *mode = getenv("PYTHONDEVMODE"), *at, *end;

	if (mode && *mode)
		return true;
	end = arguments + seep_process_arguments(arguments, ARGUMENTS_MAX);
	at = arguments + strlen(arguments) + 1;
	for (; at < end && !is_last_argument(at); at += strlen(at) + 1)
		if (is_dev_argument(&at, end))
			return true;
	return false;
}

/* The reason, and what follows from it. */
static void word(char *text, size_t room, const char *why, const char *result)
{
	size_t n = strlen(why), more = strlen(result) + 1;

	if (n + more > room)
		n = room - more;
	memcpy(text, why, n);
	memcpy(text + n, result, more);
}

bool seep_pymem_decide(char *text, size_t room)
{
	const char *value = getenv("PYTHONMALLOC");
	enum seep_real_pymem_found found;
	char why[WHY_MAX] = "";

	/* Set by the user, or pools are to be kept. */
	if (!seep_env_is_set("SEEP_PYTHONMALLOC") || (value && strcmp(value, "malloc") != 0))
		return false;
	found = seep_real_pymem_find(why, sizeof(why));
	if (found == SEEP_PYMEM_HOOKABLE && is_development()) {
		found = SEEP_PYMEM_REFUSED;
		word(why, sizeof(why), "Python's development mode has its own allocator", "");
	}
	seep_real_pymem_on = found == SEEP_PYMEM_HOOKABLE;
	if (seep_real_pymem_on)
		seep_live_expect_pymem();
	is_fallback = found == SEEP_PYMEM_NONE || found == SEEP_PYMEM_REFUSED;
	is_barred = found == SEEP_PYMEM_BARRED;
	if (found == SEEP_PYMEM_REFUSED)
		word(text, room, why, ": its pools are turned off (PYTHONMALLOC=malloc)");
	else if (is_barred)
		word(text, room, why, ": memory in its own allocator is not tracked");
	else if (seep_real_pymem_on && !seep_real_pymem_tells())
		word(text, room, "Python reuses freed lists, dicts, tuples and floats: such a "
		     "block counts for the line that first allocated it; Python 3.13 avoids this",
		     "");
	else
		return false;
	return true;
}

void seep_pymem_begin(void)
{
	int guard = seep_guard;

	seep_guard = SEEP_GUARD_REAL;
	if (is_fallback)
		setenv("PYTHONMALLOC", "malloc", 0); /* a Python may have started us without */
	if (seep_real_pymem_on || is_barred)
		unsetenv("PYTHONMALLOC");
	if (seep_real_pymem_on)
		seep_pymem_put_in_front();
	seep_guard = guard;
}
