/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/entry/entry_object.h"
#include "os/base_name.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Debug files on this machine only: nobody waits for a server before the program starts. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *saved = urls ? strdup(urls) : NULL;
	int fd;

	unsetenv("DEBUGINFOD_URLS");
	fd = dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
	if (saved)
		setenv("DEBUGINFOD_URLS", saved, 1);
	free(saved);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

size_t seep_entry_objects_n(const struct seep_entry_objects *objects)
{
	return objects->items.n;
}

struct seep_entry_object *seep_entry_objects_at(const struct seep_entry_objects *objects, size_t i)
{
	return (struct seep_entry_object *)objects->items.items + i;
}

static struct seep_entry_object *add(struct seep_entry_objects *objects, const char *path,
				     bool is_program, bool is_early)
{
	struct seep_entry_object *object = seep_table_add(&objects->items);

	*object = (struct seep_entry_object){
		.path = seep_arena_copy(objects->arena, path, strlen(path)),
		.is_program = is_program, .is_early = is_early,
	};
	return object;
}

/* The loader of a program; false if it names none. */
static bool find_loader(const char *binary, char *loader, size_t room)
{
	int fd = open(binary, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	GElf_Phdr segment;
	size_t n = 0;
	bool found = false;

	if (elf && !elf_getphdrnum(elf, &n))
		for (size_t i = 0; i < n && !found && gelf_getphdr(elf, (int)i, &segment); i++)
			if (segment.p_type == PT_INTERP && segment.p_filesz > 1 &&
			    segment.p_filesz <= room)
				found = pread(fd, loader, segment.p_filesz,
					      (off_t)segment.p_offset) ==
						(ssize_t)segment.p_filesz &&
					!loader[segment.p_filesz - 1];
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

/* As ldd does it: with the program's own loader, so with its paths and caches. */
static FILE *start_loader(const char *loader, const char *binary, pid_t *pid)
{
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC))
		return NULL;
	*pid = fork();
	if (!*pid) {
		int null = open("/dev/null", O_RDWR);

		if (null >= 0) {
			dup2(null, STDIN_FILENO);
			dup2(null, STDERR_FILENO);
		}
		dup2(pipes[1], STDOUT_FILENO);
		execl(loader, loader, "--list", binary, (char *)NULL);
		_exit(127);
	}
	close(pipes[1]);
	if (*pid > 0)
		return fdopen(pipes[0], "r");
	close(pipes[0]);
	return NULL;
}

/* "	libm.so.6 => /lib/libm.so.6 (0x...)" or "	/lib64/ld-linux-x86-64.so.2 (0x...)" */
static void read_line(struct seep_entry_objects *objects, char *line)
{
	char *path = strchr(line, '/'), *end = strrchr(line, '(');

	if (!path || !end || end < path + 2)
		return;
	end[-1] = 0;
	add(objects, path, false, true);
}

void seep_entry_objects_find(struct seep_entry_objects *objects, const char *binary,
			     struct seep_arena *arena)
{
	char loader[PATH_MAX], line[PATH_MAX + 128];
	pid_t pid = -1;
	FILE *list;

	elf_version(EV_CURRENT);
	*objects = (struct seep_entry_objects){
		.arena = arena, .items = SEEP_TABLE(arena, struct seep_entry_object),
	};
	add(objects, binary, true, true);
	if (!find_loader(binary, loader, sizeof(loader)))
		return;
	list = start_loader(loader, binary, &pid);
	while (list && fgets(line, sizeof(line), list))
		read_line(objects, line);
	if (list)
		fclose(list);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void seep_entry_objects_release(struct seep_entry_objects *objects)
{
	for (size_t i = 0; i < objects->items.n; i++)
		if (seep_entry_objects_at(objects, i)->dwfl)
			dwfl_end(seep_entry_objects_at(objects, i)->dwfl);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat one, two;

	return !stat(a, &one) && !stat(b, &two) && one.st_dev == two.st_dev &&
	       one.st_ino == two.st_ino;
}

/* libm, libm.so and libm.so.6 are names of libm.so.6. */
static bool has_name(const struct seep_entry_object *object, const char *name)
{
	const char *base = seep_base_name(object->path);
	size_t n = strlen(name);

	return !strncmp(base, name, n) && (!base[n] || (base[n] == '.' && n > 3 &&
							!strncmp(name, "lib", 3)));
}

struct seep_entry_object *seep_entry_objects_named(struct seep_entry_objects *objects,
						   const char *name)
{
	bool is_path = strchr(name, '/');

	for (size_t i = 0; i < objects->items.n; i++) {
		struct seep_entry_object *object = seep_entry_objects_at(objects, i);

		if (is_path ? is_same_file(object->path, name) : has_name(object, name))
			return object;
	}
	return is_path && !access(name, R_OK) ? add(objects, name, false, false) : NULL;
}

static const char *find_id(const struct seep_entry_object *object, int fd,
			   struct seep_arena *arena)
{
	const unsigned char *bits;
	GElf_Addr at;
	int n = dwfl_module_build_id(object->module, &bits, &at);
	const char *id = "";
	struct stat file;

	for (int i = 0; i < n; i++)
		id = seep_arena_printf(arena, "%s%02x", id, bits[i]);
	if (n > 0 || fstat(fd, &file))
		return id;
	return seep_arena_printf(arena, "@%llx:%llx", (unsigned long long)file.st_dev,
				 (unsigned long long)file.st_ino);
}

static bool end(struct seep_entry_object *object)
{
	dwfl_end(object->dwfl);
	object->dwfl = NULL;
	return false;
}

bool seep_entry_object_open(struct seep_entry_object *object, struct seep_arena *arena)
{
	GElf_Addr bias;
	int fd;

	if (object->dwfl)
		return true;
	object->dwfl = dwfl_begin(&callbacks);
	fd = open(object->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (!object->dwfl || fd < 0)
		return object->dwfl && end(object);
	object->module = dwfl_report_elf(object->dwfl, object->path, object->path, fd, 0, true);
	if (!object->module) {
		close(fd);
		return end(object);
	}
	object->id = find_id(object, fd, arena);
	if (dwfl_report_end(object->dwfl, NULL, NULL) ||
	    !dwfl_module_getelf(object->module, &bias))
		return end(object);
	return true;
}

bool seep_entry_object_text(const struct seep_entry_object *object, uint64_t address,
			    struct seep_entry_text *text)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(object->module, &bias);
	size_t n = 0, bytes = 0;
	const char *file = elf ? elf_rawfile(elf, &bytes) : NULL;
	GElf_Phdr segment;

	if (!file || elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &segment); i++) {
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) ||
		    address - segment.p_vaddr >= segment.p_filesz ||
		    segment.p_offset > bytes || segment.p_filesz > bytes - segment.p_offset)
			continue;
		*text = (struct seep_entry_text){
			.bytes = (const unsigned char *)file + segment.p_offset,
			.address = segment.p_vaddr, .n = segment.p_filesz,
		};
		return true;
	}
	return false;
}
