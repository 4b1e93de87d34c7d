/* SPDX-License-Identifier: MIT */
/*
 * Code that nobody can unwind: made at run time, and written in assembler without rules, with
 * return addresses of other functions lying about in its frame as bait.
 */
#include "truth.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CALLS 100

/* Calls the function it gets with the bytes it gets, from a frame full of a third argument. */
void *by_assembler(void *(*function)(size_t), size_t bytes, void *bait);

__asm__(".text\n"
	".globl by_assembler\n"
	".type by_assembler, @function\n"
	"by_assembler:\n"
	"	push %rbx\n"
	"	push %rdx\n"
	"	push %rdx\n"
	"	push %rdx\n"
	"	push %rdx\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	"	add $32, %rsp\n"
	"	pop %rbx\n"
	"	ret\n"
	"by_assembler_end:\n"
	".size by_assembler, . - by_assembler\n");

extern const char by_assembler_end[];

SITE static void *bait_function(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

int main(void)
{
	static void *blocks[2 * CALLS];
	void *(*original)(void *(*)(size_t), size_t, void *) = by_assembler;
	void *(*copy)(void *(*)(size_t), size_t, void *);
	void *(*bait)(size_t) = bait_function;
	void *code, *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *lure;
	int i;

	if (page == MAP_FAILED)
		return 1;
	memcpy(&code, &original, sizeof(code));
	memcpy(page, code, (size_t)(by_assembler_end - (const char *)code));
	memcpy(&copy, &page, sizeof(copy));
	memcpy(&lure, &bait, sizeof(lure));
	lure = (char *)lure + 9; /* somewhere inside */
	for (i = 0; i < CALLS; i++) {
		blocks[2 * i] = original(malloc, 333, lure);
		blocks[2 * i + 1] = copy(malloc, 444, lure);
	}
	truth_site("bait_function", 1, 50);
	return bait_function(50) == NULL || blocks[0] == NULL;
}
