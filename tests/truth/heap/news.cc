// SPDX-License-Identifier: MIT
// Every operator new and delete, beside malloc; with an argument also those that fail.
#include "truth.h"

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#ifndef __cpp_sized_deallocation // clang: only on request
void operator delete(void *block, std::size_t bytes) noexcept;
void operator delete[](void *block, std::size_t bytes) noexcept;
void operator delete(void *block, std::size_t bytes, std::align_val_t alignment) noexcept;
void operator delete[](void *block, std::size_t bytes, std::align_val_t alignment) noexcept;
#endif

static void *kept[1000];
static int n_kept;
static long long blocks, bytes;

static void keep(void *block, size_t n)
{
	kept[n_kept++] = block;
	blocks++;
	bytes += (long long)n;
}

// Multiples of the alignment: the C++ library would ask for no less.
SITE static void by_new()
{
	for (int i = 0; i < 50; i++) {
		keep(::operator new(8), 8); // two of these may start within 16 bytes
		keep(::operator new[](100), 100);
		keep(::operator new(24, std::nothrow), 24);
		keep(::operator new[](3, std::nothrow), 3);
		keep(::operator new(192, std::align_val_t(64)), 192);
		keep(::operator new[](96, std::align_val_t(32)), 96);
		keep(::operator new(5120, std::align_val_t(256), std::nothrow), 5120);
		keep(::operator new[](128, std::align_val_t(128), std::nothrow), 128);
	}
	KEEP_FRAME();
}

SITE static void by_both()
{
	for (int i = 0; i < 1000; i++) {
		::operator delete(::operator new(8));
		::operator delete(::operator new(8), std::size_t(8));
		::operator delete[](::operator new[](60));
		::operator delete[](::operator new[](60), std::size_t(60));
		::operator delete(::operator new(9), std::nothrow);
		::operator delete[](::operator new[](9), std::nothrow);
		::operator delete(::operator new(8, std::align_val_t(64)), std::align_val_t(64));
		::operator delete[](::operator new[](8, std::align_val_t(64)),
				    std::align_val_t(64));
		::operator delete(::operator new(90, std::align_val_t(64)), std::size_t(90),
				  std::align_val_t(64));
		::operator delete[](::operator new[](90, std::align_val_t(64)), std::size_t(90),
				    std::align_val_t(64));
		::operator delete(::operator new(7, std::align_val_t(32)), std::align_val_t(32),
				  std::nothrow);
		::operator delete[](::operator new[](7, std::align_val_t(32)), std::align_val_t(32),
				    std::nothrow);
		::operator delete(nullptr);
		free(malloc(8));
	}
	std::vector<std::string> words(100, std::string(100, 'x'));
	KEEP_FRAME();
}

SITE static int by_failing()
{
	volatile size_t huge = SIZE_MAX / 2;
	int failed = 0;

	for (int i = 0; i < 10; i++) {
		try {
			keep(::operator new(huge), 0);
		} catch (const std::bad_alloc &) {
			failed++;
		}
		try {
			keep(::operator new[](huge), 0);
		} catch (const std::bad_alloc &) {
			failed++;
		}
		failed += !::operator new(huge, std::nothrow);
	}
	KEEP_FRAME();
	return failed;
}

SITE static void by_malloc()
{
	for (int i = 0; i < 20; i++)
		kept[n_kept++] = malloc(33);
	KEEP_FRAME();
}

int main(int argc, char **)
{
	by_new();
	long long new_blocks = blocks, new_bytes = bytes;
	by_both();
	int failed = argc > 1 ? by_failing() : 30;
	by_malloc();
	truth_site("by_new", new_blocks, new_bytes);
	truth_site("by_both", 0, 0);
	truth_site("by_failing", 0, 0);
	truth_site("by_malloc", 20, 20 * 33);
	return failed != 30 || kept[0] == nullptr;
}
