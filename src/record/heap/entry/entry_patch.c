/* SPDX-License-Identifier: MIT */
#include "record/heap/entry/entry.h"
#include "record/heap/entry/entry_memory.h"

#include <errno.h>
#include <string.h>

#define STUB_PUSH 0      /* push imm32 */
#define STUB_CALL 5      /* call *slot(%rip) */
#define STUB_DROP 11     /* lea 8(%rsp),%rsp: the flags stay */
#define STUB_CODE SEEP_ENTRY_ORIGINAL
#define SLOT 1024        /* of the page: where the call goes */

static void put32(unsigned char *at, uint64_t value)
{
	uint32_t low = (uint32_t)value;

	memcpy(at, &low, sizeof(low));
}

static bool put_distance(unsigned char *at, uintptr_t from, uintptr_t to)
{
	int64_t distance = (int64_t)(to - from);

	put32(at, (uint64_t)distance);
	return distance == (int32_t)distance;
}

static bool fix(unsigned char *code, const struct seep_entry_fixup *fixup, uintptr_t base)
{
	uintptr_t target = base + fixup->target;

	if (fixup->kind == 'r')
		return put_distance(code + fixup->at, (uintptr_t)code + fixup->end, target);
	put32(code + fixup->at, fixup->kind == 'a' ? target : target >> 32);
	return true;
}

/* False if something is out of reach. */
static bool write_stub(unsigned char *stub, const struct seep_entry *entry, uint32_t index,
		       uintptr_t base)
{
	static const unsigned char head[STUB_CODE] = {
		0x68, 0, 0, 0, 0, 0xff, 0x15, 0, 0, 0, 0, 0x48, 0x8d, 0x64, 0x24, 0x08,
	};
	static const unsigned char pool[] = {0xff, 0x25}; /* jmp *slot(%rip) */
	unsigned char *code = stub + STUB_CODE, *end = code + entry->n_code;
	seep_entry_wrapper *called = entry->wrapper ? entry->wrapper : seep_entry_enter;
	uintptr_t back = base + entry->address + entry->n_bytes;
	uint32_t i;

	memcpy(stub, head, sizeof(head));
	put32(stub + STUB_PUSH + 1, index);
	put_distance(stub + STUB_CALL + 2, (uintptr_t)stub + STUB_DROP, (uintptr_t)stub + SLOT);
	if (entry->wrapper) {
		memcpy(stub, pool, sizeof(pool));
		put_distance(stub + sizeof(pool), (uintptr_t)stub + sizeof(pool) + 4,
			     (uintptr_t)stub + SLOT);
	}
	memcpy(stub + SLOT, &called, sizeof(called));
	memcpy(code, entry->code, entry->n_code);
	for (i = 0; i < entry->n_fixups; i++)
		if (!fix(code, &entry->fixups[i], base))
			return false;
	end[0] = 0xe9;
	return put_distance(end + 1, (uintptr_t)end + SEEP_ENTRY_JUMP, back);
}

static void fail(struct seep_entry *entry, const char *why, int error)
{
	entry->why = why;
	entry->error = error;
}

static bool is_near(const struct seep_entry *entry, uintptr_t at)
{
	uintptr_t page = (uintptr_t)entry->page;

	return (page > at ? page - at : at - page) < SEEP_ENTRY_REACH;
}

/* The page of an object that was unloaded serves again. */
static bool make_page(struct seep_entry *entry, uintptr_t at)
{
	int error;

	if (entry->page && is_near(entry, at)) {
		error = seep_entry_memory_unseal(entry->page);
		if (error)
			fail(entry, "the tracker's own code could not be made writable", error);
		return !error;
	}
	entry->page = seep_entry_memory_page(at);
	if (!entry->page)
		fail(entry, "there is no free memory within 2 GB of its code", -ENOMEM);
	return entry->page;
}

void seep_entry_patch(struct seep_entry *entry, uint32_t index, uintptr_t base)
{
	uintptr_t at = base + entry->address;
	unsigned char jump[SEEP_ENTRY_JUMP] = {0xe9};
	int error;

	if (memcmp((const void *)at, entry->bytes, entry->n_bytes) != 0) {
		fail(entry, "its code in memory is not that of its file", -EINVAL);
		return;
	}
	if (!make_page(entry, at))
		return;
	if (!write_stub(entry->page, entry, index, base) ||
	    !put_distance(jump + 1, at + SEEP_ENTRY_JUMP, (uintptr_t)entry->page)) {
		fail(entry, "there is no free memory near enough to its code", -ENOMEM);
		return;
	}
	error = seep_entry_memory_seal(entry->page);
	if (error) {
		fail(entry, "the system lets the tracker add no code to the program", error);
		return;
	}
	error = seep_entry_memory_write(at, jump, sizeof(jump));
	if (error) {
		fail(entry, "its code could not be made writable", error);
		return;
	}
	entry->base = base;
	entry->is_patched = true;
	entry->why = NULL;
}
