/* SPDX-License-Identifier: MIT */
/*
 * The operators new and delete, by their mangled names.
 *
 * If they are the C++ library's, which calls malloc, they are passed on with a jump.
 * If they are an allocator's, they are called, and then booked.  No guard is set around new:
 * an exception may leave it.  Each sized delete becomes the one without a size, since we may
 * have asked the allocator for more than the program did (at_least).
 *
 * This file is built with frame pointers: the walk starts at the hook's frame.
 */
#include "record/heap/hook/hooks.h"

#include "record/guard.h"
#include "record/heap/real/real.h"
#include "record/heap/real/real_new.h"

struct nothrow; /* std::nothrow_t */

/* If no C++ library can be found: does what it would have done. */
static void *allocate(size_t bytes, size_t alignment)
{
	if (!seep_real_ready())
		return seep_real_pool_alloc(bytes, alignment);
	if (alignment)
		return seep_real.memalign(alignment, bytes);
	return seep_real.malloc(bytes);
}

static bool is_known(const struct seep_real_new *real)
{
	return real->own || real->pass || (seep_real_find_news() && (real->own || real->pass));
}

#define NEW(symbol, number, parameters, arguments, alignment)                           \
	HOOK void *symbol parameters;                                                   \
	void *symbol parameters                                                         \
	{                                                                               \
		const struct seep_real_new *real = &seep_real_news[number];             \
		const size_t asked = bytes;                                             \
		void *block;                                                            \
		if (real->pass || (is_known(real) && real->pass))                       \
			return ((void *(*) parameters)real->pass) arguments;            \
		bytes = at_least(bytes);                                                \
		seep_hooks_arrived = NULL;                                              \
		if (real->own)                                                          \
			block = ((void *(*) parameters)real->own) arguments;            \
		else                                                                    \
			block = allocate(bytes, alignment);                             \
		if (seep_hooks_arrived != block)                                        \
			seep_hooks_arrive(block, asked, HERE);                          \
		return block;                                                           \
	}

NEW(_Znwm, SEEP_NEW, (size_t bytes), (bytes), 0)
NEW(_Znam, SEEP_NEW_ARRAY, (size_t bytes), (bytes), 0)
NEW(_ZnwmRKSt9nothrow_t, SEEP_NEW_NOTHROW,
	(size_t bytes, const struct nothrow *nothrow), (bytes, nothrow), 0)
NEW(_ZnamRKSt9nothrow_t, SEEP_NEW_ARRAY_NOTHROW,
	(size_t bytes, const struct nothrow *nothrow), (bytes, nothrow), 0)
NEW(_ZnwmSt11align_val_t, SEEP_NEW_ALIGNED,
	(size_t bytes, size_t align), (bytes, align), align)
NEW(_ZnamSt11align_val_t, SEEP_NEW_ARRAY_ALIGNED,
	(size_t bytes, size_t align), (bytes, align), align)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, SEEP_NEW_ALIGNED_NOTHROW,
	(size_t bytes, size_t align, const struct nothrow *nothrow), (bytes, align, nothrow), align)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, SEEP_NEW_ARRAY_ALIGNED_NOTHROW,
	(size_t bytes, size_t align, const struct nothrow *nothrow), (bytes, align, nothrow), align)

static void release(void *block)
{
	if (seep_real_ready())
		seep_real.free(block);
}

/* unsized: the operator that takes the parameters of the same name and no size */
#define DELETE(symbol, number, parameters, arguments, unsized, unsized_types, unsized_arguments) \
	HOOK void symbol parameters;                                                    \
	void symbol parameters                                                          \
	{                                                                               \
		const struct seep_real_new *real = &seep_real_news[number];             \
		int guard = seep_guard;                                                 \
		if (real->pass || (is_known(real) && real->pass)) {                     \
			((void (*) parameters)real->pass) arguments;                    \
			return;                                                         \
		}                                                                       \
		if (!block || seep_real_pool_holds(block))                              \
			return;                                                         \
		seep_hooks_leave(block, HERE);                                          \
		seep_guard = SEEP_GUARD_REAL;                                           \
		if (seep_real_news[unsized].own)                                        \
			((void (*) unsized_types)seep_real_news[unsized].own) unsized_arguments; \
		else if (real->own)                                                     \
			((void (*) parameters)real->own) arguments;                     \
		else                                                                    \
			release(block);                                                 \
		seep_guard = guard;                                                     \
	}

#define DELETE_PLAIN(symbol, number, parameters, arguments) \
	DELETE(symbol, number, parameters, arguments, SEEP_DELETE, (void *), (block))
#define DELETE_ALIGNED(symbol, number, parameters, arguments)                            \
	DELETE(symbol, number, parameters, arguments, SEEP_DELETE_ALIGNED, (void *, size_t), \
	       (block, align))

DELETE_PLAIN(_ZdlPv, SEEP_DELETE, (void *block), (block))
DELETE_PLAIN(_ZdaPv, SEEP_DELETE_ARRAY, (void *block), (block))
DELETE_PLAIN(_ZdlPvm, SEEP_DELETE_SIZED, (void *block, size_t bytes), (block, bytes))
DELETE_PLAIN(_ZdaPvm, SEEP_DELETE_ARRAY_SIZED, (void *block, size_t bytes), (block, bytes))
DELETE_PLAIN(_ZdlPvRKSt9nothrow_t, SEEP_DELETE_NOTHROW,
	     (void *block, const struct nothrow *nothrow), (block, nothrow))
DELETE_PLAIN(_ZdaPvRKSt9nothrow_t, SEEP_DELETE_ARRAY_NOTHROW,
	     (void *block, const struct nothrow *nothrow), (block, nothrow))
DELETE_ALIGNED(_ZdlPvSt11align_val_t, SEEP_DELETE_ALIGNED,
	       (void *block, size_t align), (block, align))
DELETE_ALIGNED(_ZdaPvSt11align_val_t, SEEP_DELETE_ARRAY_ALIGNED,
	       (void *block, size_t align), (block, align))
DELETE_ALIGNED(_ZdlPvmSt11align_val_t, SEEP_DELETE_SIZED_ALIGNED,
	       (void *block, size_t bytes, size_t align), (block, bytes, align))
DELETE_ALIGNED(_ZdaPvmSt11align_val_t, SEEP_DELETE_ARRAY_SIZED_ALIGNED,
	       (void *block, size_t bytes, size_t align), (block, bytes, align))
DELETE_ALIGNED(_ZdlPvSt11align_val_tRKSt9nothrow_t, SEEP_DELETE_ALIGNED_NOTHROW,
	       (void *block, size_t align, const struct nothrow *nothrow), (block, align, nothrow))
DELETE_ALIGNED(_ZdaPvSt11align_val_tRKSt9nothrow_t, SEEP_DELETE_ARRAY_ALIGNED_NOTHROW,
	       (void *block, size_t align, const struct nothrow *nothrow), (block, align, nothrow))
