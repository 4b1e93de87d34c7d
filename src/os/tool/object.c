/* SPDX-License-Identifier: MIT */
/*
 * Where each answer comes from:
 *
 *	program headers    PT_INTERP: a loader that can preload; musl by its name
 *	.dynamic           needed libraries: sanitizers, other allocators
 *	.dynsym            symbols: the same, if they are linked in
 *	other sections     .symtab, debug info, build id
 *
 * libelf checks the offsets and sizes of a damaged file.  What cannot be read counts as absent.
 */
#include "os/tool/object.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_DATA ELFDATA2LSB
#else
#define OWN_DATA ELFDATA2MSB
#endif

/* What a needed library or a dynamic symbol says about the memory of the program. */
struct sign {
	const char *prefix;
	const char *means;
};

static const struct sign sanitizers[] = {
	{ "libasan.so", "AddressSanitizer" },
	{ "__asan_init", "AddressSanitizer" },
	{ "libhwasan.so", "HWAddressSanitizer" },
	{ "__hwasan_init", "HWAddressSanitizer" },
	{ "libtsan.so", "ThreadSanitizer" },
	{ "__tsan_init", "ThreadSanitizer" },
	{ "__msan_init", "MemorySanitizer" },
	{ "liblsan.so", "LSan" },
	{ "__lsan_init", "LSan" },
};

static const struct sign allocators[] = {
	{ "libjemalloc.so", "jemalloc" },
	{ "mallocx", "jemalloc" },
	{ "libtcmalloc", "tcmalloc" },
	{ "tc_malloc", "tcmalloc" },
	{ "libmimalloc", "mimalloc" },
	{ "mi_malloc", "mimalloc" },
	{ "libtbbmalloc_proxy", "tbbmalloc" },
};

static int own_machine(void)
{
#if defined(__x86_64__)
	return EM_X86_64;
#elif defined(__aarch64__)
	return EM_AARCH64;
#elif defined(__i386__)
	return EM_386;
#elif defined(__arm__)
	return EM_ARM;
#elif defined(__riscv)
	return EM_RISCV;
#elif defined(__powerpc64__)
	return EM_PPC64;
#elif defined(__s390x__)
	return EM_S390;
#else
	return EM_NONE;
#endif
}

static void look_up(const char *name, const struct sign *signs, size_t n, char *text, size_t room)
{
	for (size_t i = 0; i < n && !text[0]; i++)
		if (!strncmp(name, signs[i].prefix, strlen(signs[i].prefix)))
			snprintf(text, room, "%s", signs[i].means);
}

static void notice(struct seep_object *object, const char *name)
{
	if (!name)
		return;
	look_up(name, sanitizers, sizeof(sanitizers) / sizeof(sanitizers[0]),
		object->sanitizer, sizeof(object->sanitizer));
	look_up(name, allocators, sizeof(allocators) / sizeof(allocators[0]),
		object->allocator, sizeof(object->allocator));
}

static void read_interpreter(struct seep_object *object, Elf *elf, const GElf_Phdr *phdr)
{
	Elf_Data *data;
	const char *path;

	object->loadable = true;
	data = elf_getdata_rawchunk(elf, (int64_t)phdr->p_offset, phdr->p_filesz, ELF_T_BYTE);
	if (!data || !data->d_size)
		return;
	path = data->d_buf;
	if (!path[data->d_size - 1] && strstr(path, "/ld-musl"))
		object->musl = true;
}

static void read_segments(struct seep_object *object, Elf *elf)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf, (int)i, &phdr))
			return;
		if (phdr.p_type == PT_INTERP)
			read_interpreter(object, elf, &phdr);
	}
}

