/* SPDX-License-Identifier: MIT */
#include "record/heap/stack/unwind.h"

#include "os/mmap.h"
#include "record/heap/stack/module.h"

#include <dlfcn.h>

struct seep_unwind_slot *seep_unwind_slots;

uint32_t seep_unwind_now = 1;  /* the epoch */
uint32_t seep_unwind_unloads;  /* that have not returned */

bool seep_unwind_init(void)
{
	seep_unwind_slots = seep_mmap_new(SEEP_UNWIND_SLOTS * sizeof(*seep_unwind_slots));
	return seep_unwind_slots != NULL;
}

/* While something is unloaded, each call gets a new epoch: nothing known is trusted. */
uint32_t seep_unwind_epoch(void)
{
	if (__builtin_expect(__atomic_load_n(&seep_unwind_unloads, __ATOMIC_ACQUIRE) != 0, 0))
		return __atomic_add_fetch(&seep_unwind_now, 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&seep_unwind_now, __ATOMIC_ACQUIRE);
}

void seep_unwind_begin_unload(void)
{
	uint32_t i;

	__atomic_fetch_add(&seep_unwind_unloads, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < SEEP_UNWIND_SLOTS; i++) {
		__atomic_store_n(&seep_unwind_slots[i].mixed, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&seep_unwind_slots[i].rule, 0, __ATOMIC_RELAXED);
	}
	__atomic_fetch_add(&seep_unwind_now, 1, __ATOMIC_SEQ_CST);
}

void seep_unwind_end_unload(void)
{
	__atomic_fetch_add(&seep_unwind_now, 1, __ATOMIC_SEQ_CST);
	/* It may have forked meanwhile. */
	if (__atomic_load_n(&seep_unwind_unloads, __ATOMIC_SEQ_CST))
		__atomic_fetch_sub(&seep_unwind_unloads, 1, __ATOMIC_SEQ_CST);
}

void seep_unwind_begin_epoch(void)
{
	__atomic_fetch_add(&seep_unwind_now, 1, __ATOMIC_SEQ_CST);
}

void seep_unwind_forked(void)
{
	__atomic_store_n(&seep_unwind_unloads, 0, __ATOMIC_SEQ_CST);
}

static bool fits(int64_t value, unsigned int bits)
{
	int64_t half = (int64_t)1 << (bits - 1);

	return value >= -half && value < half;
}

static bool is_common(const struct seep_cfi *cfi)
{
	int64_t word = sizeof(uintptr_t);

	if (cfi->kind != SEEP_CFI_SP && cfi->kind != SEEP_CFI_BP)
		return false;
	if (cfi->bp == SEEP_CFI_BP_SAME)
		return true;
	if (cfi->bp != SEEP_CFI_BP_AT_CFA || cfi->bp_offset > -word)
		return false;
	/* The slot is in the frame itself, so the walk need not check its address. */
	return cfi->kind == SEEP_CFI_SP ? cfi->bp_offset >= -cfi->offset
					: cfi->bp_offset == -2 * word;
}

static seep_rule pack(const struct seep_cfi *cfi, uint32_t module)
{
	seep_rule rule = (uint64_t)(module & 0xfff) << 46;

	if (!fits(cfi->offset, 26) || !fits(cfi->bp_offset, 20))
		return rule; /* SEEP_CFI_UNKNOWN: a frame of more than 32 MB */
	return rule | (uint64_t)is_common(cfi) << 63 | (uint64_t)cfi->kind << 60 |
	       (uint64_t)cfi->bp << 58 | ((uint64_t)cfi->bp_offset & 0xfffff) << 26 |
	       ((uint64_t)cfi->offset & 0x3ffffff);
}

static seep_rule compile(uintptr_t key)
{
	struct seep_cfi cfi = {.kind = SEEP_CFI_UNKNOWN};
	struct dl_find_object found;
	uint32_t module = 0;

	/* Lock-free and safe in signal handlers, unlike dl_iterate_phdr. */
	if (!_dl_find_object((void *)key, &found)) {
		module = seep_module_id(&found, seep_unwind_epoch());
		if (found.dlfo_eh_frame)
			cfi = seep_cfi_find(found.dlfo_eh_frame, key);
		/* No call returns to the start of a function: makecontext put it there as root. */
		if (found.dlfo_eh_frame && cfi.kind == SEEP_CFI_UNKNOWN &&
		    seep_cfi_starts(found.dlfo_eh_frame, key + 1))
			cfi.kind = SEEP_CFI_END;
	}
	return pack(&cfi, module);
}

__attribute__((noinline)) seep_rule seep_unwind_learn(struct seep_unwind_slot *slot, uintptr_t key)
{
	uint32_t before = __atomic_load_n(&seep_unwind_now, __ATOMIC_ACQUIRE);
	seep_rule rule = compile(key);

	__atomic_store_n(&slot->rule, rule, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->mixed, rule ^ key, __ATOMIC_RELAXED);
	/* A thread that forgets all rules may have passed this slot before the rule was in it. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!seep_unwind_is_epoch(before))
		__atomic_store_n(&slot->mixed, ~rule, __ATOMIC_RELAXED);
	return rule;
}
