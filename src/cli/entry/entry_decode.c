/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A jump takes five bytes.  The instructions in its place are copied to the stub:
 *
 *	most instructions      as they are
 *	operand at rip + n     the distance is another: a fixup
 *	jump, conditional      in their long form, with a fixup
 *	call                   pushes the address that it would have pushed here, and jumps: what is
 *	                       called may look at its return address, or unwind
 *	jrcxz, loop            refused: they have no long form
 *
 * A function that is shorter ends in padding, which may be overwritten too.  Nothing may jump to
 * the replaced bytes but the calls themselves: the function itself is decoded to see that, and all
 * other code is searched for the distances that would lead there.
 */
#include "cli/entry/entry_decode.h"

#include <capstone/capstone.h>
#include <stdbool.h>
#include <string.h>

#define PADDING_MOST 16  /* functions are aligned to no more */

struct decoder {
	const struct seep_entry_text *text;
	const struct seep_entry_function *function;
	struct seep_entry_code *code;
	csh capstone;
	cs_insn *at;             /* the current instruction */
	const char *why;         /* NULL: nothing failed yet */
};

static void fail(struct decoder *decoder, const char *why)
{
	if (!decoder->why)
		decoder->why = why;
}

static void put(struct decoder *decoder, const void *bytes, size_t n)
{
	struct seep_entry_code *code = decoder->code;

	if (n > sizeof(code->code) - code->n_code) {
		fail(decoder, "starts with too many instructions that cannot be moved");
		return;
	}
	memcpy(code->code + code->n_code, bytes, n);
	code->n_code += n;
}

/* at, end: bytes from here. */
static void add_fixup(struct decoder *decoder, char kind, size_t at, size_t end, uint64_t target)
{
	struct seep_entry_code *code = decoder->code;

	if (code->n_fixups == SEEP_ENTRY_FIXUPS_MOST) {
		fail(decoder, "starts with too many instructions that cannot be moved");
		return;
	}
	code->fixups[code->n_fixups++] = (struct seep_entry_fixup){
		.kind = kind, .at = (uint32_t)(code->n_code + at),
		.end = (uint32_t)(code->n_code + end), .target = target,
	};
}

static bool is_in_group(const struct decoder *decoder, unsigned group)
{
	return cs_insn_group(decoder->capstone, decoder->at, group);
}

/* Where a direct jump or call leads. */
static bool find_target(const struct decoder *decoder, uint64_t *target)
{
	const cs_x86 *x86 = &decoder->at->detail->x86;

	if ((!is_in_group(decoder, CS_GRP_JUMP) && !is_in_group(decoder, CS_GRP_CALL)) ||
	    x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM)
		return false;
	*target = (uint64_t)x86->operands[0].imm;
	return true;
}

static uint64_t end_of(const struct decoder *decoder)
{
	return decoder->at->address + decoder->at->size;
}

/* What the call would leave on the stack; the flags stay. */
static void put_return_address(struct decoder *decoder)
{
	static const unsigned char push[] = {
		0x48, 0x8d, 0x64, 0x24, 0xf8,                    /* lea -8(%rsp),%rsp */
		0xc7, 0x04, 0x24, 0, 0, 0, 0,                    /* movl $low,(%rsp) */
		0xc7, 0x44, 0x24, 0x04, 0, 0, 0, 0,              /* movl $high,4(%rsp) */
	};

	if (end_of(decoder) < decoder->code->address + SEEP_ENTRY_JUMP)
		fail(decoder, "starts with a call that returns into the first five bytes");
	add_fixup(decoder, 'a', 8, 12, end_of(decoder));
	add_fixup(decoder, 'b', 16, 20, end_of(decoder));
	put(decoder, push, sizeof(push));
}

static bool is_conditional(const unsigned char *opcode)
{
	return (opcode[0] & 0xf0) == 0x70 || (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80);
}

