/* SPDX-License-Identifier: MIT */
/*
 * Finding the interpreter: an object that exports _PyRuntime, be it the program itself, a library,
 * or one that is loaded later.  Objects are looked at when their code first appears in a stack.
 *
 * The evaluator (_PyEval_EvalFrameDefault) may consist of two parts.  The compiler puts code that
 * seldom runs elsewhere, under a name that is not exported.  But the evaluator jumps there: it is
 * the code into whose middle the most jumps lead, outside its own.
 */
#include "record/heap/python/python.h"
#include "record/heap/python/python_code.h"
#include "record/heap/python/python_object.h"
#include "record/heap/stack/cfi.h"
#include "record/heap/stack/module.h"
#include "record/heap/stack/unwind.h"

#include "os/digits.h"
#include "record/recording.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define JUMPS_LEAST 3u     /* by chance there are none */
#define PARTS 32u          /* of other functions that seem to be jumped to */

static bool wanted;
static uint32_t looked = 1;  /* modules that were looked at */
static const char *refused;  /* why; NULL: no interpreter was */
static uint32_t hex_refused; /* the version of the one that was */
static uint32_t noted;       /* generation of the trace */

struct part {
	struct seep_python_range range;
	uint32_t jumps;
};

void seep_python_want(void)
{
	wanted = true;
}

/* Counts a jump to this address, if it leads into the middle of another piece of code. */
static void count_jump(struct part *parts, const void *eh_frame, uintptr_t to)
{
	struct seep_python_range range;
	uint32_t i;

	for (i = 0; i < PARTS && parts[i].jumps; i++)
		if (to - parts[i].range.start < parts[i].range.end - parts[i].range.start) {
			parts[i].jumps++;
			return;
		}
	if (i < PARTS && seep_cfi_range(eh_frame, to, &range.start, &range.end) &&
	    to != range.start) {
		parts[i].range = range;
		parts[i].jumps = 1;
	}
}

#ifdef __x86_64__
/* Looks for conditional jumps at each byte: what is not one leads nowhere in most cases. */
static void count_jumps(struct part *parts, const struct dl_find_object *found,
			const struct seep_python_range *eval)
{
	uintptr_t low = (uintptr_t)found->dlfo_map_start, high = (uintptr_t)found->dlfo_map_end;
	const unsigned char *at = (const unsigned char *)eval->start;
	const unsigned char *end = (const unsigned char *)eval->end - 6;

	for (; at < end; at++) {
		uintptr_t to;
		int32_t offset;

		if (at[0] != 0x0f || (at[1] & 0xf0) != 0x80)
			continue;
		memcpy(&offset, at + 2, sizeof(offset));
		to = (uintptr_t)at + 6 + (uintptr_t)(intptr_t)offset;
		if (to >= low && to < high && (to < eval->start || to >= eval->end))
			count_jump(parts, found->dlfo_eh_frame, to);
	}
}
#else
static void count_jumps(struct part *parts, const struct dl_find_object *found,
			const struct seep_python_range *eval)
{
	(void)parts, (void)found, (void)eval;
}
#endif

static bool find_eval(const struct dl_find_object *found, uintptr_t eval)
{
	struct seep_python_range *hot = &seep_python.eval[0];
	struct part parts[PARTS] = {{{0, 0}, 0}};
	const struct part *best = &parts[0];
	uint32_t i;

	if (!eval || !found->dlfo_eh_frame ||
	    !seep_cfi_range(found->dlfo_eh_frame, eval, &hot->start, &hot->end))
		return false;
	count_jumps(parts, found, hot);
	for (i = 1; i < PARTS; i++)
		if (parts[i].jumps > best->jumps)
			best = &parts[i];
	if (best->jumps >= JUMPS_LEAST)
		seep_python.eval[1] = best->range;
	return true;
}

static void *pointer_to(const struct link_map *object, const char *name)
{
	return (void *)seep_python_object_find(object, name);
}

/* As Py_Version, which is there since 3.11. */
static uint32_t find_version(const struct link_map *object)
{
	const unsigned long *constant = pointer_to(object, "Py_Version");
	void *function = pointer_to(object, "Py_GetVersion");
	const char *(*get_version)(void);
	const char *text;
	char *rest;
	long major;

	if (constant)
		return (uint32_t)*constant;
	if (!function)
		return 0;
	memcpy(&get_version, &function, sizeof(get_version));
	text = get_version();
	major = strtol(text, &rest, 10);
	return *rest == '.' ? (uint32_t)major << 24 | (uint32_t)strtol(rest + 1, NULL, 10) << 16
			    : (uint32_t)major << 24;
}

