/* SPDX-License-Identifier: MIT */
/* What hooks have in common. */
#ifndef SEEP_RECORD_HEAP_HOOKS_H
#define SEEP_RECORD_HEAP_HOOKS_H

#include "record/heap/real.h"

#define HOOK __attribute__((visibility("default"), used))
#define HERE __builtin_frame_address(0)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline size_t at_least(size_t bytes)
{
	return bytes < seep_real.least ? seep_real.least : bytes;
}

/* Books a block that has come, or is about to go, if it is for us to book; frame: of the hook. */
void seep_hooks_arrive(const void *block, size_t bytes, const void *frame);
void seep_hooks_leave(const void *block, const void *frame);

#endif
