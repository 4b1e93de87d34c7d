/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pc is looked up once per module and then kept in a map.  Names come from the trace, if seep run
 * or seep pack has stored them there; else from DWARF, else from the symbol table, else they are
 * "module+0x...".  Stored names without a line give way to what DWARF says, as debug information
 * may have been installed since.  Which frame is the program's own is decided for each stack.
 */
#include "model/symbols/symbols.h"

#include "base/hash_map.h"
#include "base/table.h"
#include "model/symbols/symbols_file.h"
#include "model/symbols/symbols_python.h"
#include "os/base_name.h"

#include <inttypes.h>
#include <string.h>

/* The frames of one pc: a function and the functions inlined into it. */
struct frames {
	size_t n;
	struct seep_frame items[];
};

struct module {
	const struct seep_module *recorded;
	const char *name;        /* file name without the folder; NULL: no module */
	struct seep_hash_map pcs;     /* struct frames */
	struct seep_hash_map stored;  /* const struct seep_stored_address, by pc */
	bool tried;
	bool missed;             /* a name was needed from the file, which is not available */
	bool noted;
	Dwfl *dwfl;              /* NULL: the file is not available */
	Dwfl_Module *file;       /* the module in dwfl */
	struct seep_symbols_dwarf *dwarf; /* NULL: no debug information */
	struct seep_symbols_elf *elf;
};

struct seep_symbols {
	struct seep_arena *arena;
	int64_t started_real_ns;
	struct module *modules;  /* [0] is for pcs in no module */
	size_t n_modules;
	struct seep_table found; /* struct seep_symbols_found */
};

static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

/* Names of C++ may be mangled; those of other languages stay as they are. */
static const char *name_known(struct seep_symbols *symbols, const struct seep_named_frame *known)
{
	if (!known->function[0])
		return "(unknown)";
	if (strcmp(known->language, "c"))
		return known->function;
	return seep_symbols_name_show(known->function, symbols->arena);
}

static void put_known(struct seep_symbols *symbols, const struct seep_named_frame *known)
{
	struct frames *frames = seep_arena_alloc(symbols->arena,
						 sizeof(*frames) + sizeof(frames->items[0]));

	frames->n = 1;
	frames->items[0] = (struct seep_frame){
		.function = name_known(symbols, known),
		.file = or_null(known->file),
		.module = or_null(seep_base_name(known->module)),
		.language = known->language,
		.line = known->line,
	};
	seep_hash_map_put(&symbols->modules[0].pcs, known->pc, frames);
}

struct seep_symbols *seep_symbols_open(const struct seep_run *run, struct seep_arena *arena)
{
	struct seep_symbols *symbols = seep_arena_alloc(arena, sizeof(*symbols));
	size_t i;

	symbols->arena = arena;
	symbols->started_real_ns = run->started_real_ns;
	symbols->n_modules = run->n_modules ? run->n_modules : 1;
	symbols->modules = seep_arena_array(arena, symbols->n_modules, sizeof(*symbols->modules));
	symbols->found = SEEP_TABLE(arena, struct seep_symbols_found);
	for (i = 0; i < symbols->n_modules; i++) {
		struct module *module = &symbols->modules[i];

		seep_hash_map_init(&module->pcs, arena);
		seep_hash_map_init(&module->stored, arena);
		if (i && run->modules[i].path && run->modules[i].path[0]) {
			module->recorded = &run->modules[i];
			module->name = seep_base_name(run->modules[i].path);
		}
	}
	for (i = 0; i < run->n_known_frames; i++)
		put_known(symbols, &run->known_frames[i]);
	for (i = 0; i < run->n_stored; i++) {
		struct seep_stored_address *stored = &run->stored[i];

		if (stored->module < symbols->n_modules)
			seep_hash_map_put(&symbols->modules[stored->module].stored, stored->pc,
					  stored);
	}
	return symbols;
}

void seep_symbols_close(struct seep_symbols *symbols)
{
	size_t i;

	for (i = 0; symbols && i < symbols->n_modules; i++) {
		if (symbols->modules[i].dwfl)
			dwfl_end(symbols->modules[i].dwfl);
		symbols->modules[i].dwfl = NULL;
	}
}

static void open_module(struct seep_symbols *symbols, struct module *module)
{
	module->tried = true;
	if (!module->recorded)
		return;
	module->dwfl = seep_symbols_file_open(module->recorded, symbols->started_real_ns,
					      &module->file);
	if (!module->dwfl)
		return;
	module->dwarf = seep_symbols_dwarf_open(module->file, symbols->arena);
	module->elf = seep_symbols_elf_open(module->file, symbols->arena);
}

static const char *name_special(uint64_t pc)
{
	switch (pc) {
	case 0:
		return "(unknown)";
	case SEEP_PC_CUT:
		return "(deeper)";
	case SEEP_PC_LOST:
		return "(no unwind rule)";
	default:
		return NULL;
	}
}

