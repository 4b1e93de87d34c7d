/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that begin in all ways that compilers and assemblers know, for --event fn:NAME.
 *
 *	entered N          calls each of them N times, and prints what they returned
 *	entered registers  checks that all registers and flags arrive as they were
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long entry_plain(long x), entry_data(long x), entry_branch(long x), entry_far(long x);
long entry_call(long x), entry_pointer(long x), entry_marked(long x), entry_jump(long x);
long entry_tiny(long x), entry_loop(long x), entry_inner(long x), entry_short(long x);
long entry_self(long x);

long entry_table = 5;
long entry_add(long x);
long (*volatile entry_function)(long) = entry_add;
int printed;

/* What a caller left on the stack: entry_call's return address has to be in its own code. */
long entry_add(long x)
{
	uintptr_t from = (uintptr_t)__builtin_return_address(0);
	uintptr_t near = from - (uintptr_t)entry_call, other = from - (uintptr_t)entry_pointer;

	return near < 64 || other < 64 ? x + 7 : x + 1000;
}

__asm__(".text\n"
	".macro function name\n"
	".p2align 4\n"
	".globl \\name\n"
	".type \\name, @function\n"
	"\\name:\n"
	".endm\n"
	".macro finish name\n"
	".size \\name, . - \\name\n"
	".endm\n"

	"function entry_plain\n"
	"pushq %rbx\n movq %rdi, %rbx\n leaq 1(%rbx), %rax\n popq %rbx\n ret\n"
	"finish entry_plain\n"

	"function entry_data\n" /* an operand at rip + n */
	"addq entry_table(%rip), %rdi\n movq %rdi, %rax\n ret\n"
	"finish entry_data\n"

	"function entry_branch\n"
	"testq %rdi, %rdi\n jz 1f\n leaq 3(%rdi), %rax\n ret\n 1: movl $9, %eax\n ret\n"
	"finish entry_branch\n"

	"function entry_far\n"
	"jmp 1f\n .skip 300, 0x90\n 1: leaq 4(%rdi), %rax\n ret\n"
	"finish entry_far\n"

	"function entry_jump\n"
	"jmp entry_plain\n"
	"finish entry_jump\n"

	"function entry_call\n"
	"nop\n call entry_add\n ret\n"
	"finish entry_call\n"

	"function entry_pointer\n"
	"nop\n call *entry_function(%rip)\n ret\n"
	"finish entry_pointer\n"

	"function entry_marked\n"
	"endbr64\n leaq 6(%rdi), %rax\n ret\n"
	"finish entry_marked\n"

	"function entry_tiny\n" /* shorter than a jump, but padded */
	"movl %edi, %eax\n ret\n"
	"finish entry_tiny\n"

	"function entry_self\n" /* calls itself: each call counts */
	"testq %rdi, %rdi\n jz 1f\n subq $8, %rsp\n movl $0, %edi\n call entry_self\n"
	"addq $8, %rsp\n 1: movl $2, %eax\n ret\n"
	"finish entry_self\n"

	"function entry_loop\n" /* cannot be followed: a turn looks like a call */
	"decq %rdi\n jg entry_loop\n movl $1, %eax\n ret\n"
	"finish entry_loop\n"

	"function entry_inner\n" /* nor can this: jumps back behind its first instruction */
	"xorl %eax, %eax\n 1: incq %rax\n decq %rdi\n jg 1b\n ret\n"
	"finish entry_inner\n"

	".p2align 4\n"
	".type entry_before, @function\n"
	"entry_before: ret\n"
	".size entry_before, 1\n"
	".globl entry_short\n"
	".type entry_short, @function\n"
	"entry_short: movl %edi, %eax\n ret\n"
	".size entry_short, 3\n"
	".type entry_behind, @function\n"
	"entry_behind: ret\n"
	".size entry_behind, 1\n");

/* Loads all registers, calls entry_store, which stores them. */
struct registers {
	uint64_t general[9];     /* rax, rcx, rdx, rsi, rdi, r8 to r11 */
	uint64_t flags;
	unsigned char vectors[16][32];
};

struct registers loaded, stored;
uint32_t has_avx;
void load_and_call(void);

