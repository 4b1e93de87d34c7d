// SPDX-License-Identifier: MIT
#include "truth.h"

#include <new>
#include <string>

extern "C" __attribute__((visibility("default"))) void *plugin_call(int n);

SITE static void *cxx_inner(int n)
{
	std::string text(300, 'x');
	auto *block = new char[64];

	block[0] = text[(size_t)n];
	KEEP_FRAME();
	return block;
}

SITE static bool fails()
{
	volatile size_t huge = SIZE_MAX / 2;

	try {
		::operator delete(::operator new(huge));
	} catch (const std::bad_alloc &) {
		return true;
	}
	return false;
}

void *plugin_call(int n)
{
	void *block = fails() ? cxx_inner(n) : nullptr;

	KEEP_FRAME();
	return block;
}