/* The last resort: the name is the module and the address in its file, or only the address. */
static const char *name_address(struct seep_symbols *symbols, const struct module *module,
				uint64_t pc)
{
	const struct seep_module *recorded = module->recorded;

	if (!recorded || recorded->path[0] != '/')
		return seep_arena_printf(symbols->arena, "0x%" PRIx64, pc);
	return seep_arena_printf(symbols->arena, "%s+0x%" PRIx64, module->name,
				 pc - recorded->bias);
}

/* Looks up a pc in a module with a file.  A return address is the one after the call. */
static size_t look_up(struct seep_symbols *symbols, struct module *module, uint64_t pc,
		      struct seep_frame *frames)
{
	uint64_t address = pc - 1 - module->recorded->bias;
	const char *symbol = seep_symbols_elf_name(module->elf, address);
	size_t n = 0;

	if (module->dwarf)
		n = seep_symbols_dwarf_frames(module->dwarf, address, symbol, frames);
	if (!n)
		n = 1;
	if (!frames[n - 1].function && symbol)
		frames[n - 1].function = seep_symbols_name_show(symbol, symbols->arena);
	return n;
}

/* The names in the trace: 0 if it has none for this pc, else the number of frames. */
static size_t take_stored(const struct seep_stored_address *stored, struct seep_frame *frames)
{
	size_t n = !stored ? 0 : stored->n_frames <= SEEP_SYMBOLS_INLINES_MAX
			   ? stored->n_frames : SEEP_SYMBOLS_INLINES_MAX + 1;

	for (size_t i = 0; i < n; i++)
		frames[i] = (struct seep_frame){
			.function = stored->frames[i].function,
			.file = stored->frames[i].file,
			.directory = stored->frames[i].directory,
			.line = stored->frames[i].line,
			.inlined = i + 1 < n,
		};
	return n;
}

static bool has_line(const struct seep_frame *frames, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (frames[i].file)
			return true;
	return false;
}

/* Remembers what the trace does not have yet. */
static void add_found(struct seep_symbols *symbols, const struct module *module, uint64_t pc,
		      const struct seep_frame *frames, size_t n)
{
	struct seep_symbols_found *found = seep_table_add(&symbols->found);
	struct seep_frame *copy = seep_arena_array(symbols->arena, n, sizeof(*copy));

	memcpy(copy, frames, n * sizeof(*copy));
	*found = (struct seep_symbols_found){ pc, (uint32_t)(module - symbols->modules), copy, n };
}

/* Fills in the frames of an address as far as they have names; returns how many there are. */
static size_t find_names(struct seep_symbols *symbols, struct module *module, uint64_t pc,
			 struct seep_frame *frames)
{
	size_t n = take_stored(seep_hash_map_get(&module->stored, pc), frames), n_better;
	struct seep_frame better[SEEP_SYMBOLS_INLINES_MAX + 1] = { { 0 } };

	if (n && has_line(frames, n))
		return n;
	if (!module->tried)
		open_module(symbols, module);
	if (!module->dwfl) {
		module->missed = module->missed || !n;
		return n ? n : 1;
	}
	n_better = look_up(symbols, module, pc, better);
	if (n && !has_line(better, n_better))
		return n;
	memcpy(frames, better, n_better * sizeof(*frames));
	add_found(symbols, module, pc, frames, n_better);
	return n_better;
}

static struct frames *resolve_pc(struct seep_symbols *symbols, struct module *module, uint64_t pc)
{
	struct seep_frame found[SEEP_SYMBOLS_INLINES_MAX + 1] = { { 0 } };
	struct frames *frames;
	size_t n = 1, i;

	found[0].function = name_special(pc);
	if (!found[0].function) {
		n = find_names(symbols, module, pc, found);
		for (i = 0; i < n; i++)
			found[i].module = module->name;
	}
	frames = seep_arena_alloc(symbols->arena, sizeof(*frames) + n * sizeof(found[0]));
	frames->n = n;
	for (i = 0; i < n; i++) {
		if (!found[i].function)
			found[i].function = name_address(symbols, module, pc);
		found[i].language = "c";
		frames->items[i] = found[i];
	}
	return frames;
}

static const struct frames *get_frames(struct seep_symbols *symbols,
				       const struct seep_stack *stack, size_t i)
{
	size_t id = stack->modules ? stack->modules[i] : 0;
	struct module *module = &symbols->modules[id < symbols->n_modules ? id : 0];
	struct frames *frames = seep_hash_map_get(&module->pcs, stack->pcs[i]);

	if (!frames) {
		frames = resolve_pc(symbols, module, stack->pcs[i]);
		seep_hash_map_put(&module->pcs, stack->pcs[i], frames);
	}
	return frames;
}