static void put_direct(struct decoder *decoder, uint64_t target)
{
	const unsigned char *opcode = decoder->at->detail->x86.opcode;
	unsigned char jump[6] = { 0xe9 };
	size_t n = 5;

	if (decoder->at->bytes[0] != opcode[0]) {
		fail(decoder, "starts with a jump of an unusual form");
		return;
	}
	if (opcode[0] == 0xe8) {
		put_return_address(decoder);
	} else if (is_conditional(opcode)) {
		jump[0] = 0x0f;
		jump[1] = (unsigned char)(0x80 | (opcode[opcode[0] == 0x0f] & 0xf));
		n = 6;
	} else if (opcode[0] != 0xe9 && opcode[0] != 0xeb) {
		fail(decoder, "starts with a jump that has only a short form");
		return;
	}
	add_fixup(decoder, 'r', n - 4, n, target);
	put(decoder, jump, n);
}

/* Operands relative to the instruction.  False if there is none. */
static bool find_relative(const struct decoder *decoder, uint64_t *target)
{
	const cs_x86 *x86 = &decoder->at->detail->x86;

	for (int i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM &&
		    x86->operands[i].mem.base == X86_REG_RIP) {
			*target = end_of(decoder) + (uint64_t)x86->operands[i].mem.disp;
			return true;
		}
	return false;
}

static void put_plain(struct decoder *decoder, const unsigned char *bytes)
{
	const cs_x86_encoding *encoding = &decoder->at->detail->x86.encoding;
	uint64_t target;

	if (find_relative(decoder, &target)) {
		if (encoding->disp_size != 4)
			fail(decoder, "starts with an instruction that cannot be moved");
		add_fixup(decoder, 'r', encoding->disp_offset, decoder->at->size, target);
	}
	put(decoder, bytes, decoder->at->size);
}

/* call *X: the address that it pushes is another, and then it is jmp *X. */
static void put_indirect_call(struct decoder *decoder)
{
	const cs_x86 *x86 = &decoder->at->detail->x86;
	unsigned char bytes[sizeof(decoder->at->bytes)];
	size_t modrm = x86->encoding.modrm_offset;

	memcpy(bytes, decoder->at->bytes, sizeof(bytes));
	if (x86->opcode[0] != 0xff || !modrm || (bytes[modrm] & 0x38) != 0x10 ||
	    x86->operands[0].mem.base == X86_REG_RSP || x86->operands[0].mem.base == X86_REG_ESP) {
		fail(decoder, "starts with a call of an unusual form");
		return;
	}
	bytes[modrm] = (unsigned char)((bytes[modrm] & ~0x38) | 0x20);
	put_return_address(decoder);
	put_plain(decoder, bytes);
}

static void put_instruction(struct decoder *decoder)
{
	uint64_t target;

	if (find_target(decoder, &target))
		put_direct(decoder, target);
	else if (is_in_group(decoder, CS_GRP_CALL))
		put_indirect_call(decoder);
	else if (decoder->at->id == X86_INS_XBEGIN)
		fail(decoder, "starts a transaction");
	else
		put_plain(decoder, decoder->at->bytes);
}

/* The bytes of the file at an address, and how many there are up to the end of the code. */
static const unsigned char *find_bytes(const struct decoder *decoder, uint64_t address, size_t *n)
{
	uint64_t at = address - decoder->text->address;

	*n = at < decoder->text->n ? (size_t)(decoder->text->n - at) : 0;
	return decoder->text->bytes + at;
}

static uint64_t function_end(const struct decoder *decoder)
{
	const struct seep_entry_function *function = decoder->function;

	return function->size ? function->address + function->size : function->next;
}

/* Decodes one instruction; false at the end, or if it is none. */
static bool decode(const struct decoder *decoder, uint64_t *address, uint64_t end)
{
	size_t n;
	const unsigned char *bytes = find_bytes(decoder, *address, &n);

	if (*address >= end)
		return false;
	if (n > end - *address)
		n = (size_t)(end - *address);
	return cs_disasm_iter(decoder->capstone, &bytes, &n, address, decoder->at);
}

/* Behind the end of a short function: bytes that are never executed. */
static void take_padding(struct decoder *decoder, uint64_t address, uint64_t end)
{
	size_t n;
	const unsigned char *bytes = find_bytes(decoder, address, &n);

	while (address < end && !decoder->why) {
		if (n && *bytes == 0xcc)
			address++;
		else if (!n || end > decoder->function->next ||
			 !decode(decoder, &address, decoder->function->next) ||
			 decoder->at->id != X86_INS_NOP)
			fail(decoder, "is shorter than the five bytes of a jump");
		bytes = find_bytes(decoder, address, &n);
	}
}

