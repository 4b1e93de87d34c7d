/* SPDX-License-Identifier: MIT */
/* x86-64, System V ABI, Linux. */
#ifndef SEEP_OS_CPU_X86_64_H
#define SEEP_OS_CPU_X86_64_H

/* DWARF numbers of the registers. */
#define SEEP_CPU_REG_BP 6
#define SEEP_CPU_REG_SP 7
#define SEEP_CPU_REG_RA 16

/* Where a call leaves the return address, seen from the frame's CFA. */
#define SEEP_CPU_RA_OFFSET (-8)

/* Words at the __builtin_frame_address(0) of a function: the caller's bp, and its pc. */
#define SEEP_CPU_CALLER_BP 0u
#define SEEP_CPU_CALLER_PC 1u

/*
 * The caller of the function with this __builtin_frame_address(0).
 * That function must have been built with a frame pointer.
 */
static inline struct seep_cpu_frame seep_cpu_caller(const void *frame_address)
{
	const uintptr_t *slots = frame_address;
	struct seep_cpu_frame frame = {
		.pc = slots[SEEP_CPU_CALLER_PC],
		.sp = (uintptr_t)(slots + 2),
		.bp = slots[SEEP_CPU_CALLER_BP],
	};

	return frame;
}

/* A signal leaves this much below the stack pointer alone: registers just popped are read there. */
#define SEEP_CPU_RED_ZONE_BYTES 128u

/*
 * The frame that a signal interrupted.  When a handler has returned into the
 * kernel's trampoline, the stack pointer points to the ucontext: 40 bytes, then
 * r8-r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip.
 */
#define SEEP_CPU_SIGNAL_FRAME_BYTES 176u

static inline struct seep_cpu_frame seep_cpu_interrupted(uintptr_t sp)
{
	const uintptr_t *registers = (const uintptr_t *)(sp + 40);
	struct seep_cpu_frame frame = {
		.pc = registers[16],
		.sp = registers[15],
		.bp = registers[10],
	};

	return frame;
}

/*
 * The expression that linkers give for the CFA inside a procedure linkage
 * table: rsp + 8, and 8 more from the 11th byte of each 16-byte entry on.
 */
#define SEEP_CPU_PLT_EXPRESSION "\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"

static inline int seep_cpu_plt_offset(uintptr_t pc)
{
	return (pc & 15) >= 11 ? 16 : 8;
}

#endif
