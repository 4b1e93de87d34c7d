/* SPDX-License-Identifier: MIT */
/*
 * Call frame information: what .eh_frame says about one program counter.
 *
 * Reads the tables that every Linux program carries for C++ exceptions.  Only
 * the two registers of struct seep_cpu_frame are followed; the return address
 * is always at the usual place below the CFA.  Anything unusual gives
 * SEEP_CFI_UNKNOWN, and the walk ends there: it never guesses.
 */
#ifndef SEEP_RECORD_HEAP_STACK_CFI_H
#define SEEP_RECORD_HEAP_STACK_CFI_H

#include <stdbool.h>
#include <stdint.h>

/* How the CFA (the stack pointer in the caller) is found. */
enum seep_cfi_kind {
	SEEP_CFI_UNKNOWN = 0,
	SEEP_CFI_SP = 1,         /* sp + offset */
	SEEP_CFI_BP = 2,         /* bp + offset */
	SEEP_CFI_BP_DEREF = 3,   /* the word at bp + offset (a function that realigns its stack) */
	SEEP_CFI_SIGNAL = 4,     /* a signal frame: seep_cpu_interrupted */
	SEEP_CFI_END = 5,        /* the outermost frame of the thread */
};

/* Where the caller's bp is. */
enum seep_cfi_bp {
	SEEP_CFI_BP_SAME = 0,    /* still in the register */
	SEEP_CFI_BP_AT_CFA = 1,  /* saved at CFA + bp_offset */
	SEEP_CFI_BP_AT_BP = 2,   /* saved at bp + bp_offset */
};

struct seep_cfi {
	enum seep_cfi_kind kind;
	enum seep_cfi_bp bp;
	int64_t offset;
	int64_t bp_offset;
};

/* eh_frame_hdr: the object's PT_GNU_EH_FRAME segment in memory. */
struct seep_cfi seep_cfi_find(const void *eh_frame_hdr, uintptr_t pc);

/* The code that has one entry with pc: a function, or a part of one.  False if there is none. */
bool seep_cfi_range(const void *eh_frame_hdr, uintptr_t pc, uintptr_t *start, uintptr_t *end);

/* Whether a function starts exactly here. */
bool seep_cfi_starts(const void *eh_frame_hdr, uintptr_t pc);

#endif
