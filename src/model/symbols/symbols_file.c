/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/symbols/symbols_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The clocks of file servers may differ slightly. */
#define CLOCK_SLACK_NS 2000000000

#define SEGMENTS_MAX 1024
#define PAGE 4096u /* the smallest page size; addresses aligned to larger pages fit too */

/* Searches for debug files where gdb would; uses debuginfod only if DEBUGINFOD_URLS is set. */
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = seep_symbols_guard_find,
	.section_address = dwfl_offline_section_address,
};

/* Without a build id, only its modification time distinguishes a file from a newer one. */
static bool may_be_same(const struct seep_module *module, const struct stat *file,
			int64_t started_real_ns)
{
	int64_t written_ns = (int64_t)file->st_mtim.tv_sec * 1000000000 + file->st_mtim.tv_nsec;

	return module->build_id_bytes || written_ns <= started_real_ns + CLOCK_SLACK_NS;
}

/* Opens without blocking, because the path may now be a pipe. */
static int open_regular(const struct seep_module *module, int64_t started_real_ns)
{
	int fd = open(module->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat file;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &file) && S_ISREG(file.st_mode) &&
	    may_be_same(module, &file, started_real_ns))
		return fd;
	close(fd);
	return -1;
}

static Dwfl_Module *report_path(Dwfl *dwfl, const struct seep_module *module,
				int64_t started_real_ns)
{
	int fd = open_regular(module, started_real_ns);
	Dwfl_Module *file;

	if (fd < 0)
		return NULL;
	file = dwfl_report_elf(dwfl, "module", module->path, fd, 0, true);
	if (!file)
		close(fd);
	return file;
}

static bool has_build_id(Dwfl_Module *file, const struct seep_module *module)
{
	const unsigned char *bits;
	GElf_Addr at;
	int n = dwfl_module_build_id(file, &bits, &at);

	return n > 0 && (size_t)n == module->build_id_bytes &&
	       !memcmp(bits, module->build_id, module->build_id_bytes);
}

static Dwfl *end(Dwfl *dwfl)
{
	dwfl_end(dwfl);
	return NULL;
}

static Dwfl *open_path(const struct seep_module *module, int64_t started_real_ns,
		       Dwfl_Module **file)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl)
		return NULL;
	*file = report_path(dwfl, module, started_real_ns);
	if (!*file || dwfl_report_end(dwfl, NULL, NULL))
		return end(dwfl);
	if (module->build_id_bytes && !has_build_id(*file, module))
		return end(dwfl);
	return dwfl;
}

/* The file of a replaced package may still exist in the debug directories. */
static Dwfl *open_build_id(const struct seep_module *module, Dwfl_Module **file)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);
	GElf_Addr bias;

	if (!dwfl)
		return NULL;
	if (!seep_symbols_guard_build_id(module->build_id, module->build_id_bytes))
		return end(dwfl);
	*file = dwfl_report_module(dwfl, module->path, module->start - module->bias,
				   module->end - module->bias);
	if (!*file || dwfl_module_report_build_id(*file, module->build_id,
						  module->build_id_bytes, 0))
		return end(dwfl);
	if (dwfl_report_end(dwfl, NULL, NULL) || !dwfl_module_getelf(*file, &bias))
		return end(dwfl);
	return dwfl;
}

Dwfl *seep_symbols_file_open(const struct seep_module *module, int64_t started_real_ns,
			     Dwfl_Module **file)
{
	Dwfl *dwfl;

	if (module->path[0] != '/') /* the vdso, or unknown */
		return NULL;
	dwfl = open_path(module, started_real_ns, file);
	if (!dwfl && module->build_id_bytes >= 8 && module->build_id_bytes <= 64 &&
	    module->start >= module->bias && module->end > module->start)
		dwfl = open_build_id(module, file);
	return dwfl;
}

bool seep_symbols_file_text(Dwfl_Module *file, uint64_t *address, uint64_t *bytes,
			    uint64_t *offset)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(file, &bias);
	size_t n;

	if (!elf || elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && i < SEGMENTS_MAX; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X) || segment.p_vaddr % PAGE !=
						 segment.p_offset % PAGE)
			continue;
		*address = segment.p_vaddr / PAGE * PAGE;
		*offset = segment.p_offset / PAGE * PAGE;
		*bytes = (segment.p_vaddr + segment.p_memsz - *address + PAGE - 1) / PAGE * PAGE;
		return true;
	}
	return false;
}

const char *seep_symbols_file_fate(const struct seep_module *module)
{
	struct stat file;

	if (stat(module->path, &file))
		return errno == ENOENT || errno == ENOTDIR ? "was removed" : "became unreadable";
	if (access(module->path, R_OK))
		return "became unreadable";
	return S_ISREG(file.st_mode) ? "was rebuilt" : "was replaced";
}
