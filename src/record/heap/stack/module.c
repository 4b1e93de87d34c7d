/* SPDX-License-Identifier: MIT */
#include "record/heap/stack/module.h"

#include "os/lock.h"
#include "os/mmap.h"
#include "os/process.h"
#include "record/heap/stack/unwind.h"
#include "record/recording.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#define MODULES_MAX 4096u
#define TEXT_BYTES ((size_t)2 << 20)
#define PATH_BYTES 4096u
#define BUILD_ID_MAX 64u

struct module {
	uint64_t start, end, bias;
	uint32_t text;           /* build id, then path, in texts */
	uint32_t build_id_bytes;
	uint32_t path_bytes;
	uint32_t epoch;          /* when it was last known to be the object at this place */
};

static struct {
	struct seep_lock lock;
	struct module *modules;  /* modules[0] is unused */
	char *texts;
	size_t texts_used;
	uint32_t n;
	uint32_t written;
	uint32_t generation;
	char path[PATH_BYTES];
} table;

static const ElfW(Nhdr) *find_note(const char *at, const char *end)
{
	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
		const char *name = at + sizeof(*note);

		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(name, "GNU", 4))
			return note;
		at = name + ((note->n_namesz + 3u) & ~3u) + ((note->n_descsz + 3u) & ~3u);
	}
	return NULL;
}

/* Finds the build id through the ELF header; returns its length, 0 if there is none. */
static uint32_t find_build_id(const struct dl_find_object *found, const void **id)
{
	const ElfW(Ehdr) *elf = found->dlfo_map_start;
	const ElfW(Phdr) *segment;
	unsigned int i;

	if (memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_phentsize != sizeof(*segment) ||
	    elf->e_phoff > 4096 - sizeof(*segment))
		return 0;
	segment = (const ElfW(Phdr) *)(const void *)((const char *)elf + elf->e_phoff);
	for (i = 0; i < elf->e_phnum && i < 32; i++, segment++) {
		const char *notes = (const char *)found->dlfo_link_map->l_addr + segment->p_vaddr;
		const ElfW(Nhdr) *note;

		if (segment->p_type != PT_NOTE || notes < (const char *)found->dlfo_map_start ||
		    notes + segment->p_memsz > (const char *)found->dlfo_map_end)
			continue;
		note = find_note(notes, notes + segment->p_memsz);
		if (note && note->n_descsz <= BUILD_ID_MAX) {
			*id = (const char *)(note + 1) + 4;
			return note->n_descsz;
		}
	}
	return 0;
}

/*
 * Puts the path of the object into table.path; the link map has no name for the main program.
 * Where no system call may be made (os/silence.h), it may not be known.
 */
static size_t find_path(const struct link_map *map)
{
	if (!map->l_name || !map->l_name[0])
		return seep_process_exe(table.path, sizeof(table.path));
	if (!seep_process_absolute(map->l_name, table.path, sizeof(table.path)))
		table.path[0] = '\0';
	return strlen(table.path);
}

static bool is_same(const struct module *module, const struct dl_find_object *found,
		    const void *build_id, uint32_t build_id_bytes, size_t path_bytes)
{
	const char *text = table.texts + module->text;

	return module->start == (uintptr_t)found->dlfo_map_start &&
	       module->end == (uintptr_t)found->dlfo_map_end &&
	       module->build_id_bytes == build_id_bytes &&
	       (!build_id_bytes || !memcmp(text, build_id, build_id_bytes)) &&
	       (!path_bytes || (module->path_bytes == path_bytes &&
				!memcmp(text + build_id_bytes, table.path, path_bytes)));
}

static uint32_t add(const struct dl_find_object *found, const void *build_id,
		    uint32_t build_id_bytes, size_t path_bytes)
{
	struct module *module = &table.modules[table.n];
	char *text = table.texts + table.texts_used;

	if (table.n == MODULES_MAX || table.texts_used + build_id_bytes + path_bytes > TEXT_BYTES)
		return 0;
	module->start = (uintptr_t)found->dlfo_map_start;
	module->end = (uintptr_t)found->dlfo_map_end;
	module->bias = found->dlfo_link_map->l_addr;
	module->text = (uint32_t)table.texts_used;
	module->build_id_bytes = build_id_bytes;
	module->path_bytes = (uint32_t)path_bytes;
	if (build_id_bytes)
		memcpy(text, build_id, build_id_bytes);
	memcpy(text + build_id_bytes, table.path, path_bytes);
	table.texts_used += build_id_bytes + path_bytes;
	__atomic_store_n(&table.n, table.n + 1, __ATOMIC_RELEASE);
	return table.n - 1;
}

static bool make_table(void)
{
	if (table.texts)
		return true;
	table.modules = seep_mmap_new(MODULES_MAX * sizeof(*table.modules));
	table.texts = seep_mmap_new(TEXT_BYTES);
	table.n = 1;
	table.written = 1;
	return table.modules && table.texts;
}

/* Compares paths and build ids, which is needed only once after each unloading. */
static uint32_t identify(const struct dl_find_object *found)
{
	const void *build_id = NULL;
	uint32_t build_id_bytes = find_build_id(found, &build_id), id;
	size_t path_bytes = find_path(found->dlfo_link_map);

	for (id = table.n - 1; id; id--)
		if (is_same(&table.modules[id], found, build_id, build_id_bytes, path_bytes))
			return id;
	return add(found, build_id, build_id_bytes, path_bytes);
}

static uint32_t find_seen(const struct dl_find_object *found, uint32_t epoch)
{
	uint32_t id;

	for (id = table.n - 1; id; id--) {
		const struct module *module = &table.modules[id];

		if (module->epoch == epoch && module->start == (uintptr_t)found->dlfo_map_start &&
		    module->end == (uintptr_t)found->dlfo_map_end)
			return id;
	}
	return 0;
}

uint32_t seep_module_id(const struct dl_find_object *found, uint32_t epoch)
{
	uint32_t id = 0;

	seep_lock_take(&table.lock);
	if (make_table()) {
		id = find_seen(found, epoch);
		if (!id)
			id = identify(found);
		if (id)
			table.modules[id].epoch = epoch;
	}
	seep_lock_give(&table.lock);
	return id;
}

uint32_t seep_module_count(void)
{
	return __atomic_load_n(&table.n, __ATOMIC_ACQUIRE);
}

uintptr_t seep_module_start(uint32_t id)
{
	return table.modules[id].start;
}

void seep_module_know_program(void)
{
	struct dl_find_object found;

	if (!_dl_find_object((void *)getauxval(AT_ENTRY), &found))
		seep_module_id(&found, seep_unwind_epoch());
}

void seep_module_write_new(void)
{
	if (table.generation != seep_recording_generation())
		table.written = 1;
	table.generation = seep_recording_generation();
	for (; table.written < __atomic_load_n(&table.n, __ATOMIC_ACQUIRE); table.written++) {
		const struct module *module = &table.modules[table.written];
		struct seep_rec_module record = {
			.start = module->start,
			.end = module->end,
			.bias = module->bias,
			.id = table.written,
			.build_id_bytes = module->build_id_bytes,
			.path_bytes = module->path_bytes,
		};

		seep_recording_write(SEEP_REC_MODULE, 0, &record, sizeof(record),
				     table.texts + module->text,
				     module->build_id_bytes + module->path_bytes);
	}
}

void seep_module_forked(void)
{
	seep_lock_renew(&table.lock);
}
