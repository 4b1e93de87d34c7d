/* SPDX-License-Identifier: MIT */
#include "record/heap/real/real.h"

#include "record/guard.h"
#include "record/heap/real/real_call.h"
#include "record/heap/real/real_map.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POOL_BYTES ((size_t)64 << 10)
#define HEAD_BYTES ((size_t)16)

struct seep_real seep_real;
bool seep_real_hook_called;

static _Atomic int state; /* 0 not looked up, 1 looking, 2 ready */
static _Alignas(4096) unsigned char pool[POOL_BYTES];
static _Atomic size_t pool_used;
static _Atomic uint64_t pool_blocks;

#define LOOK_UP(field, name) (*(void **)(void *)&seep_real.field = dlsym(RTLD_NEXT, name))

static bool is_from_libc(void)
{
	Dl_info allocator, libc;
	void *alloc = *(void **)(void *)&seep_real.malloc;
	void *of_libc = dlsym(RTLD_NEXT, "gnu_get_libc_version");

	return dladdr(alloc, &allocator) && dladdr(of_libc, &libc) &&
	       allocator.dli_fbase == libc.dli_fbase;
}

static void look_up(void)
{
	LOOK_UP(malloc, "malloc");
	LOOK_UP(calloc, "calloc");
	LOOK_UP(realloc, "realloc");
	LOOK_UP(free, "free");
	LOOK_UP(posix_memalign, "posix_memalign");
	LOOK_UP(aligned_alloc, "aligned_alloc");
	LOOK_UP(memalign, "memalign");
	LOOK_UP(valloc, "valloc");
	LOOK_UP(pvalloc, "pvalloc");
	LOOK_UP(usable_size, "malloc_usable_size");
	LOOK_UP(exit_now, "_exit");
	LOOK_UP(dlclose, "dlclose");
	seep_real.from_libc = is_from_libc();
	seep_real.least = seep_real.from_libc ? 0 : 16; /* others may have blocks of 8 bytes */
	seep_real_map_look_up();
	seep_real_call_look_up();
	/*
	 * Other allocators may call their own functions by name, and so reach our hooks.  The C
	 * library's does not: if a hook is called meanwhile, it is by a signal handler, and counts.
	 */
	seep_real.guard = seep_real.from_libc ? SEEP_GUARD_OUT : SEEP_GUARD_REAL;
}

bool seep_real_ready(void)
{
	int expected = 0;

	if (atomic_load_explicit(&state, memory_order_acquire) == 2)
		return true;
	/* The first call comes from the loader, before there is a second thread. */
	if (!atomic_compare_exchange_strong(&state, &expected, 1))
		return false;
	look_up();
	atomic_store_explicit(&state, 2, memory_order_release);
	return true;
}

/*
 * Found out by a call: comparing addresses is not enough, since a program that is not position
 * independent has its own PLT entry, which leads here.
 */
bool seep_real_is_behind_us(void)
{
	void *(*allocate)(size_t);
	void (*release)(void *);
	void *symbol = dlsym(RTLD_DEFAULT, "malloc");

	memcpy(&allocate, &symbol, sizeof(allocate));
	symbol = dlsym(RTLD_DEFAULT, "free");
	memcpy(&release, &symbol, sizeof(release));
	seep_real_hook_called = false;
	release(allocate(1));
	return seep_real_hook_called;
}

bool seep_real_is_sanitized(void)
{
	return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__hwasan_init") ||
	       dlsym(RTLD_DEFAULT, "__tsan_init") || dlsym(RTLD_DEFAULT, "__msan_init");
}

/* A block in the pool is preceded by its size. */
void *seep_real_pool_alloc(size_t bytes, size_t alignment)
{
	size_t align = alignment > HEAD_BYTES ? alignment : HEAD_BYTES;
	size_t used = atomic_load(&pool_used), start, end;

	if (bytes > POOL_BYTES || align > POOL_BYTES)
		goto full;
	do {
		start = (used + HEAD_BYTES + align - 1) & ~(align - 1);
		end = (start + bytes + HEAD_BYTES - 1) & ~(HEAD_BYTES - 1);
		if (end > POOL_BYTES)
			goto full;
	} while (!atomic_compare_exchange_weak(&pool_used, &used, end));
	*(size_t *)(void *)(pool + start - HEAD_BYTES) = bytes;
	atomic_fetch_add(&pool_blocks, 1);
	return pool + start;
full:
	errno = ENOMEM;
	return NULL;
}

bool seep_real_pool_holds(const void *block)
{
	return (uintptr_t)block - (uintptr_t)pool < POOL_BYTES;
}

size_t seep_real_pool_size(const void *block)
{
	return *(const size_t *)(const void *)((const unsigned char *)block - HEAD_BYTES);
}

uint64_t seep_real_pool_blocks(void)
{
	return atomic_load(&pool_blocks);
}

const void *seep_real_pool_start(void)
{
	return pool;
}

size_t seep_real_pool_bytes(void)
{
	return POOL_BYTES;
}
