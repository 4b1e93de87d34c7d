/* SPDX-License-Identifier: MIT */
/*
 * Two functions, called from one place, whose return addresses differ in the same bits as the
 * sizes of their frames: their stacks must not get the same name.
 */
#include "truth.h"

#include <stdlib.h>

#define CALLS 500

void *keeps_none(void);
void *keeps_all(void);

__asm__(".text\n"
	".balign 256\n"
	".globl keeps_none\n"
	".type keeps_none, @function\n"
	"keeps_none:\n"
	".cfi_startproc\n"
	"	sub $0x18, %rsp\n"
	".cfi_def_cfa_offset 0x20\n"
	"	mov $100, %edi\n"
	"	call malloc@PLT\n"
	"	add $0x18, %rsp\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size keeps_none, . - keeps_none\n"
	".org keeps_none + 0x60\n"
	".globl keeps_all\n"
	".type keeps_all, @function\n"
	"keeps_all:\n"
	".cfi_startproc\n"
	"	sub $0x38, %rsp\n"
	".cfi_def_cfa_offset 0x40\n"
	"	mov $100, %edi\n"
	"	call malloc@PLT\n"
	"	add $0x38, %rsp\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size keeps_all, . - keeps_all\n");

static void *(*volatile functions[])(void) = {keeps_none, keeps_all};
static void *kept[CALLS];

int main(void)
{
	int i;

	for (i = 0; i < 2 * CALLS; i++) {
		void *block = functions[i % 2]();

		if (i % 2)
			kept[i / 2] = block;
		else
			free(block);
	}
	truth_site("keeps_none", 0, 0);
	truth_site("keeps_all", CALLS, CALLS * 100);
	return kept[0] == NULL;
}