/* True: this is an interpreter, and its frames are read from now on, or never will be. */
static bool adopt(const struct dl_find_object *found)
{
	const struct link_map *object = found->dlfo_link_map;
	uintptr_t runtime = seep_python_object_find(object, "_PyRuntime"), eval;
	void *find_line = pointer_to(object, "PyCode_Addr2Line");
	const char *why;
	uint32_t hex;

	if (!runtime && seep_python_object_find(object, "rpython_startup_code")) {
		__atomic_store_n(&refused, "it is not CPython", __ATOMIC_RELEASE);
		return true;
	}
	if (!runtime)
		return false;
	hex = find_version(object);
	why = seep_python_layout_find(&seep_python.layout, hex, (const void *)runtime);
	eval = seep_python_object_find(object, "_PyEval_EvalFrameDefault");
	if (!why && (!find_line || !find_eval(found, eval)))
		why = "it was built without the symbols that are needed";
	if (why) {
		hex_refused = hex;
		__atomic_store_n(&refused, why, __ATOMIC_RELEASE);
		return true;
	}
	if (!seep_python_code_init())
		return true;
	seep_python.runtime = (const unsigned char *)runtime;
	seep_python.code_type = seep_python_object_find(object, "PyCode_Type");
	seep_python.type_type = seep_python_object_find(object, "PyType_Type");
	memcpy(&seep_python.find_line, &find_line, sizeof(find_line));
	__atomic_store_n(&seep_python_on, 1, __ATOMIC_RELEASE);
	seep_unwind_begin_epoch(); /* what was captured so far is without Python frames */
	return true;
}

void seep_python_look(void)
{
	static uint32_t busy;
	struct dl_find_object found;
	uint32_t n = seep_module_count();

	if (!wanted || looked >= n || __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		return;
	for (; looked < n && wanted; looked++)
		if (!_dl_find_object((void *)seep_module_start(looked), &found) && adopt(&found))
			wanted = false;
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

void seep_python_unloaded(void)
{
	struct dl_find_object found;

	if (seep_python_is_on() &&
	    (_dl_find_object((void *)seep_python.eval[0].start, &found) ||
	     seep_python_object_find(found.dlfo_link_map, "_PyRuntime") !=
		     (uintptr_t)seep_python.runtime))
		__atomic_store_n(&seep_python_on, 0, __ATOMIC_RELEASE);
}

/* "Python 3.14" or "PyPy". */
static void append_name(char *text)
{
	static const char pypy[] = "PyPy", python[] = "Python ";

	if (!hex_refused) {
		memcpy(text + strlen(text), pypy, sizeof(pypy));
		return;
	}
	memcpy(text + strlen(text), python, sizeof(python));
	seep_digits_append(text, hex_refused >> 24);
	memcpy(text + strlen(text), ".", 2);
	seep_digits_append(text, hex_refused >> 16 & 0xff);
}

static void note_refused(void)
{
	static const char middle[] = " are not shown: ";
	const char *why = __atomic_load_n(&refused, __ATOMIC_ACQUIRE);
	char text[160] = "the frames of ";

	if (!why || noted == seep_recording_generation())
		return;
	noted = seep_recording_generation();
	append_name(text);
	memcpy(text + strlen(text), middle, sizeof(middle));
	memcpy(text + strlen(text), why, strlen(why) + 1);
	seep_recording_note(text, SEEP_NOTE_INFO);
}

/* Before 3.12. */
static void note_hidden(void)
{
	static uint32_t noted_hidden;

	if (!__atomic_load_n(&seep_python_hidden, __ATOMIC_RELAXED) ||
	    noted_hidden == seep_recording_generation())
		return;
	noted_hidden = seep_recording_generation();
	seep_recording_note("while the program had sub-interpreters, the frames of Python are not "
			    "shown: that needs Python 3.12", SEEP_NOTE_INFO);
}

void seep_python_note(void)
{
	note_refused();
	note_hidden();
}
