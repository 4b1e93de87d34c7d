/* SPDX-License-Identifier: MIT */
#include "record/heap/python/python_code.h"

#include "os/lock.h"
#include "os/mmap.h"
#include "os/process.h"
#include "os/statm.h"
#include "record/heap/python/python.h"
#include "record/heap/python/python_text.h"
#include "record/heap/stack/intern.h"
#include "record/heap/stack/pairs.h"
#include "record/recording.h"

#include <string.h>

#define FUNCTIONS_MAX ((uint32_t)1 << 18)
#define LINES_MAX ((uint32_t)1 << 20)
#define MET_MAX 32768u    /* code objects at addresses that are known, in sets of MET_SET */
#define MET_SET 8u
#define NEW_MAX 256u
#define TABLES_BYTES ((uint64_t)64 << 20) /* address space of all of them, about */
#define BATCH 512u
#define HIDDEN UINT32_MAX /* instead of a function */

/* A code object at an address, and which function it is. */
struct met {
	uintptr_t code;
	uint32_t function;
};

/* Functions: a is file << 32 | name, b the first line.  Lines: a is the function, b the line. */
static struct seep_intern functions;
static struct seep_pairs lines;

static struct {
	struct seep_lock lock;
	struct met *met;         /* by address */
	uint32_t next;           /* which of a full set goes next */
	uintptr_t new[NEW_MAX];  /* not yet taken */
	uint32_t n_new;
} table;

static struct {
	uint32_t functions, lines; /* already in the trace */
	uint32_t generation;
} done;

bool seep_python_code_init(void)
{
	/* As in start_init.c: the program needs what the limit leaves. */
	if (seep_statm_address_left() / 4 < TABLES_BYTES)
		return false;
	table.met = seep_mmap_new(MET_MAX * sizeof(*table.met));
	return table.met && seep_python_text_init() &&
	       seep_intern_init(&functions, FUNCTIONS_MAX) && seep_pairs_init(&lines, LINES_MAX);
}

static struct met *set_of(uintptr_t code)
{
	_Static_assert(MET_MAX / MET_SET == 1 << (64 - 52), "as many as are found");
	return &table.met[((uint64_t)(code / 16) * 0x9e3779b97f4a7c15u >> 52) * MET_SET];
}

static struct met *find_met(uintptr_t code)
{
	struct met *met = set_of(code), *end = met + MET_SET;

	while (met < end && __atomic_load_n(&met->code, __ATOMIC_RELAXED) != code)
		met++;
	return met < end ? met : NULL;
}

/* A code object that is being freed has no references left, and perhaps no names and lines. */
static bool is_alive(uintptr_t code)
{
	uintptr_t head[2];

	return seep_process_peek(code, head, sizeof(head)) && head[0] &&
	       (!seep_python.code_type || head[1] == seep_python.code_type);
}

/*
 * The function of a code object.  From 3.12 on, a call of a class has a frame of the interpreter's
 * own around __init__, which tracebacks hide.  Its code object has one text as name and as file.
 */
static uint32_t read_function(uintptr_t code)
{
	const struct seep_python_layout *layout = &seep_python.layout;
	uintptr_t file, name;
	uint32_t first_line, file_text, name_text;

	if (!seep_process_peek(code + layout->file, &file, sizeof(file)) ||
	    !seep_process_peek(code + layout->function, &name, sizeof(name)) ||
	    !seep_process_peek(code + layout->first_line, &first_line, sizeof(first_line)))
		return 0;
	if (file == name)
		return HIDDEN;
	file_text = seep_python_text_add(file);
	name_text = seep_python_text_add(name);
	if (!file_text || !name_text)
		return 0;
	return seep_intern_add(&functions, (uint64_t)file_text << 32 | name_text, first_line, 0);
}

/*
 * Under the lock.  When one that has no place any more is freed, that is not noticed.  So what is
 * known of it must be forgotten now.
 */
static void meet(uintptr_t code, uint32_t function)
{
	struct met *set = set_of(code), *met = set, *end = set + MET_SET;

	while (met < end && met->code)
		met++;
	if (met == end) {
		met = set + table.next++ % MET_SET;
		seep_python_forget(met->code);
	}
	met->function = function;
	__atomic_store_n(&met->code, code, __ATOMIC_RELAXED);
	if (table.n_new < NEW_MAX)
		table.new[table.n_new++] = code;
}

