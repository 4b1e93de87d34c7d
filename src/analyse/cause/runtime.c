/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/runtime.h"

#include "os/base_name.h"

#include <string.h>

static const struct seep_runtime runtimes[] = {
	{ SEEP_RUNTIME_NONE, NULL, NULL, NULL },
	{ SEEP_RUNTIME_PYTHON, "CPython", NULL, "tracemalloc" },
	{ SEEP_RUNTIME_JAVA, "the Java virtual machine", "the Java heap",
	  "jcmd PID GC.heap_dump FILE, and VM.native_memory" },
	{ SEEP_RUNTIME_V8, "V8", "the JavaScript heap",
	  "node --heapsnapshot-signal=SIGUSR2, read in a browser's developer tools" },
	{ SEEP_RUNTIME_PHP, "PHP", "the heap of PHP's own allocator",
	  "memory_get_usage(), or USE_ZEND_ALLOC=0 to make it use malloc" },
};

static const struct {
	const char *prefix;
	enum seep_runtime_kind kind;
} objects[] = {
	{ "libjvm.so", SEEP_RUNTIME_JAVA },
	{ "libnode.so", SEEP_RUNTIME_V8 },
	{ "nodejs", SEEP_RUNTIME_V8 },
	{ "libpython3", SEEP_RUNTIME_PYTHON },
	{ "python3", SEEP_RUNTIME_PYTHON },
	{ "libphp", SEEP_RUNTIME_PHP },
	{ "php", SEEP_RUNTIME_PHP },
};

static enum seep_runtime_kind kind_of(const char *path)
{
	const char *base = path ? seep_base_name(path) : "";
	size_t i;

	if (!strcmp(base, "node"))
		return SEEP_RUNTIME_V8;
	for (i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (!strncmp(base, objects[i].prefix, strlen(objects[i].prefix)) &&
		    !strstr(base, "cpython-")) /* an extension module of Python */
			return objects[i].kind;
	return SEEP_RUNTIME_NONE;
}

const struct seep_runtime *seep_runtime_find(const struct seep_run *run)
{
	enum seep_runtime_kind found = kind_of(run->exe);
	size_t i;

	for (i = 1; i < run->n_modules && !found; i++)
		found = kind_of(run->modules[i].path);
	return &runtimes[found];
}

/* By the two innermost frames: what an extension module makes has one of its own there. */
bool seep_runtime_allocates(const struct seep_run *run, const struct seep_site *site)
{
	const struct seep_stack *stack = &site->stack;
	size_t i;

	if (stack->n_pcs < 2)
		return false;
	for (i = 0; i < 2; i++)
		if (seep_run_is_python(run, stack->pcs[i]))
			continue; /* in place of the evaluator's own frame */
		else if (!stack->modules[i] || stack->modules[i] >= run->n_modules ||
		    !kind_of(run->modules[stack->modules[i]].path))
			return false;
	return true;
}
