/* SPDX-License-Identifier: MIT */
#include "record/heap/real/real_new.h"

#include "record/guard.h"
#include "record/heap/real/real.h"
#include "record/heap/start.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct seep_real_new seep_real_news[SEEP_OPERATORS];

static const char *const names[SEEP_OPERATORS] = {
	"_Znwm", "_Znam",
	"_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
	"_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
	"_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZnamSt11align_val_tRKSt9nothrow_t",
	"_ZdlPv", "_ZdaPv",
	"_ZdlPvm", "_ZdaPvm",
	"_ZdlPvRKSt9nothrow_t", "_ZdaPvRKSt9nothrow_t",
	"_ZdlPvSt11align_val_t", "_ZdaPvSt11align_val_t",
	"_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t",
	"_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t",
};

/*
 * The next object in the search order.  If a C program loads a C++ plugin, the C++ library
 * is not in that order; then it is looked up by name, and stays loaded.
 */
static void *find_place(void)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
	size_t i;
	void *library;

	if (dlsym(RTLD_NEXT, names[SEEP_NEW]))
		return RTLD_NEXT;
	for (i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		if (library && dlsym(library, names[SEEP_NEW]))
			return library;
	}
	return NULL;
}

/* Whether the symbol is in the same object as malloc. */
static bool is_allocators(const void *symbol)
{
	Dl_info info, of_malloc;

	return symbol && dladdr(symbol, &info) &&
	       dladdr(*(void **)(void *)&seep_real.malloc, &of_malloc) &&
	       info.dli_fbase == of_malloc.dli_fbase;
}

/* Or may become so: the decision comes early, but other code may run before it. */
static bool is_tracked(void)
{
	return __atomic_load_n(&seep_start_state, __ATOMIC_ACQUIRE) != SEEP_START_OFF;
}

/* Whether new, called with the guard set, calls malloc by its name after all. */
static bool calls_malloc(void *of_new, void *of_delete)
{
	void *(*allocate)(size_t);
	void (*release)(void *);

	memcpy(&allocate, &of_new, sizeof(allocate));
	memcpy(&release, &of_delete, sizeof(release));
	seep_real_hook_called = false;
	release(allocate(1));
	return seep_real_hook_called;
}

/* Each operator is checked: an allocator may lack some, which then come from the C++ library. */
static void fill(void *place, bool has_own)
{
	uint32_t i;

	for (i = 0; i < SEEP_OPERATORS; i++) {
		void *symbol = dlsym(place, names[i]);
		void (*function)(void);
		bool own = has_own && is_allocators(symbol);

		memcpy(&function, &symbol, sizeof(function));
		__atomic_store_n(own ? &seep_real_news[i].own : &seep_real_news[i].pass, function,
				 __ATOMIC_RELEASE);
	}
}

/* Needs no lock: threads that come here at the same time find the same. */
bool seep_real_find_news(void)
{
	int guard = seep_guard, saved = errno;
	void *place, *of_new;

	if (!seep_real_ready())
		return false;
	seep_guard = SEEP_GUARD_REAL; /* the loader allocates */
	place = find_place();
	of_new = place ? dlsym(place, names[SEEP_NEW]) : NULL;
	if (place)
		fill(place, is_tracked() && is_allocators(of_new) &&
			    !calls_malloc(of_new, dlsym(place, names[SEEP_DELETE])));
	seep_guard = guard;
	errno = saved;
	return place;
}