static uint32_t find_function(uintptr_t code)
{
	const struct met *met;
	uint32_t function;

	seep_lock_take(&table.lock);
	met = find_met(code);
	function = met ? met->function : 0;
	if (!function) {
		function = read_function(code);
		if (function)
			meet(code, function);
	}
	seep_lock_give(&table.lock);
	return function;
}

/* Bytes from the first instruction to the current one; before it in a frame that is just begun. */
static int64_t find_offset(uintptr_t code, uintptr_t frame)
{
	const struct seep_python_layout *layout = &seep_python.layout;

	if (layout->lasti_bytes)
		return (int64_t)*(const int32_t *)(frame + layout->spot) * layout->lasti_bytes;
	return (int64_t)(seep_python_word(frame, layout->spot) - code - layout->instructions);
}

uint64_t seep_python_code_pc(uintptr_t frame)
{
	uintptr_t code = seep_python_word(frame, seep_python.layout.code);
	uint32_t function = is_alive(code) ? find_function(code) : 0, line;
	int64_t offset;
	int found;

	if (!function || function == HIDDEN)
		return function ? SEEP_PYTHON_HIDDEN : 0;
	offset = find_offset(code, frame);
	/* Only looks into a table of the code object: takes no lock and allocates nothing. */
	found = seep_python.find_line((void *)code, offset >= 0 && offset < INT32_MAX
						    ? (int)offset : -1);
	line = seep_pairs_add(&lines, function, found > 0 ? (uint32_t)found : 0);
	return line ? SEEP_PC_NAMED + line : 0;
}

uintptr_t seep_python_code_take_new(void)
{
	uintptr_t code = 0;

	if (!__atomic_load_n(&table.n_new, __ATOMIC_RELAXED))
		return 0;
	seep_lock_take(&table.lock);
	if (table.n_new)
		code = table.new[--table.n_new];
	seep_lock_give(&table.lock);
	return code;
}

bool seep_python_code_is_met(uintptr_t code)
{
	return table.met && find_met(code);
}

void seep_python_code_freed(uintptr_t code)
{
	struct met *met;

	seep_lock_take(&table.lock);
	met = find_met(code);
	if (met)
		__atomic_store_n(&met->code, 0, __ATOMIC_RELAXED);
	seep_lock_give(&table.lock);
	seep_python_forget(code);
}

static void write_function(uint32_t id)
{
	const struct seep_intern_item *item = &functions.items[id];
	struct seep_python_text file = seep_python_text_get((uint32_t)(item->a >> 32));
	struct seep_python_text name = seep_python_text_get((uint32_t)item->a);
	struct seep_rec_function record = {
		.id = id,
		.first_line = (uint32_t)item->b,
		.name_bytes = name.bytes,
		.file_bytes = file.bytes,
	};
	static char letters[2 * SEEP_PYTHON_TEXT_MAX];

	memcpy(letters, name.letters, name.bytes);
	memcpy(letters + name.bytes, file.letters, file.bytes);
	seep_recording_write(SEEP_REC_FUNCTION, 0, &record, sizeof(record), letters,
			     name.bytes + file.bytes);
}

static void write_lines(uint32_t n)
{
	static struct seep_rec_line batch[BATCH];

	while (done.lines < n) {
		struct seep_rec_lines head = {.first = done.lines};

		for (; head.count < BATCH && done.lines < n; head.count++, done.lines++) {
			batch[head.count].function = lines.items[done.lines].a;
			batch[head.count].line = lines.items[done.lines].b;
		}
		seep_recording_write(SEEP_REC_LINES, 0, &head, sizeof(head), batch,
				     head.count * sizeof(batch[0]));
	}
}

void seep_python_code_write_new(void)
{
	uint32_t n_lines = table.met ? seep_pairs_count(&lines) : 1, n_functions;

	if (done.generation != seep_recording_generation())
		done.functions = done.lines = 1;
	done.generation = seep_recording_generation();
	/* After the lines were counted: each of them has its function by now. */
	n_functions = table.met ? seep_intern_count(&functions) : 1;
	while (done.functions < n_functions)
		write_function(done.functions++);
	write_lines(n_lines);
}

uint64_t seep_python_code_own_bytes(void)
{
	if (!table.met)
		return 0;
	return seep_intern_own_bytes(&functions) + seep_pairs_own_bytes(&lines) +
	       seep_python_text_own_bytes() + MET_MAX * sizeof(*table.met);
}

void seep_python_code_forked(void)
{
	seep_lock_renew(&table.lock);
	seep_lock_renew(&functions.lock);
	seep_lock_renew(&lines.lock);
	seep_python_text_forked();
}
