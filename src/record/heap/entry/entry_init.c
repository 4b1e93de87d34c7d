/* SPDX-License-Identifier: MIT */
#include "record/heap/entry/entry.h"

#include "os/mmap.h"
#include "os/process.h"
#include "record/env_init.h"
#include "record/guard.h"
#include "record/recording.h"
#include "record/stamp.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#define PATH_BYTES 4096u
#define NAMES_BYTES 16384u
#define NOTE_BYTES 320u

static struct {
	struct seep_entry *items;
	uint32_t n;
	uint64_t events;
	char names[NAMES_BYTES];
	char path[PATH_BYTES];
} entries;

/* In the handler: it may call a function that is an entry itself. */
static __thread bool inside __attribute__((tls_model("initial-exec")));

static const ElfW(Nhdr) *find_build_id(const char *at, const char *end)
{
	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;

		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(at + sizeof(*note), "GNU", 4))
			return note;
		at += sizeof(*note) + ((note->n_namesz + 3u) & ~3u) +
		      ((note->n_descsz + 3u) & ~3u);
	}
	return NULL;
}

static bool has_build_id(const struct dl_phdr_info *info, const struct seep_entry *entry)
{
	const ElfW(Nhdr) *note = NULL;
	const ElfW(Phdr) *segment = info->dlpi_phdr;
	int i;

	for (i = 0; i < info->dlpi_phnum && !note; i++, segment++) {
		const char *start = (const char *)info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_NOTE)
			note = find_build_id(start, start + segment->p_memsz);
	}
	return note && note->n_descsz == entry->build_id_bytes &&
	       !memcmp((const char *)(note + 1) + 4, entry->build_id, note->n_descsz);
}

/* A file without a build id. */
static bool is_file(const struct dl_phdr_info *info, const struct seep_entry *entry)
{
	const char *path = info->dlpi_name;

	if (!path || !*path)
		path = seep_process_exe(entries.path, sizeof(entries.path)) ? entries.path : "";
	return *path && seep_process_is_file(path, entry->device, entry->inode);
}

/* The first segment with code that holds all of it. */
static bool has_code(const struct dl_phdr_info *info, const struct seep_entry *entry)
{
	const ElfW(Phdr) *segment = info->dlpi_phdr;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++, segment++)
		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    entry->address >= segment->p_vaddr &&
		    entry->address + entry->n_bytes <= segment->p_vaddr + segment->p_filesz)
			return true;
	return false;
}

static int look_at_object(struct dl_phdr_info *info, size_t bytes, void *unused)
{
	uint32_t i;

	(void)bytes;
	(void)unused;
	for (i = 0; i < entries.n; i++) {
		struct seep_entry *entry = &entries.items[i];

		if (entry->is_seen || !has_code(info, entry) ||
		    (entry->build_id_bytes ? !has_build_id(info, entry) : !is_file(info, entry)))
			continue;
		entry->is_seen = entry->was_seen = true;
		if (!entry->is_patched || entry->base != info->dlpi_addr)
			seep_entry_patch(entry, i, info->dlpi_addr);
	}
	return 0;
}

/* The loader's own lock is held, or no other thread is there yet. */
void seep_entry_look(void)
{
	uint32_t i;

	for (i = 0; i < entries.n; i++)
		entries.items[i].is_seen = false;
	dl_iterate_phdr(look_at_object, NULL);
	for (i = 0; i < entries.n; i++)
		if (!entries.items[i].is_seen)
			entries.items[i].is_patched = false;
}

