/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses to names, on the test program itself: it knows where its functions
 * are.  To be built with -g.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "model/symbols/symbols.h"
#include "model/symbols/symbols_file.h"

#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define SELF 1u
#define LIBC 2u
#define NOINLINE __attribute__((noinline))
/* Work behind a call, so that it is not the last thing a function does and has a return address. */
#define STAY() __asm__ volatile("" ::: "memory")

static struct seep_arena arena;
static struct seep_module modules[8];
static struct seep_run run = { .modules = modules, .n_modules = 8 };
static uint64_t caught;

static NOINLINE void catch_pc(void)
{
	caught = (uint64_t)(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
	STAY();
}

static int plain_line;
static NOINLINE void plain(void)
{
	plain_line = __LINE__ + 1;
	catch_pc();
	STAY();
}

static int inner_line, middle_line, outer_line;
static inline __attribute__((always_inline)) void inner(void)
{
	inner_line = __LINE__ + 1;
	catch_pc();
	STAY();
}

static inline __attribute__((always_inline)) void middle(int x)
{
	if (x) {
		int volatile copy = x;

		middle_line = __LINE__ + 1;
		inner();
		(void)copy;
	}
	STAY();
}

static NOINLINE void outer(int x)
{
	STAY();
	outer_line = __LINE__ + 1;
	middle(x);
	STAY();
}

/* What a C++ compiler would call them. */
void invert(void) __asm__("_ZNK1n4TranIdE6InvertERKd");
void in_std(void) __asm__("_ZNSt6vectorIiSaIiEE9push_backEOi");

NOINLINE void invert(void)
{
	catch_pc();
	STAY();
}

NOINLINE void in_std(void)
{
	catch_pc();
	STAY();
}

static int compare_catching(const void *a, const void *b)
{
	catch_pc();
	/* The caller of this function is qsort, in libc. */
	caught = (uint64_t)(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
	return *(const int *)a - *(const int *)b;
}

static void find_build_id(struct seep_module *module, const ElfW(Nhdr) *note, size_t bytes)
{
	const char *at = (const void *)note, *end = at + bytes;

	while (end - at > (ptrdiff_t)sizeof(*note)) {
		note = (const void *)at;
		at += sizeof(*note) + (note->n_namesz + 3) / 4 * 4;
		if (note->n_type == NT_GNU_BUILD_ID) {
			module->build_id = (const unsigned char *)at;
			module->build_id_bytes = note->n_descsz;
		}
		at += (note->n_descsz + 3) / 4 * 4;
	}
}

static int find_module(struct dl_phdr_info *info, size_t size, void *data)
{
	static char self[4096];
	struct seep_module *module = NULL;
	int i;

	(void)size, (void)data;
	if (!info->dlpi_name[0] && readlink("/proc/self/exe", self, sizeof(self) - 1) > 0) {
		module = &modules[SELF];
		module->path = self;
	} else if (strstr(info->dlpi_name, "libc.so")) {
		module = &modules[LIBC];
		module->path = info->dlpi_name;
	}
	for (i = 0; module && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uint64_t end = info->dlpi_addr + phdr->p_vaddr + phdr->p_memsz;

		module->bias = module->start = info->dlpi_addr;
		if (phdr->p_type == PT_LOAD && end > module->end)
			module->end = end;
		if (phdr->p_type == PT_NOTE)
			find_build_id(module, (const void *)(end - phdr->p_memsz),
				      phdr->p_memsz);
	}
	return 0;
}

static int begin_all(void **state)
{
	struct timespec now;

	(void)state;
	clock_gettime(CLOCK_REALTIME, &now);
	run.started_real_ns = (int64_t)now.tv_sec * 1000000000;
	dl_iterate_phdr(find_module, NULL);
	modules[3] = (struct seep_module){ .path = "/nowhere/libgone.so", .bias = 0x7f0000000000,
					   .start = 0x7f0000000000, .end = 0x7f0000100000 };
	modules[4] = modules[SELF]; /* rebuilt since */
	modules[4].build_id = (const unsigned char *)"12345678901234567890";
	modules[4].build_id_bytes = 20;
	modules[5].path = "[vdso]";
	modules[6].path = "/etc/passwd";
	modules[7].path = "";
	return 0;
}

static int begin(void **state)
{
	seep_arena_init(&arena);
	*state = seep_symbols_open(&run, &arena);
	return 0;
}

static int end(void **state)
{
	seep_symbols_close(*state);
	seep_arena_release(&arena);
	return 0;
}

static struct seep_stack resolve(void **state, uint64_t pc, uint32_t module)
{
	uint64_t *pcs = seep_arena_alloc(&arena, sizeof(*pcs));
	uint32_t *ids = seep_arena_alloc(&arena, sizeof(*ids));
	struct seep_stack stack = { .pcs = pcs, .modules = ids, .n_pcs = 1 };

	*pcs = pc;
	*ids = module;
	seep_symbols_resolve(*state, &stack);
	assert_true(stack.n_frames > 0);
	return stack;
}

static void assert_frame(const struct seep_frame *frame, const char *function, int line,
			 bool inlined)
{
	const char *file = "test_symbols.c";

	assert_string_equal(frame->function, function);
	assert_string_equal(frame->language, "c");
	assert_non_null(frame->file);
	assert_string_equal(frame->file + strlen(frame->file) - strlen(file), file);
	assert_int_equal(frame->line, line);
	assert_int_equal(frame->inlined, inlined);
	assert_string_equal(frame->module, strrchr(modules[SELF].path, '/') + 1);
}

static void finds_function_and_line(void **state)
{
	struct seep_stack stack;

	plain();
	stack = resolve(state, caught, SELF);
	assert_int_equal(stack.n_frames, 1);
	assert_frame(&stack.frames[0], "plain", plain_line, false);
}

static void finds_inlined_calls(void **state)
{
	struct seep_stack stack;

	outer(1);
	stack = resolve(state, caught, SELF);
	assert_int_equal(stack.n_frames, 3);
	assert_frame(&stack.frames[0], "inner", inner_line, true);
	assert_frame(&stack.frames[1], "middle", middle_line, true);
	assert_frame(&stack.frames[2], "outer", outer_line, false);
}

static void demangles_functions(void **state)
{
	struct seep_stack stack;

	invert();
	stack = resolve(state, caught, SELF);
	assert_string_equal(stack.frames[0].function, "n::Tran<double>::Invert");
}

static void demangles_names(void **state)
{
	static const char *const names[][2] = {
		{ "main", "main" },
		{ "_start", "_start" },
		{ "_Znwm", "operator new" },
		{ "_ZN1n3retIiEET_S1_PFS1_iE", "n::ret<int>" },
		{ "_ZN12_GLOBAL__N_14anonEi", "(anonymous namespace)::anon" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiSt4lessIS5_ESaIS"
		  "t4pairIKS5_iEEE3endEv",
		  "std::map<std::string, int, std::less<std::string>, std::allocator<std::pair<"
		  "std::string const, int> > >::end" },
		{ "_Znonsense", "_Znonsense" },
		{ "", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(seep_symbols_name_show(names[i][0], &arena), names[i][1]);
}

static void keeps_names_that_are_far_too_long(void **state)
{
	static char name[20000] = "_Z";

	(void)state;
	memset(name + 2, 'P', sizeof(name) - 3);
	assert_string_equal(seep_symbols_name_show(name, &arena), name);
}

static void tells_frames_of_libraries(void **state)
{
	static const struct {
		const char *function, *module;
		bool library;
		const char *file;
	} cases[] = {
		{ "malloc", "prog", true, NULL },
		{ "malloc_all_of_it", "prog", false, NULL },
		{ "operator new[]", "prog", true, NULL },
		{ "Pool::operator new", "prog", false, NULL },
		{ "std::vector<int>::push_back", "prog", true, NULL },
		{ "__gnu_cxx::new_allocator<int>::allocate", "prog", true, NULL },
		{ "(anonymous namespace)::f", "prog", false, NULL },
		{ "(deeper)", NULL, true, NULL },
		{ "anything", "libc.so.6", true, NULL },
		{ "anything", "libstdc++.so.6", true, NULL },
		{ "anything", "ld-linux-x86-64.so.2", true, NULL },
		{ "anything", "libcurl.so.4", false, NULL },
		{ "0x1234", NULL, false, NULL },
		{ "_PyMem_RawMalloc", "libpython3.11.so.1.0", true, NULL },
		{ "PyObject_Call", "libpython3.11.so.1.0", false, NULL },
		{ "H5FL_reg_malloc", "libhdf5_serial.so.103", true, NULL },
		{ "H5S_create", "libhdf5_serial.so.103", false, NULL },
		{ "f", "prog", true, "/usr/include/c++/12/future" },
		{ "f", "prog", true, "/usr/include/x86_64-linux-gnu/c++/12/bits/gthr.h" },
		{ "f", "prog", false, "/home/user/c++/include/f.h" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seep_frame frame = { .function = cases[i].function,
					    .module = cases[i].module, .file = cases[i].file };

		assert_int_equal(seep_symbols_name_is_library(&frame), cases[i].library);
	}
}

static void finds_the_own_frame(void **state)
{
	uint64_t pcs[3];
	uint32_t ids[3] = { LIBC, SELF, SELF };
	struct seep_stack stack = { .pcs = pcs, .modules = ids, .n_pcs = 3 };
	int numbers[] = { 3, 1, 2 };

	qsort(numbers, 3, sizeof(int), compare_catching);
	pcs[0] = caught;
	in_std();
	pcs[1] = caught;
	outer(1);
	pcs[2] = caught;
	seep_symbols_resolve(*state, &stack);
	assert_int_equal(stack.n_frames, 5);
	assert_string_equal(stack.frames[0].module, "libc.so.6");
	assert_string_equal(stack.frames[1].function,
			    "std::vector<int, std::allocator<int> >::push_back");
	assert_int_equal(stack.own_frame, 2);
	assert_string_equal(stack.frames[2].function, "inner");
	stack = (struct seep_stack){ .pcs = pcs, .modules = ids, .n_pcs = 2 };
	seep_symbols_resolve(*state, &stack);
	assert_int_equal(stack.own_frame, 0);
}

static void does_nothing_the_second_time(void **state)
{
	struct seep_stack stack;
	struct seep_frame *frames;

	plain();
	stack = resolve(state, caught, SELF);
	frames = stack.frames;
	seep_symbols_resolve(*state, &stack);
	assert_ptr_equal(stack.frames, frames);
	assert_int_equal(stack.n_frames, 1);
	/* The same address again has the same names. */
	assert_ptr_equal(resolve(state, caught, SELF).frames[0].function, frames[0].function);
}

static void names_what_is_not_there(void **state)
{
	struct seep_stack stack;
	char expected[256];

	assert_string_equal(resolve(state, SEEP_PC_CUT, 0).frames[0].function, "(deeper)");
	assert_string_equal(resolve(state, SEEP_PC_LOST, 0).frames[0].function,
			    "(no unwind rule)");
	assert_string_equal(resolve(state, 0, 0).frames[0].function, "(unknown)");
	assert_string_equal(resolve(state, 0x1234, 0).frames[0].function, "0x1234");
	assert_null(resolve(state, 0x1234, 0).frames[0].module);
	assert_string_equal(resolve(state, 0x1234, 77).frames[0].function, "0x1234");
	stack = resolve(state, 0x7ffd00001234, 5);
	assert_string_equal(stack.frames[0].function, "0x7ffd00001234");
	assert_string_equal(stack.frames[0].module, "[vdso]");
	stack = resolve(state, 0x7f0000001234, 3);
	assert_string_equal(stack.frames[0].function, "libgone.so+0x1234");
	assert_string_equal(stack.frames[0].module, "libgone.so");
	assert_null(stack.frames[0].file);
	assert_string_equal(resolve(state, 0x77, 6).frames[0].function, "passwd+0x77");
	assert_string_equal(resolve(state, 0x77, 7).frames[0].function, "0x77");
	plain();
	stack = resolve(state, caught, 4);
	snprintf(expected, sizeof(expected), "%s+0x%llx", stack.frames[0].module,
		 (unsigned long long)(caught - modules[SELF].bias));
	assert_string_equal(stack.frames[0].function, expected);
}

static void shows_an_empty_stack(void **state)
{
	struct seep_stack stack = { 0 };

	seep_symbols_resolve(*state, &stack);
	assert_int_equal(stack.n_frames, 1);
	assert_int_equal(stack.own_frame, 0);
	assert_string_equal(stack.frames[0].function, "(no stack)");
}

/* Without a build id a file that is newer than the run is another one. */
static void distrusts_newer_files_without_build_id(void **state)
{
	struct seep_module module = modules[SELF];
	Dwfl_Module *file;
	Dwfl *dwfl;

	(void)state;
	module.build_id_bytes = 0;
	assert_null(seep_symbols_file_open(&module, 0, &file));
	dwfl = seep_symbols_file_open(&module, run.started_real_ns, &file);
	assert_non_null(dwfl);
	dwfl_end(dwfl);
}

static void survives_odd_files(void **state)
{
	char folder[] = "/tmp/seep-symbols-XXXXXX", path[64];
	struct seep_module module = { .path = path, .start = 1, .end = 4096 };
	unsigned char head[256] = { 0 };
	Dwfl_Module *file;
	FILE *out;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(seep_symbols_file_open(&module, INT64_MAX / 2, &file));
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_null(seep_symbols_file_open(&module, INT64_MAX / 2, &file));
	rmdir(path);
	memcpy(head, "\177ELF\2\1\1", 7); /* and nothing behind it */
	head[16] = 3;
	head[18] = 62;
	out = fopen(path, "w");
	assert_int_equal(fwrite(head, 1, sizeof(head), out), sizeof(head));
	fclose(out);
	assert_null(seep_symbols_file_open(&module, INT64_MAX / 2, &file));
	unlink(path);
	rmdir(folder);
}

/* Any address in any module has a name, and a thousand stacks take no time. */
static void resolves_anything_quickly(void **state)
{
	double first = 0, all;
	clock_t from = clock();
	uint64_t seed = 4711;
	size_t i;

	for (i = 0; i < 20000; i++) {
		uint32_t id = i % 8;
		uint64_t size = modules[id].end - modules[id].start;
		uint64_t pc;
		struct seep_stack stack;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		pc = i % 100 == 99 || !size ? seed : modules[id].start + seed % size;
		stack = resolve(state, pc, id);
		assert_non_null(stack.frames[0].function);
		assert_true(stack.frames[0].line >= 0);
		if (i == 4000)
			first = (double)(clock() - from);
	}
	/* five times as many; if each took as long as there were before it, 25 times as long */
	all = (double)(clock() - from);
	assert_true(all <= 15 * first);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(finds_function_and_line),
		TEST(finds_inlined_calls),
		TEST(demangles_functions),
		TEST(demangles_names),
		TEST(keeps_names_that_are_far_too_long),
		TEST(tells_frames_of_libraries),
		TEST(finds_the_own_frame),
		TEST(does_nothing_the_second_time),
		TEST(names_what_is_not_there),
		TEST(shows_an_empty_stack),
		TEST(distrusts_newer_files_without_build_id),
		TEST(survives_odd_files),
		TEST(resolves_anything_quickly),
	};

	return cmocka_run_group_tests(tests, begin_all, NULL);
}