static void read_dynamic(struct seep_object *object, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && shdr->sh_entsize ? data->d_size / shdr->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		GElf_Dyn dyn;
		const char *name;

		if (!gelf_getdyn(data, (int)i, &dyn))
			return;
		if (dyn.d_tag != DT_NEEDED && dyn.d_tag != DT_SONAME)
			continue;
		name = elf_strptr(elf, shdr->sh_link, dyn.d_un.d_val);
		/* The loader itself, run as a command, names no loader but preloads libraries. */
		if (name && dyn.d_tag == DT_SONAME && !strncmp(name, "ld-linux", 8))
			object->loadable = true;
		if (dyn.d_tag == DT_NEEDED)
			notice(object, name);
	}
}

static void read_symbols(struct seep_object *object, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && shdr->sh_entsize ? data->d_size / shdr->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			return;
		notice(object, elf_strptr(elf, shdr->sh_link, sym.st_name));
	}
}

static void read_build_id(struct seep_object *object, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Nhdr note;
	size_t name, desc;
	const unsigned char *id;

	if (!data || !gelf_getnote(data, 0, &note, &name, &desc) || note.n_type != NT_GNU_BUILD_ID)
		return;
	id = (const unsigned char *)data->d_buf + desc;
	for (size_t i = 0; i < note.n_descsz && 2 * i + 3 <= sizeof(object->build_id); i++)
		snprintf(object->build_id + 2 * i, 3, "%02x", id[i]);
}

static void read_sections(struct seep_object *object, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names = 0;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name;

		if (!gelf_getshdr(scn, &shdr))
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (shdr.sh_type == SHT_DYNAMIC)
			read_dynamic(object, elf, scn, &shdr);
		else if (shdr.sh_type == SHT_DYNSYM)
			read_symbols(object, elf, scn, &shdr);
		else if (shdr.sh_type == SHT_SYMTAB)
			object->symbols = true;
		if (!name)
			continue;
		if (!strcmp(name, ".note.gnu.build-id"))
			read_build_id(object, scn);
		if (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"))
			object->debug_info = true;
	}
}

static bool is_own_class(const GElf_Ehdr *ehdr)
{
	int own = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

	return ehdr->e_ident[EI_CLASS] == own && ehdr->e_ident[EI_DATA] == OWN_DATA &&
	       ehdr->e_machine == own_machine();
}

static void read_elf(struct seep_object *object, Elf *elf)
{
	GElf_Ehdr ehdr;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		return;
	object->elf = true;
	object->own_class = is_own_class(&ehdr);
	read_segments(object, elf);
	read_sections(object, elf);
}

/* Opens the file with libelf; *elf may be NULL.  0 or -errno. */
static int open_elf(const char *path, int *fd, Elf **elf)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd < 0)
		return -errno;
	if (elf_version(EV_CURRENT) == EV_NONE) {
		close(*fd);
		return -EINVAL;
	}
	*elf = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
	return 0;
}

static void close_elf(int fd, Elf *elf)
{
	if (elf)
		elf_end(elf);
	close(fd);
}

int seep_object_inspect(struct seep_object *object, const char *path)
{
	int fd, rc;
	Elf *elf;

	memset(object, 0, sizeof(*object));
	rc = open_elf(path, &fd, &elf);
	if (rc)
		return rc;
	if (elf)
		read_elf(object, elf);
	close_elf(fd, elf);
	return 0;
}

static bool is_defined_in(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr, const char *symbol)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && shdr->sh_entsize ? data->d_size / shdr->sh_entsize : 0;
	GElf_Sym sym;

	for (size_t i = 0; i < n && gelf_getsym(data, (int)i, &sym); i++) {
		const char *name = elf_strptr(elf, shdr->sh_link, sym.st_name);

		if (name && sym.st_shndx != SHN_UNDEF && !strcmp(name, symbol))
			return true;
	}
	return false;
}

bool seep_object_defines(const char *path, const char *symbol)
{
	Elf_Scn *scn = NULL;
	bool found = false;
	GElf_Shdr shdr;
	Elf *elf;
	int fd;

	if (open_elf(path, &fd, &elf))
		return false;
	while (elf && !found && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_DYNSYM)
			found = is_defined_in(elf, scn, &shdr, symbol);
	close_elf(fd, elf);
	return found;
}