__attribute__((used, visibility("hidden"))) void seep_entry_entered(uint32_t index)
{
	struct seep_entry *entry = &entries.items[index];
	int saved;

	/* The tracker and the allocator call functions of the C library, too. */
	if (inside || (seep_guard != SEEP_GUARD_OUT && entry->role != SEEP_ENTRY_LOADED))
		return;
	inside = true;
	saved = errno;
	entry->is_called = true;
	switch (entry->role) {
	case SEEP_ENTRY_EVENT:
		seep_stamp_source_begin((int64_t)__atomic_fetch_add(&entries.events, 1,
								    __ATOMIC_RELAXED));
		break;
	case SEEP_ENTRY_STAMP:
		seep_stamp_named(entry->name);
		break;
	case SEEP_ENTRY_LOADED:
		seep_entry_look();
		break;
	case SEEP_ENTRY_ALLOCATES:
	case SEEP_ENTRY_FREES:
		break;
	}
	errno = saved;
	inside = false;
}

/* False if it is the function of a pool, and there are too many. */
static bool has_wrapper(struct seep_entry *entry,
			seep_entry_wrapper *(*choose)(struct seep_entry *entry))
{
	if (entry->role < SEEP_ENTRY_ALLOCATES)
		return true;
	entry->wrapper = choose(entry);
	return entry->wrapper;
}

static void read_all(const char *text, seep_entry_wrapper *(*choose)(struct seep_entry *entry))
{
	size_t used = 0;

	while (*text && entries.n < SEEP_ENTRY_MOST) {
		struct seep_entry *entry = &entries.items[entries.n];

		if (seep_entry_read(entry, text, entries.names, &used, sizeof(entries.names)) &&
		    has_wrapper(entry, choose))
			entries.n++;
		text += strcspn(text, ";");
		text += *text == ';';
	}
}

void seep_entry_begin(seep_entry_wrapper *(*choose)(struct seep_entry *entry))
{
	const char *text = getenv("SEEP_ENTRY");
	int guard = seep_guard;

	if (!text || !*text || !seep_entry_stub_prepare())
		return;
	entries.items = seep_mmap_new(SEEP_ENTRY_MOST * sizeof(*entries.items));
	if (!entries.items)
		return;
	seep_guard = SEEP_GUARD_REAL;
	read_all(text, choose);
	seep_entry_look();
	seep_guard = guard;
}

/* Whether another entry for the same name says it all: a function may have several copies. */
static bool is_settled(uint32_t index)
{
	const struct seep_entry *entry = &entries.items[index], *other = entries.items;
	uint32_t i;

	for (i = 0; i < entries.n; i++, other++)
		if (other->role == entry->role && !strcmp(other->name, entry->name) &&
		    (other->is_called || (i < index && !entry->why == !other->why)))
			return true;
	return false;
}

/* Cuts what does not fit. */
static void join(char *text, const char *const *parts)
{
	size_t used = 0, n;

	for (; *parts; parts++) {
		n = strlen(*parts);
		if (n > NOTE_BYTES - 1 - used)
			n = NOTE_BYTES - 1 - used;
		memcpy(text + used, *parts, n);
		used += n;
	}
	text[used] = 0;
}

static void write_note(const struct seep_entry *entry)
{
	const char *code = entry->error ? strerrorname_np(-entry->error) : NULL;
	const char *const failed[] = {
		"fn:", entry->name, ": no call can be seen: ", entry->why, " (",
		code ? code : "error", "); choose another function or source of events", NULL
	};
	const char *const absent[] = {
		"fn:", entry->name, ": no call was seen: the program never loaded the file that "
		"has this function", NULL
	};
	const char *const silent[] = {
		"fn:", entry->name, ": no call was seen: the program did not get there, or the "
		"compiler put the function into its callers; choose one of them", NULL
	};
	char text[NOTE_BYTES];

	join(text, entry->why ? failed : entry->was_seen ? silent : absent);
	seep_recording_note(text, SEEP_NOTE_INFO);
}

void seep_entry_finish(void)
{
	uint32_t i;

	for (i = 0; i < entries.n; i++)
		if (entries.items[i].role != SEEP_ENTRY_LOADED && !is_settled(i) &&
		    !entries.items[i].is_called)
			write_note(&entries.items[i]);
}