/* The name is like "libx.so+0x1234": only the address is known. */
static bool is_nameless(const struct seep_frame *frame)
{
	size_t n = frame->module ? strlen(frame->module) : 0;

	return n && !strncmp(frame->function, frame->module, n) && frame->function[n] == '+';
}

/* Whether the frames from i on have no names and lead to an allocator in their own module. */
static bool serves_allocator(const struct seep_stack *stack, size_t i)
{
	const struct seep_frame *frames = stack->frames;
	size_t k = i;

	while (k < stack->n_frames && is_nameless(&frames[k]))
		k++;
	return k > i && k < stack->n_frames && frames[k].module &&
	       !strcmp(frames[k].module, frames[i].module) &&
	       seep_symbols_name_is_library(&frames[k]);
}

static size_t find_own_native(const struct seep_stack *stack)
{
	size_t i;

	for (i = 0; i < stack->n_frames; i++)
		if (!seep_symbols_name_is_library(&stack->frames[i]) && !serves_allocator(stack, i))
			return i;
	return 0;
}

/* With Python frames it is the innermost of these that is the most the user's own. */
static size_t find_own_frame(const struct seep_stack *stack)
{
	enum seep_symbols_owner best = SEEP_SYMBOLS_NOT_PYTHON;
	size_t own = 0, i;

	for (i = 0; i < stack->n_frames && best < SEEP_SYMBOLS_USER; i++) {
		enum seep_symbols_owner owner = seep_symbols_python_owner(&stack->frames[i]);

		if (owner > best) {
			best = owner;
			own = i;
		}
	}
	return best ? own : find_own_native(stack);
}

/* Gives an empty stack one frame, so that callers may always use the first one. */
static void fill_empty(struct seep_symbols *symbols, struct seep_stack *stack)
{
	stack->frames = seep_arena_alloc(symbols->arena, sizeof(*stack->frames));
	stack->frames[0] = (struct seep_frame){ .function = "(no stack)", .language = "c" };
	stack->n_frames = 1;
}

void seep_symbols_resolve(struct seep_symbols *symbols, struct seep_stack *stack)
{
	size_t i, n = 0;

	if (stack->frames)
		return;
	if (!stack->n_pcs) {
		fill_empty(symbols, stack);
		return;
	}
	for (i = 0; i < stack->n_pcs; i++)
		n += get_frames(symbols, stack, i)->n;
	stack->frames = seep_arena_array(symbols->arena, n, sizeof(*stack->frames));
	for (i = 0; i < stack->n_pcs; i++) {
		const struct frames *frames = get_frames(symbols, stack, i);

		memcpy(stack->frames + stack->n_frames, frames->items,
		       frames->n * sizeof(*stack->frames));
		stack->n_frames += frames->n;
	}
	stack->own_frame = find_own_frame(stack);
}

/* Two modules may be the same file, loaded twice. */
static bool has_note(const struct seep_run *run, const char *text)
{
	for (size_t i = 0; i < run->n_notes; i++)
		if (!strcmp(run->notes[i], text))
			return true;
	return false;
}

static void add_note(struct seep_symbols *symbols, struct seep_run *run, const char *text)
{
	const char **notes;

	if (has_note(run, text))
		return;
	notes = seep_arena_array(symbols->arena, run->n_notes + 1, sizeof(*notes));
	if (run->n_notes)
		memcpy(notes, run->notes, run->n_notes * sizeof(*notes));
	notes[run->n_notes++] = text;
	run->notes = notes;
}

void seep_symbols_note(struct seep_symbols *symbols, struct seep_run *run)
{
	for (size_t i = 1; i < symbols->n_modules; i++) {
		struct module *module = &symbols->modules[i];

		if (!module->missed || module->noted || !module->recorded ||
		    module->recorded->path[0] != '/')
			continue;
		module->noted = true;
		add_note(symbols, run, seep_arena_printf(
			symbols->arena, "%s %s after this run: its function names are not "
			"available", module->name, seep_symbols_file_fate(module->recorded)));
	}
}

const struct seep_symbols_found *seep_symbols_found(const struct seep_symbols *symbols, size_t *n)
{
	*n = symbols->found.n;
	return symbols->found.items;
}

void seep_symbols_locate(const struct seep_symbols *symbols, struct seep_run *run)
{
	for (size_t i = 1; i < symbols->n_modules && i < run->n_modules; i++) {
		const struct module *module = &symbols->modules[i];
		struct seep_module *to = &run->modules[i];
		uint64_t address, bytes, offset;

		if (!module->dwfl ||
		    !seep_symbols_file_text(module->file, &address, &bytes, &offset))
			continue;
		to->text_start = to->bias + address;
		to->text_end = to->text_start + bytes;
		to->text_offset = offset;
	}
}
