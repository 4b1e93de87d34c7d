/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/symbols/symbols_file.h"

#include "model/symbols/symbols.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any useful name; demangling longer ones could take for ever. */
#define MANGLED_MAX 16384

#define STRING_LONG \
	"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
#define STRING_SHORT "std::string"
#define GLIBC_PREFIX "__GI_" /* of glibc's internal names */

/* Also removes the space that separated the final ">" from the next one. */
static void shorten_strings(char *name)
{
	char *found = name;

	while ((found = strstr(found, STRING_LONG))) {
		char *rest = found + strlen(STRING_LONG);

		if (rest[0] == ' ' && rest[1] == '>')
			rest++;
		memcpy(found, STRING_SHORT, strlen(STRING_SHORT));
		found += strlen(STRING_SHORT);
		memmove(found, rest, strlen(rest) + 1);
	}
}

const char *seep_symbols_name_show(const char *symbol, struct seep_arena *arena)
{
	char *demangled = NULL;
	const char *name;

	if (!strncmp(symbol, GLIBC_PREFIX, strlen(GLIBC_PREFIX)))
		symbol += strlen(GLIBC_PREFIX);
	if (symbol[0] == '_' && strnlen(symbol, MANGLED_MAX) < MANGLED_MAX)
		demangled = cplus_demangle(symbol, DMGL_NO_OPTS | DMGL_AUTO);
	if (demangled)
		shorten_strings(demangled);
	name = demangled ? demangled : symbol;
	name = seep_arena_copy(arena, name, strlen(name));
	free(demangled);
	return name;
}

/* A linear search is enough: the lists are short, and each stack is searched only once. */
static bool is_one_of(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name))
		list++;
	return *list;
}

static bool starts_with_one_of(const char *name, const char *const *list)
{
	while (*list && strncmp(*list, name, strlen(*list)))
		list++;
	return *list;
}

/* Whether the file is a C++ library header, whose code is compiled into the program. */
static bool is_library_header(const char *file)
{
	const char *include = file ? strstr(file, "/include/") : NULL;

	return include && strstr(include + strlen("/include"), "/c++/");
}

bool seep_symbols_name_is_library(const struct seep_frame *frame)
{
	static const char *const modules[] = {
		"libc.so", "libc-2.", "ld-linux", "ld-2.", "ld64.so", "ld.so", "ld-musl",
		"libc.musl", "libpthread.so", "libpthread-2.", "libstdc++.so", "libc++.so",
		"libc++abi.so", "libgcc_s.so", "libsupc++.so", "libseep-heap.so",
		"libjemalloc.so", "libtcmalloc", "libmimalloc.so", "libmimalloc-", NULL
	};
	static const char *const starts[] = {
		"std::", "__gnu_cxx::", "__cxxabiv1::", "operator new", "operator delete",
		"__libc_", "__interceptor_", "PyMem_", "_PyMem_", "PyObject_Malloc",
		"PyObject_Calloc", "PyObject_Realloc", "H5FL_", "H5MM_", "(", NULL
	};
	static const char *const functions[] = {
		"malloc", "calloc", "realloc", "reallocarray", "free", "cfree", "memalign",
		"posix_memalign", "aligned_alloc", "valloc", "pvalloc", "strdup", "strndup",
		"__strdup", "__strndup", "wcsdup", "asprintf", "vasprintf", "getline", "getdelim",
		"xmalloc", "xcalloc", "xrealloc", "xstrdup", "xstrndup", "xzalloc", "xmemdup",
		"g_malloc", "g_malloc0", "g_malloc_n", "g_malloc0_n", "g_realloc", "g_realloc_n",
		"g_try_malloc", "g_try_malloc0", "g_try_realloc", "g_free", "g_strdup",
		"g_strndup", "g_memdup", "g_memdup2", "g_slice_alloc", "g_slice_alloc0",
		"g_slice_free1", NULL
	};

	if (frame->module && starts_with_one_of(frame->module, modules))
		return true;
	if (is_library_header(frame->file))
		return true;
	if (!strncmp(frame->function, "(anonymous namespace)", 21))
		return false;
	return is_one_of(frame->function, functions) ||
	       starts_with_one_of(frame->function, starts);
}

bool seep_symbols_is_allocator(const struct seep_frame *frame)
{
	static const char *const modules[] = {
		"libseep-heap.so", "libjemalloc.so", "libtcmalloc", "libmimalloc.so",
		"libmimalloc-", NULL
	};
	static const char *const starts[] = { "operator new", "tcmalloc::", "TCMalloc", NULL };
	static const char *const functions[] = {
		"malloc", "calloc", "realloc", "reallocarray", "free", "cfree", "memalign",
		"posix_memalign", "aligned_alloc", "valloc", "pvalloc", "mallocx", "rallocx",
		"xallocx", "je_malloc", "je_calloc", "je_realloc", "je_mallocx", "tc_malloc",
		"tc_calloc", "tc_realloc", "tc_memalign", "tc_posix_memalign", "tc_valloc",
		"tc_pvalloc", "tc_new", "tc_newarray", "tc_new_nothrow", "tc_newarray_nothrow",
		NULL
	};

	return (frame->module && starts_with_one_of(frame->module, modules)) ||
	       is_one_of(frame->function, functions) ||
	       starts_with_one_of(frame->function, starts);
}
