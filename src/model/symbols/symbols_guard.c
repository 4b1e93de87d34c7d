/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that libdw would open by itself.
 *
 * An ELF file names others: its debug file (.gnu_debuglink, build id), what several debug files
 * share (.gnu_debugaltlink), and split units (.dwo, .dwp).  libdw opens them without a look at
 * what they are, and waits for ever if one is a FIFO or a terminal.  So every path that it may
 * open is checked first.  If one of them is not a regular file, that debug information is not
 * used.
 */
#include "model/symbols/symbols_file.h"

#include "os/tool/proc.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBUG_DIRECTORY "/usr/lib/debug"
#define BUILD_ID_MAX 64

/* A file, a directory or nothing: it can be opened without waiting. */
static bool is_harmless(const char *path)
{
	struct stat st;

	return stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

static bool check(const char *directory, const char *between, const char *name)
{
	char path[2 * PATH_MAX];

	if (name[0] == '/')
		return is_harmless(name);
	return snprintf(path, sizeof(path), "%s%s%s", directory, between, name) >=
		       (int)sizeof(path) || is_harmless(path);
}

/* Beside the file, in .debug, and under DEBUG_DIRECTORY with all ends of the directory's path. */
static bool check_around(const char *directory, const char *name)
{
	bool good = check(directory, "/", name) && check(directory, "/.debug/", name) &&
		    check(DEBUG_DIRECTORY, "/", name);
	char mirror[2 * PATH_MAX];

	for (const char *rest = directory; good && rest; rest = strchr(rest + 1, '/')) {
		if (snprintf(mirror, sizeof(mirror), "%s%s%s", DEBUG_DIRECTORY,
			     *rest == '/' ? "" : "/", rest) < (int)sizeof(mirror))
			good = check(mirror, "/", name) && check(mirror, "/.debug/", name);
		if (!rest[0])
			break;
	}
	return good;
}

static void directory_of(char *directory, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(directory, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* link NULL: the names that a debug file has by custom. */
static bool check_links(const char *file, const char *link)
{
	char directory[PATH_MAX], name[NAME_MAX + 8];

	directory_of(directory, file);
	if (link)
		return check_around(directory, link);
	snprintf(name, sizeof(name), "%.*s.debug", NAME_MAX, name_of(file));
	return check_around(directory, name) && check_around(directory, name_of(file));
}

static bool check_debug(const char *file, const char *link)
{
	char real[PATH_MAX];

	return check_links(file, link) && (!realpath(file, real) || check_links(real, link));
}

bool seep_symbols_guard_build_id(const unsigned char *id, size_t bytes)
{
	char name[sizeof("/.build-id/") + 2 * BUILD_ID_MAX + sizeof("/.debug")];
	size_t used = (size_t)snprintf(name, sizeof(name), ".build-id/");

	if (bytes < 2 || bytes > BUILD_ID_MAX)
		return true;
	for (size_t i = 0; i < bytes; i++)
		used += (size_t)snprintf(name + used, sizeof(name) - used,
					 i == 1 ? "/%02x" : "%02x", id[i]);
	if (!check(DEBUG_DIRECTORY, "/", name))
		return false;
	snprintf(name + used, sizeof(name) - used, ".debug");
	return check(DEBUG_DIRECTORY, "/", name);
}

/* .gnu_debugaltlink: a name, a zero byte, and a build id. */
static bool check_alternate(Elf *elf, const char *path)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return true;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr)
					   ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		Elf_Data *data;
		size_t n;

		if (!name || strcmp(name, ".gnu_debugaltlink"))
			continue;
		data = elf_rawdata(scn, NULL);
		n = data && data->d_buf ? strnlen(data->d_buf, data->d_size) : 0;
		if (!n || n == data->d_size)
			return true; /* damaged: libdw does not use it */
		return check_debug(path, data->d_buf) &&
		       seep_symbols_guard_build_id((unsigned char *)data->d_buf + n + 1,
						   data->d_size - n - 1);
	}
	return true;
}

bool seep_symbols_guard_alternate(Dwfl_Module *module)
{
	const char *file = NULL;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);

	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &file, NULL);
	return !elf || !file || check_alternate(elf, file);
}

/* A debug file may have a supplementary file, too. */
static bool check_debug_file(int fd)
{
	char path[PATH_MAX];
	bool good = true;
	Elf *elf;

	seep_proc_fd_path(fd, path, sizeof(path));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		good = check_alternate(elf, path);
	if (elf)
		elf_end(elf);
	return good;
}

int seep_symbols_guard_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			    const char *file, const char *link, GElf_Word crc, char **found)
{
	const unsigned char *id;
	GElf_Addr at;
	int n = dwfl_module_build_id(module, &id, &at), fd;

	if ((file && !check_debug(file, link)) ||
	    (n > 0 && !seep_symbols_guard_build_id(id, (size_t)n)))
		return -1;
	fd = dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
	if (fd < 0 || check_debug_file(fd))
		return fd;
	close(fd);
	return -1;
}

/* libdw looks beside the file with the debug information, and in the directory of the compiler. */
static bool check_split(const char *file, const char *directory, const char *name)
{
	char own[PATH_MAX], real[PATH_MAX];

	if (!file)
		return true;
	if (!realpath(file, real))
		snprintf(real, sizeof(real), "%s", file);
	directory_of(own, real);
	if (!check(own, "/", name) || !check(real, "", ".dwp"))
		return false;
	if (!directory || name[0] == '/')
		return true;
	if (directory[0] == '/')
		return check(directory, "/", name);
	return snprintf(real, sizeof(real), "%s/%s", own, directory) >= (int)sizeof(real) ||
	       check(real, "/", name);
}

bool seep_symbols_guard_split(Dwfl_Module *module, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr(unit, DW_AT_dwo_name, &attr));
	const char *directory, *file = NULL, *debug = NULL;

	if (!name)
		name = dwarf_formstring(dwarf_attr(unit, DW_AT_GNU_dwo_name, &attr));
	if (!name)
		return true;
	directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &file, &debug);
	return check_split(file, directory, name) && check_split(debug, directory, name);
}
