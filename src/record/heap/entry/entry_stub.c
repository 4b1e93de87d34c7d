/* SPDX-License-Identifier: MIT */
/*
 * From the entry of a function into the tracker and back: every register is as it was, the vector
 * registers and the flags included.
 */
#include "record/heap/entry/entry.h"

#ifdef __x86_64__

#include <cpuid.h>

#define PARTS 0xe6u      /* SSE, AVX, AVX-512: what functions of the C library may change */
#define LEGACY_BYTES 576u /* of the first two parts and the header */

enum { WAY_FXSAVE, WAY_XSAVE, WAY_XSAVEC };

__attribute__((used, visibility("hidden"))) uint64_t seep_entry_area = LEGACY_BYTES;
__attribute__((used, visibility("hidden"))) uint32_t seep_entry_parts;
__attribute__((used, visibility("hidden"))) uint32_t seep_entry_way = WAY_FXSAVE;

static uint32_t enabled_parts(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low & PARTS;
}

bool seep_entry_stub_prepare(void)
{
	uint32_t a, b, c, d, part;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return true;
	seep_entry_parts = enabled_parts();
	for (part = 2; part < 8; part++) {
		if (!(seep_entry_parts & 1u << part) ||
		    !__get_cpuid_count(0xd, part, &a, &b, &c, &d))
			continue;
		if (a + b > seep_entry_area)
			seep_entry_area = a + b;
	}
	seep_entry_way = WAY_XSAVE;
	if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a & 2)
		seep_entry_way = WAY_XSAVEC;
	return true;
}

/*
 * On the stack: the address in the stub, the number of the entry, and the address to which the
 * function will return.  The frame says that its caller is the function's caller.
 */
__attribute__((naked, used, visibility("hidden"))) void seep_entry_enter(void)
{
	__asm__(".cfi_def_cfa_offset 24\n\t"
		"pushfq\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"pushq %rbp\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		".cfi_rel_offset %rbp, 0\n\t"
		"movq %rsp, %rbp\n\t"
		".cfi_def_cfa_register %rbp\n\t"
		"pushq %rax\n\tpushq %rcx\n\tpushq %rdx\n\tpushq %rsi\n\tpushq %rdi\n\t"
		"pushq %r8\n\tpushq %r9\n\tpushq %r10\n\tpushq %r11\n\t"
		"cld\n\t"
		"subq seep_entry_area(%rip), %rsp\n\t"
		"andq $-64, %rsp\n\t"
		"movl seep_entry_way(%rip), %ecx\n\t"
		"testl %ecx, %ecx\n\t"
		"jz 2f\n\t"
		"xorl %eax, %eax\n\t"
		"movq %rax, 512(%rsp)\n\tmovq %rax, 520(%rsp)\n\t"
		"movq %rax, 528(%rsp)\n\tmovq %rax, 536(%rsp)\n\t"
		"movq %rax, 544(%rsp)\n\tmovq %rax, 552(%rsp)\n\t"
		"movq %rax, 560(%rsp)\n\tmovq %rax, 568(%rsp)\n\t"
		"xorl %edx, %edx\n\t"
		"movl seep_entry_parts(%rip), %eax\n\t"
		"cmpl $2, %ecx\n\t"
		"je 1f\n\t"
		"xsave64 (%rsp)\n\t"
		"jmp 3f\n"
		"1:\txsavec64 (%rsp)\n\t"
		"jmp 3f\n"
		"2:\tfxsave64 (%rsp)\n"
		"3:\tmovl 24(%rbp), %edi\n\t"
		"call seep_entry_entered\n\t"
		"cmpl $0, seep_entry_way(%rip)\n\t"
		"je 4f\n\t"
		"movl seep_entry_parts(%rip), %eax\n\t"
		"xorl %edx, %edx\n\t"
		"xrstor64 (%rsp)\n\t"
		"jmp 5f\n"
		"4:\tfxrstor64 (%rsp)\n"
		"5:\tleaq -72(%rbp), %rsp\n\t"
		"popq %r11\n\tpopq %r10\n\tpopq %r9\n\tpopq %r8\n\t"
		"popq %rdi\n\tpopq %rsi\n\tpopq %rdx\n\tpopq %rcx\n\tpopq %rax\n\t"
		"popq %rbp\n\t"
		".cfi_def_cfa %rsp, 32\n\t"
		".cfi_restore %rbp\n\t"
		"popfq\n\t"
		".cfi_def_cfa_offset 24\n\t"
		"ret");
}

#else

bool seep_entry_stub_prepare(void)
{
	return false;
}

void seep_entry_enter(void)
{
}

#endif
