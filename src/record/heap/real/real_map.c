/* SPDX-License-Identifier: MIT */
#include "record/heap/real/real_map.h"

#include "record/heap/real/real.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

struct seep_real_map seep_real_map;

#define LOOK_UP(field, name) (*(void **)(void *)&seep_real_map.field = dlsym(RTLD_NEXT, name))

/* An allocator may map memory outside our hooks: in its own thread, in its operator new. */
static void find_allocator(void)
{
	struct dl_find_object found;
	void *allocator = *(void **)(void *)&seep_real.malloc;

	if (seep_real.from_libc || _dl_find_object(allocator, &found))
		return;
	seep_real_map.allocator_start = (uintptr_t)found.dlfo_map_start;
	seep_real_map.allocator_end = (uintptr_t)found.dlfo_map_end;
}

void seep_real_map_look_up(void)
{
	LOOK_UP(mmap, "mmap");
	LOOK_UP(munmap, "munmap");
	LOOK_UP(mremap, "mremap");
	LOOK_UP(mprotect, "mprotect");
	LOOK_UP(sbrk, "sbrk");
	LOOK_UP(brk, "brk");
	LOOK_UP(create, "pthread_create");
	LOOK_UP(join, "pthread_join");
	LOOK_UP(tryjoin, "pthread_tryjoin_np");
	LOOK_UP(timedjoin, "pthread_timedjoin_np");
	LOOK_UP(clockjoin, "pthread_clockjoin_np");
	LOOK_UP(detach, "pthread_detach");
	LOOK_UP(create_c11, "thrd_create");
	LOOK_UP(join_c11, "thrd_join");
	LOOK_UP(detach_c11, "thrd_detach");
	find_allocator();
}

void *seep_real_map_mmap(void *address, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	if (seep_real_ready() && seep_real_map.mmap)
		return seep_real_map.mmap(address, bytes, prot, flags, fd, offset);
	return (void *)syscall(SYS_mmap, address, bytes, prot, flags, fd, offset);
}

int seep_real_map_munmap(void *address, size_t bytes)
{
	if (seep_real_ready() && seep_real_map.munmap)
		return seep_real_map.munmap(address, bytes);
	return (int)syscall(SYS_munmap, address, bytes);
}

void *seep_real_map_mremap(void *old, size_t old_bytes, size_t bytes, int flags, void *address)
{
	if (seep_real_ready() && seep_real_map.mremap)
		return seep_real_map.mremap(old, old_bytes, bytes, flags, address);
	return (void *)syscall(SYS_mremap, old, old_bytes, bytes, flags, address);
}

int seep_real_map_mprotect(void *address, size_t bytes, int prot)
{
	if (seep_real_ready() && seep_real_map.mprotect)
		return seep_real_map.mprotect(address, bytes, prot);
	return (int)syscall(SYS_mprotect, address, bytes, prot);
}
