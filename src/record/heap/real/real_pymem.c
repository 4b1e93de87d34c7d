/* SPDX-License-Identifier: MIT */
#include "record/heap/real/real_pymem.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct seep_real_pymem seep_real_pymem[SEEP_PYMEM_DOMAINS];
struct seep_real_arenas seep_real_arenas;
bool seep_real_pymem_on;
int64_t seep_real_arena_bytes;

static struct {
	void (*get)(int domain, struct seep_real_pymem *allocator);
	void (*set)(int domain, struct seep_real_pymem *allocator);
	void (*get_arenas)(struct seep_real_arenas *arenas);
	void (*set_arenas)(struct seep_real_arenas *arenas);
	const char *(*version)(void);
	int (*set_tracer)(seep_real_pymem_tracer *tracer, void *data);
} api;

/* Types with free lists, and how many bytes for the collector are before their objects. */
static struct type {
	const char *name;
	uintptr_t head_bytes;
	const void *at;
} types[] = {
	{"PyList_Type", 16, NULL}, {"PyDict_Type", 16, NULL}, {"PyTuple_Type", 16, NULL},
	{"PyFloat_Type", 0, NULL}, {"PySlice_Type", 16, NULL},
};

#define TYPES (sizeof(types) / sizeof(types[0]))
#define TYPE_WORD 1 /* of an object: its reference count, its type */

#define LOOK_UP(field, name) (*(void **)(void *)&api.field = dlsym(RTLD_DEFAULT, name))

static void append(char *text, size_t room, const char *more, size_t n)
{
	size_t used = strlen(text);

	if (used + 1 >= room)
		return;
	if (n > room - 1 - used)
		n = room - 1 - used;
	memcpy(text + used, more, n);
	text[used + n] = 0;
}

static void say(char *why, size_t room, const char *text)
{
	append(why, room, text, strlen(text));
}

/* "3.11.2 (main, ...) [GCC ...]": 11; -1 if it is not such a version. */
static int minor_of(const char *version)
{
	return strncmp(version, "3.", 2) ? -1 : (int)strtol(version + 2, NULL, 10);
}

static bool is_known(const char *version, char *why, size_t room)
{
	int minor = minor_of(version);

	if (minor >= SEEP_PYMEM_MINOR_FIRST && minor <= SEEP_PYMEM_MINOR_LAST)
		return true;
	say(why, room, "Python ");
	append(why, room, version, strcspn(version, " "));
	say(why, room, " is not known to this version of seep");
	return false;
}

static bool look_up(void)
{
	return LOOK_UP(get, "PyMem_GetAllocator") && LOOK_UP(set, "PyMem_SetAllocator") &&
	       LOOK_UP(get_arenas, "PyObject_GetArenaAllocator") &&
	       LOOK_UP(set_arenas, "PyObject_SetArenaAllocator");
}

enum seep_real_pymem_found seep_real_pymem_find(char *why, size_t room)
{
	int domain;

	why[0] = 0;
	if (!dlsym(RTLD_DEFAULT, "_PyRuntime") || !LOOK_UP(version, "Py_GetVersion"))
		return SEEP_PYMEM_NONE;
	if (strstr(api.version(), "free-threading")) {
		say(why, room, "this Python is a free-threaded build");
		return SEEP_PYMEM_BARRED;
	}
	if (!is_known(api.version(), why, room))
		return SEEP_PYMEM_REFUSED;
	if (!look_up()) {
		say(why, room, "this Python does not export the functions that set its allocator");
		return SEEP_PYMEM_REFUSED;
	}
	for (domain = 1; domain < SEEP_PYMEM_DOMAINS; domain++) {
		api.get(domain, &seep_real_pymem[domain]);
		if (!seep_real_pymem[domain].context)
			continue;
		/* The allocators of release builds have no context; those for debugging do. */
		say(why, room, "this Python is a debug build, or its allocator was replaced");
		return SEEP_PYMEM_REFUSED;
	}
	api.get_arenas(&seep_real_arenas);
	return SEEP_PYMEM_HOOKABLE;
}

void seep_real_pymem_replace(const struct seep_real_pymem *domains,
			     const struct seep_real_arenas *arenas)
{
	struct seep_real_arenas ours = *arenas;
	int domain;

	api.set_arenas(&ours);
	for (domain = 1; domain < SEEP_PYMEM_DOMAINS; domain++) {
		struct seep_real_pymem functions = domains[domain];

		api.set(domain, &functions);
	}
}

bool seep_real_pymem_tells(void)
{
	return LOOK_UP(set_tracer, "PyRefTracer_SetTracer");
}

void seep_real_pymem_trace(seep_real_pymem_tracer *tracer)
{
	size_t i;

	if (!api.set_tracer)
		return;
	for (i = 0; i < TYPES; i++)
		types[i].at = dlsym(RTLD_DEFAULT, types[i].name);
	api.set_tracer(tracer, NULL);
}

const void *seep_real_pymem_reusable(const void *object)
{
	const void *type = ((const void *const *)object)[TYPE_WORD];
	size_t i;

	for (i = 0; i < TYPES; i++)
		if (types[i].at == type)
			return (const char *)object - types[i].head_bytes;
	return NULL;
}
