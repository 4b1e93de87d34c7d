/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program at whose entry the tracker is called (seep run --event fn:NAME).
 *
 * The tracker knows neither symbols nor instructions.  seep run finds the function in its file,
 * decodes the first instructions, and describes in SEEP_ENTRY what is to be done:
 *
 *	SEEP_ENTRY   entries, separated by ';'
 *	entry        role,name,object,address,bytes,code,fixups
 *
 *	role      e: an event begins; s: a stamp, which begins a phase; l: an object was loaded;
 *	          aN: the function of a pool that allocates as many bytes as its argument N says,
 *	          a=N: ... blocks of N bytes; fN: the one that frees its argument N
 *	name      as the user typed it, in hexadecimal
 *	object    its build id in hexadecimal, or "@device:inode" of a file that has none
 *	address   of the first byte that is replaced, in the object, in hexadecimal
 *	bytes     in hexadecimal: what has to be there; at least five bytes, of which the first five
 *	          become a jump
 *	code      in hexadecimal: the same instructions, to be executed elsewhere
 *	fixups    each "kind.at.end.target", joined by '+': at byte `at` of the code are 4 bytes to
 *	          fill in.  r: target - (address of code + end); a, b: the lower and upper half of
 *	          the address of target.  target is an address in the object.
 *
 * An object that is loaded later gets its jumps before its constructors run: the loader calls
 * _dl_debug_state for debuggers, and seep run makes this an entry with the role l.
 *
 *	entry of the function          stub, less than 2 GB away
 *	    jmp stub            ---->  push number of the entry; call seep_entry_enter
 *	    (rest)        <---+        the instructions that the jump replaced
 *	                      +------  jmp (rest)
 *
 * Nothing of the stub is on the stack when the function runs, so walks and exceptions never see it.
 *
 * The stub of a pool's function goes to a function of the tracker (hook/hooks_pool.c), which calls
 * the original at SEEP_ENTRY_ORIGINAL of the stub's page and sees what it returns.
 */
#ifndef SEEP_RECORD_HEAP_ENTRY_ENTRY_H
#define SEEP_RECORD_HEAP_ENTRY_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_ENTRY_MOST 64u         /* entries */
#define SEEP_ENTRY_BYTES_MOST 32u   /* of the instructions that are replaced */
#define SEEP_ENTRY_CODE_MOST 96u
#define SEEP_ENTRY_FIXUPS_MOST 8u
#define SEEP_ENTRY_JUMP 5u          /* bytes of a jump */

enum seep_entry_role {
	SEEP_ENTRY_EVENT,
	SEEP_ENTRY_STAMP,
	SEEP_ENTRY_LOADED,
	SEEP_ENTRY_ALLOCATES,
	SEEP_ENTRY_FREES,
};

/* What the stub of a pool's function leads to; it has the arguments and result of that function. */
typedef void seep_entry_wrapper(void);

struct seep_entry_fixup {
	char kind;
	uint32_t at, end;
	uint64_t target;
};

struct seep_entry {
	enum seep_entry_role role;
	const char *name;
	unsigned char build_id[64];
	uint32_t build_id_bytes; /* 0: device and inode */
	uint64_t device, inode;
	uint64_t address;
	unsigned char bytes[SEEP_ENTRY_BYTES_MOST];
	uint32_t n_bytes;
	unsigned char code[SEEP_ENTRY_CODE_MOST];
	uint32_t n_code;
	struct seep_entry_fixup fixups[SEEP_ENTRY_FIXUPS_MOST];
	uint32_t n_fixups;
	uint32_t argument;       /* with the size or block, from 1 on; 0: size is bytes_each */
	uint64_t bytes_each;
	seep_entry_wrapper *wrapper; /* of a pool's function; else NULL */

	uintptr_t base;          /* what is added to addresses of its object; valid if is_patched */
	bool is_patched;
	bool is_called;
	bool is_seen;            /* its object was found in the current search */
	bool was_seen;           /* ... or in an earlier one */
	void *page;              /* with its stub */
	int error;               /* -errno of what failed */
	const char *why;         /* it was not patched; NULL: nothing failed */
};

/*
 * Reads SEEP_ENTRY and changes the functions that are loaded.  Called once, before main.  choose
 * finds the wrapper for a pool's function; NULL: there are no more.
 */
void seep_entry_begin(seep_entry_wrapper *(*choose)(struct seep_entry *entry));

/* The original of a pool's function. */
#define SEEP_ENTRY_ORIGINAL 16
static inline void *seep_entry_original(const struct seep_entry *entry)
{
	return (char *)entry->page + SEEP_ENTRY_ORIGINAL;
}

/* Looks for objects that came or went. */
void seep_entry_look(void);

/* The program ends: notes for what was never called.  The recording is held. */
void seep_entry_finish(void);

/* entry_stub.c: what a stub calls, at first in assembler; whether this processor is known. */
bool seep_entry_stub_prepare(void);
extern void seep_entry_enter(void);

/* entry_init.c: the program has entered function number index. */
void seep_entry_entered(uint32_t index);

/* entry_patch.c: makes the stub and the jump to it; fills why and error. */
void seep_entry_patch(struct seep_entry *entry, uint32_t index, uintptr_t base);

/* entry_read.c: one entry from text up to ';' or the end; false if it is not one. */
bool seep_entry_read(struct seep_entry *entry, const char *text, char *names, size_t *used,
		     size_t room);

#endif
