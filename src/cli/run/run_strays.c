/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cli/run/run_strays.h"
#include "os/base_name.h"
#include "os/tool/descendants.h"
#include "os/tool/object.h"
#include "render/safe.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define KIN_MAX 1024
#define LOOKS_SURE 2u /* at the first it may still be on its way through the loader */

static bool is_named(const char *names, const char *name)
{
	char copy[4096], *rest, *word;

	snprintf(copy, sizeof(copy), "%s", names);
	for (word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		if (!fnmatch(word, name, 0))
			return true;
	return false;
}

/* Why the tracker is not in it, or cannot reach the trace; NULL if it is and can. */
static const char *find_reason(const struct seep_descendants *kin)
{
	struct seep_object object;
	struct stat st;

	if (kin->other_root)
		return "another root directory";
	if (kin->other_user)
		return "another user";
	if (kin->has_library)
		return NULL;
	if (!stat(kin->open, &st) && (st.st_mode & (S_ISUID | S_ISGID)))
		return "setuid";
	if (!seep_object_inspect(&object, kin->open) && object.elf) {
		if (!object.own_class)
			return "built for a different architecture";
		if (!object.loadable)
			return "static";
		if (object.musl)
			return "musl";
	}
	return "its environment was cleared";
}

static struct seep_stray *find_seen(struct seep_strays *strays, pid_t pid, const char *name)
{
	struct seep_stray *stray;

	for (size_t i = 0; i < strays->n_seen; i++)
		if (strays->seen[i].pid == pid && !strcmp(strays->seen[i].name, name))
			return &strays->seen[i];
	if (strays->n_seen == SEEP_STRAYS_SEEN)
		return NULL;
	stray = &strays->seen[strays->n_seen++];
	stray->pid = pid;
	memcpy(stray->name, name, sizeof(stray->name));
	return stray;
}

static void look_at(struct seep_strays *strays, pid_t pid)
{
	struct seep_stray *stray;
	struct seep_descendants kin;
	const char *why;
	char name[sizeof(stray->name)];

	if (!seep_descendants_look(&kin, pid, strays->library))
		return;
	snprintf(name, sizeof(name), "%.63s", seep_base_name(kin.exe));
	why = is_named(strays->names, name) ? find_reason(&kin) : NULL;
	stray = why ? find_seen(strays, pid, name) : NULL;
	if (!stray)
		return;
	stray->why = why;
	stray->looks++;
}

void seep_strays_look(struct seep_strays *strays, pid_t pid, int64_t now_ns)
{
	pid_t pids[KIN_MAX];
	size_t n;

	if (!strays->names || now_ns < strays->due_ns)
		return;
	n = seep_descendants_find(pid, pids, KIN_MAX);
	for (size_t i = 0; i < n; i++)
		look_at(strays, pids[i]);
	strays->due_ns = now_ns + strays->period_ns;
}

/* Once per name and reason: workers come in dozens. */
static bool is_told(const struct seep_strays *strays, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strays->seen[j].looks >= LOOKS_SURE &&
		    strays->seen[j].why == strays->seen[i].why &&
		    !strcmp(strays->seen[j].name, strays->seen[i].name))
			return true;
	return false;
}

void seep_strays_tell(const struct seep_strays *strays)
{
	struct seep_arena arena;
	size_t n = 0, named = 0;

	for (size_t i = 0; i < strays->n_seen; i++)
		n += strays->seen[i].looks >= LOOKS_SURE;
	if (!n)
		return;
	seep_arena_init(&arena);
	fprintf(stderr, "  note    %zu not tracked: ", n);
	for (size_t i = 0; i < strays->n_seen && named < SEEP_STRAYS_NAMED; i++) {
		const struct seep_stray *stray = &strays->seen[i];

		if (stray->looks < LOOKS_SURE || is_told(strays, i))
			continue;
		fprintf(stderr, "%s%s (%s)", named ? ", " : "",
			seep_safe_text(&arena, stray->name), stray->why);
		named++;
	}
	fprintf(stderr, "%s\n", named == SEEP_STRAYS_NAMED ? ", ..." : "");
	seep_arena_release(&arena);
}
