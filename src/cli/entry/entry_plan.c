/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/entry/entry_plan.h"
#include "cli/entry/entry_find.h"
#include "cli/entry/entry_pool.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define LOADED "ld-linux-x86-64.so.2:_dl_debug_state" /* called by the loader, for debuggers */

struct plan {
	struct seep_entry_objects objects;
	struct seep_arena *arena;
	const char *text;
	size_t n;
	bool has_late;           /* an object that the program loads later */
};

static const char *hex(struct seep_arena *arena, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	char *text = seep_arena_alloc(arena, 2 * n + 1);

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = "0123456789abcdef"[at[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[at[i] & 15];
	}
	return text;
}

static void add_entry(struct plan *plan, const char *role, const char *name,
		      const struct seep_entry_copy *copy, const struct seep_entry_code *code)
{
	struct seep_arena *arena = plan->arena;
	const char *fixups = "";

	for (size_t i = 0; i < code->n_fixups; i++)
		fixups = seep_arena_printf(arena, "%s%s%c.%x.%x.%" PRIx64, fixups, i ? "+" : "",
					   code->fixups[i].kind, code->fixups[i].at,
					   code->fixups[i].end, code->fixups[i].target);
	plan->text = seep_arena_printf(arena, "%s%s%s,%s,%s,%" PRIx64 ",%s,%s,%s", plan->text,
				       plan->n ? ";" : "", role, hex(arena, name, strlen(name)),
				       copy->object->id, code->address,
				       hex(arena, code->bytes, code->n_bytes),
				       hex(arena, code->code, code->n_code), fixups);
	plan->n++;
	plan->has_late = plan->has_late || !copy->object->is_early;
}

static int add_copy(struct plan *plan, const struct seep_entry_wanted *wanted, const char *role,
		    const char *name, const struct seep_entry_copy *copy, struct seep_err *err)
{
	struct seep_entry_text text;
	struct seep_entry_code code;
	struct seep_entry_function function = {
		.address = copy->address, .size = copy->size, .next = copy->next,
	};
	const char *why;

	if (!seep_entry_object_text(copy->object, copy->address, &text))
		return seep_err_set(err, EINVAL, "%s%.200s: '%.100s' does not hold its code",
				    wanted->option, wanted->typed, copy->object->path);
	if (!function.next || function.next > text.address + text.n)
		function.next = text.address + text.n;
	why = seep_entry_decode(&text, &function, &code);
	if (why)
		return seep_err_set(err, ENOTSUP, "%s%.200s: the function %s; choose one "
				    "that it calls, or that calls it", wanted->option,
				    wanted->typed, why);
	if (plan->n == SEEP_ENTRY_MOST)
		return seep_err_set(err, E2BIG, "%s%.200s: at most %u functions, with all "
				    "copies that the compiler made of them", wanted->option,
				    wanted->typed, SEEP_ENTRY_MOST);
	add_entry(plan, role, name, copy, &code);
	return 0;
}

static bool is_pool(const struct seep_entry_wanted *wanted)
{
	return wanted->role == 'a' || wanted->role == 'f';
}

/* "a2", "a=40" and "f1", as in SEEP_ENTRY. */
static const char *pool_role(const struct seep_entry_wanted *wanted,
			     const struct seep_entry_pool *pool, struct seep_arena *arena)
{
	return pool->bytes ? seep_arena_printf(arena, "%c=%lx", wanted->role, pool->bytes)
			   : seep_arena_printf(arena, "%c%lx", wanted->role, pool->argument);
}

static int add_wanted(struct plan *plan, const struct seep_entry_wanted *wanted,
		      struct seep_err *err)
{
	struct seep_entry_pool pool = { .name = wanted->typed };
	const char *role = seep_arena_printf(plan->arena, "%c", wanted->role);
	struct seep_entry_found found;
	int rc = 0;

	if (is_pool(wanted))
		rc = seep_entry_pool_parse(&pool, wanted->option, wanted->typed, plan->arena, err);
	if (rc)
		return rc;
	rc = seep_entry_find(&plan->objects, wanted->option, pool.name, &found, err);
	for (size_t i = 0; i < found.n && !rc; i++) {
		if (is_pool(wanted)) {
			rc = seep_entry_pool_settle(&pool, wanted->option, wanted->role == 'a',
						    &found.copies[i], plan->arena, err);
			role = pool_role(wanted, &pool, plan->arena);
		}
		if (!rc)
			rc = add_copy(plan, wanted, role,
				      wanted->role == 's' ? found.name : wanted->typed,
				      &found.copies[i], err);
	}
	return rc;
}

int seep_entry_plan(const char *binary, const struct seep_entry_wanted *wanted, size_t n,
		    struct seep_arena *arena, const char **text, struct seep_err *err)
{
	static const struct seep_entry_wanted loaded = {
		.option = "--event fn:", .typed = LOADED, .role = 'l',
	};
	struct plan plan = { .arena = arena, .text = "" };
	int rc = 0;

	if (!n)
		return 0;
	seep_entry_objects_find(&plan.objects, binary, arena);
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_wanted(&plan, &wanted[i], err);
	if (!rc && plan.has_late)
		rc = add_wanted(&plan, &loaded, err);
	seep_entry_objects_release(&plan.objects);
	*text = plan.text;
	return rc;
}