static void take_instructions(struct decoder *decoder)
{
	struct seep_entry_code *code = decoder->code;
	uint64_t address = code->address, end = address + SEEP_ENTRY_JUMP;
	uint64_t function = function_end(decoder);
	size_t n;
	const unsigned char *bytes = find_bytes(decoder, address, &n);

	while (address < end && address < function && !decoder->why) {
		if (!decode(decoder, &address, function))
			fail(decoder, "starts with bytes that are no known instruction");
		else
			put_instruction(decoder);
	}
	if (address < end)
		take_padding(decoder, address, end);
	code->n_bytes = address < end ? SEEP_ENTRY_JUMP : (size_t)(address - code->address);
	if (code->n_bytes > n || code->n_bytes > sizeof(code->bytes))
		fail(decoder, "starts at the end of the code of its file");
	else
		memcpy(code->bytes, bytes, code->n_bytes);
}

/* Jumps inside the function. */
static void check_jumps(struct decoder *decoder)
{
	uint64_t start = decoder->code->address, end = start + decoder->code->n_bytes;
	uint64_t address = decoder->function->address, target;

	while (!decoder->why && address < function_end(decoder)) {
		if (!decode(decoder, &address, function_end(decoder))) {
			address++;
			continue;
		}
		if (!find_target(decoder, &target) || target < start || target >= end)
			continue;
		if (target > start)
			fail(decoder, "jumps back to its first instructions");
		else if (!is_in_group(decoder, CS_GRP_CALL))
			fail(decoder, "starts with a loop: its first instruction is reached more "
			     "than once per call");
	}
}

/* call, jmp, or a conditional jump; at: where its distance starts. */
static bool may_be_jump(const struct seep_entry_text *text, uint64_t at)
{
	unsigned char code = at ? text->bytes[at - 1] : 0;

	return code == 0xe8 || code == 0xe9 ||
	       ((code & 0xf0) == 0x80 && at > 1 && text->bytes[at - 2] == 0x0f);
}

/* What may be a jump, anywhere in the code, that leads behind the first byte. */
static void check_far_jumps(struct decoder *decoder)
{
	const struct seep_entry_text *text = decoder->text;
	uint64_t start = decoder->code->address, end = start + decoder->code->n_bytes;

	for (uint64_t i = 0; i + 4 <= text->n && !decoder->why; i++) {
		uint64_t target;
		int32_t distance;

		memcpy(&distance, text->bytes + i, sizeof(distance));
		target = text->address + i + 4 + (uint64_t)(int64_t)distance;
		if (target > start && target < end && may_be_jump(text, i) &&
		    (text->address + i < start || text->address + i >= end))
			fail(decoder, "is entered behind its first instruction by other code");
	}
}

static bool has_endbr(const struct decoder *decoder)
{
	static const unsigned char endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t n;
	const unsigned char *bytes = find_bytes(decoder, decoder->function->address, &n);

	return n >= sizeof(endbr) && !memcmp(bytes, endbr, sizeof(endbr));
}

const char *seep_entry_decode(const struct seep_entry_text *text,
			      const struct seep_entry_function *function,
			      struct seep_entry_code *code)
{
	struct decoder decoder = { .text = text, .function = function, .code = code };

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder.capstone))
		return "cannot be followed, because capstone does not work";
	cs_option(decoder.capstone, CS_OPT_DETAIL, CS_OPT_ON);
	decoder.at = cs_malloc(decoder.capstone);
	*code = (struct seep_entry_code){ .address = function->address };
	if (has_endbr(&decoder))
		code->address += 4;
	if (!decoder.at)
		fail(&decoder, "cannot be followed, because memory is short");
	if (!decoder.why)
		take_instructions(&decoder);
	if (!decoder.why)
		check_jumps(&decoder);
	if (!decoder.why)
		check_far_jumps(&decoder);
	if (decoder.at)
		cs_free(decoder.at, 1);
	cs_close(&decoder.capstone);
	return decoder.why;
}