__asm__("function load_and_call\n"
	"pushq %rbx\n"
	"leaq loaded(%rip), %rbx\n"
	"cmpl $0, has_avx(%rip)\n"
	"je 1f\n"
	".set i, 0\n"
	".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"vmovups 80+32*i(%rbx), %ymm\\r\n"
	".set i, i + 1\n"
	".endr\n"
	"jmp 2f\n"
	"1:\n"
	".set i, 0\n"
	".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"movups 80+32*i(%rbx), %xmm\\r\n"
	".set i, i + 1\n"
	".endr\n"
	"2:\n"
	"pushq 72(%rbx)\n"
	"movq (%rbx), %rax\n movq 8(%rbx), %rcx\n movq 16(%rbx), %rdx\n movq 24(%rbx), %rsi\n"
	"movq 32(%rbx), %rdi\n movq 40(%rbx), %r8\n movq 48(%rbx), %r9\n movq 56(%rbx), %r10\n"
	"movq 64(%rbx), %r11\n"
	"popfq\n"
	"call entry_store\n"
	"popq %rbx\n"
	"cld\n"
	"ret\n"
	"finish load_and_call\n"

	"function entry_store\n"
	"pushfq\n"
	"popq stored+72(%rip)\n"
	"movq %rax, stored(%rip)\n movq %rcx, stored+8(%rip)\n movq %rdx, stored+16(%rip)\n"
	"movq %rsi, stored+24(%rip)\n movq %rdi, stored+32(%rip)\n movq %r8, stored+40(%rip)\n"
	"movq %r9, stored+48(%rip)\n movq %r10, stored+56(%rip)\n movq %r11, stored+64(%rip)\n"
	"cmpl $0, has_avx(%rip)\n"
	"je 1f\n"
	".set i, 0\n"
	".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"vmovups %ymm\\r, stored+80+32*i(%rip)\n"
	".set i, i + 1\n"
	".endr\n"
	"ret\n"
	"1:\n"
	".set i, 0\n"
	".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"movups %xmm\\r, stored+80+32*i(%rip)\n"
	".set i, i + 1\n"
	".endr\n"
	"ret\n"
	"finish entry_store\n");

static int check_registers(void)
{
	static const uint64_t flags[] = { 0x202, 0x203, 0x242, 0x282, 0xa02, 0x206, 0xed7, 0x602 };
	unsigned char *bytes = (unsigned char *)&loaded;

	has_avx = __builtin_cpu_supports("avx") != 0;
	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < sizeof(loaded); i++)
			bytes[i] = (unsigned char)(i * 31 + 7 * (size_t)round + 1);
		loaded.flags = flags[round % 8];
		memset(&stored, 0, sizeof(stored));
		if (!has_avx)
			for (int i = 0; i < 16; i++)
				memset(loaded.vectors[i] + 16, 0, 16);
		load_and_call();
		if (memcmp(&loaded, &stored, sizeof(loaded)) != 0) {
			for (size_t i = 0; i < sizeof(loaded) / 8; i++)
				if (((uint64_t *)&loaded)[i] != ((uint64_t *)&stored)[i])
					printf("word %zu: %jx is now %jx\n", i,
					       (uintmax_t)((uint64_t *)&loaded)[i],
					       (uintmax_t)((uint64_t *)&stored)[i]);
			return 1;
		}
	}
	puts("registers: all as they were");
	return 0;
}

static __attribute__((noinline)) long work(long x, int twice)
{
	char *block = malloc(64);

	block[0] = (char)x;
	x += twice ? block[0] : 1;
	free(block);
	return x;
}

static inline __attribute__((always_inline)) long folded(long x)
{
	return x * 3 + entry_table;
}

static __attribute__((used)) long (*choose(void))(long x, int twice)
{
	return work;
}

long entry_chosen(long x, int twice) __attribute__((ifunc("choose")));

int main(int argc, char **argv)
{
	static long (*const functions[])(long) = {
		entry_plain, entry_data, entry_branch, entry_far, entry_jump, entry_call,
		entry_pointer, entry_marked, entry_tiny, entry_self, entry_loop, entry_inner,
		entry_short,
	};
	long n = argc > 1 ? atol(argv[1]) : 100;

	if (argc > 1 && !strcmp(argv[1], "registers"))
		return check_registers();
	for (size_t k = 0; k < sizeof(functions) / sizeof(functions[0]); k++) {
		long sum = 0;

		for (long i = 0; i < n; i++)
			sum += functions[k](i % 5) * (i + 1);
		printf("%zu: %ld\n", k, sum);
	}
	for (long i = 0, sum = 0; i < n; i++)
		sum += work(i, 0) + folded(i) + entry_chosen(sum, 1);
	return 0;
}
