/* SPDX-License-Identifier: MIT */
/*
 * .eh_frame_hdr is a sorted table (function start, FDE).  The FDE's program, run after that of
 * its CIE, says for each pc how to find the CFA (the caller's stack pointer) and the saved
 * registers:
 *
 *	eh_frame_hdr --binary search--> FDE --> CIE
 *	                                 |       |
 *	                        instructions     initial instructions
 *	                                 v
 *	                  row at pc: CFA = reg + offset | expression
 *	                             bp  = same | saved at CFA + offset | expression
 *	                             ra  = saved at CFA - 8 | undefined (outermost)
 */
#include "record/heap/stack/cfi.h"

#include "os/cpu.h"
#include "record/heap/stack/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define REMEMBERED_MAX 8

enum where { SAME, AT_OFFSET, AT_EXPRESSION, UNDEFINED, OTHER };

struct saved {
	enum where where;
	int64_t offset;
	const unsigned char *expression;
	uint64_t expression_bytes;
};

struct row {
	uint64_t cfa_register;
	int64_t cfa_offset;
	const unsigned char *cfa_expression; /* instead, if not NULL */
	uint64_t cfa_expression_bytes;
	struct saved bp, ra;
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	unsigned char pointer_encoding;
	bool signal;
	bool augmented;
	struct seep_cursor program;
};

struct machine {
	struct row row, initial;
	struct row remembered[REMEMBERED_MAX];
	int n_remembered;
	uintptr_t pc;            /* first pc of the row */
	uintptr_t target;
	bool reached;            /* the next row would start after the target */
	const struct cie *cie;
	struct saved ignored;    /* where the rules for other registers go */
};

/* The letters of a CIE's augmentation and the data that follows. */
static void read_augmentation(struct cie *cie, struct seep_cursor *c, const char *letters)
{
	const unsigned char *end;
	unsigned char encoding;
	uint64_t bytes;

	if (*letters != 'z') {
		c->bad |= *letters != '\0';
		return;
	}
	cie->augmented = true;
	bytes = seep_cursor_uleb(c);
	end = c->at + bytes;
	while (*++letters && !c->bad) {
		switch (*letters) {
		case 'R':
			cie->pointer_encoding = (unsigned char)seep_cursor_fixed(c, 1);
			break;
		case 'P':
			encoding = (unsigned char)seep_cursor_fixed(c, 1);
			seep_cursor_pointer(c, encoding & (unsigned char)~SEEP_PE_INDIRECT);
			break;
		case 'L':
			seep_cursor_skip(c, 1);
			break;
		case 'S':
			cie->signal = true;
			break;
		default:
			c->bad |= *letters != 'B';
		}
	}
	c->at = end;
}

/* A cursor over the CIE or FDE that starts at this address, after its length. */
static struct seep_cursor open_entry(uintptr_t at)
{
	const unsigned char *entry = (const unsigned char *)at;
	struct seep_cursor c = {.at = entry, .end = entry + 4};
	uint64_t bytes = seep_cursor_fixed(&c, 4);

	c.bad = !bytes || bytes >= 0xfffffff0u; /* the end mark; the 64-bit form is not in use */
	c.end = c.at + bytes;
	return c;
}

static bool read_cie(struct cie *cie, uintptr_t at)
{
	struct seep_cursor c = open_entry(at);
	const char *letters;
	uint64_t version;

	memset(cie, 0, sizeof(*cie));
	cie->pointer_encoding = SEEP_PE_ABSPTR;
	if (seep_cursor_fixed(&c, 4) != 0)
		return false;
	version = seep_cursor_fixed(&c, 1);
	letters = (const char *)c.at;
	while (seep_cursor_fixed(&c, 1))
		;
	if (c.bad || (version != 1 && version != 3))
		return false;
	cie->code_align = seep_cursor_uleb(&c);
	cie->data_align = seep_cursor_sleb(&c);
	if ((version == 1 ? seep_cursor_fixed(&c, 1) : seep_cursor_uleb(&c)) != SEEP_CPU_REG_RA)
		return false;
	read_augmentation(cie, &c, letters);
	cie->program = c;
	return !c.bad;
}

static struct saved *saved_of(struct machine *m, uint64_t reg)
{
	if (reg == SEEP_CPU_REG_BP)
		return &m->row.bp;
	if (reg == SEEP_CPU_REG_RA)
		return &m->row.ra;
	return &m->ignored;
}

static void set_saved(struct machine *m, uint64_t reg, enum where where, int64_t offset)
{
	struct saved *saved = saved_of(m, reg);

	saved->where = where;
	saved->offset = offset;
}

static void set_saved_expression(struct machine *m, struct seep_cursor *c, uint64_t reg)
{
	struct saved *saved = saved_of(m, reg);

	saved->where = AT_EXPRESSION;
	saved->expression_bytes = seep_cursor_uleb(c);
	saved->expression = c->at;
	seep_cursor_skip(c, saved->expression_bytes);
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg == SEEP_CPU_REG_BP)
		m->row.bp = m->initial.bp;
	else if (reg == SEEP_CPU_REG_RA)
		m->row.ra = m->initial.ra;
}

static void advance(struct machine *m, uint64_t delta)
{
	m->pc += delta * m->cie->code_align;
	m->reached = m->pc > m->target;
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	m->row.cfa_register = reg;
	m->row.cfa_offset = offset;
	m->row.cfa_expression = NULL;
}

static void step_cfa(struct machine *m, struct seep_cursor *c, unsigned int op)
{
	uint64_t reg;

	switch (op) {
	case 0x0c: /* def_cfa */
		reg = seep_cursor_uleb(c);
		set_cfa(m, reg, (int64_t)seep_cursor_uleb(c));
		break;
	case 0x12: /* def_cfa_sf */
		reg = seep_cursor_uleb(c);
		set_cfa(m, reg, seep_cursor_sleb(c) * m->cie->data_align);
		break;
	case 0x0d: /* def_cfa_register */
		set_cfa(m, seep_cursor_uleb(c), m->row.cfa_offset);
		break;
	case 0x0e: /* def_cfa_offset */
		set_cfa(m, m->row.cfa_register, (int64_t)seep_cursor_uleb(c));
		break;
	case 0x13: /* def_cfa_offset_sf */
		set_cfa(m, m->row.cfa_register, seep_cursor_sleb(c) * m->cie->data_align);
		break;
	default: /* 0x0f def_cfa_expression */
		m->row.cfa_expression_bytes = seep_cursor_uleb(c);
		m->row.cfa_expression = c->at;
		seep_cursor_skip(c, m->row.cfa_expression_bytes);
	}
}

static void step_saved(struct machine *m, struct seep_cursor *c, unsigned int op)
{
	uint64_t reg = seep_cursor_uleb(c);

	switch (op) {
	case 0x05: /* offset_extended */
		set_saved(m, reg, AT_OFFSET, (int64_t)seep_cursor_uleb(c) * m->cie->data_align);
		break;
	case 0x11: /* offset_extended_sf */
		set_saved(m, reg, AT_OFFSET, seep_cursor_sleb(c) * m->cie->data_align);
		break;
	case 0x06: /* restore_extended */
		restore(m, reg);
		break;
	case 0x07: /* undefined */
		set_saved(m, reg, UNDEFINED, 0);
		break;
	case 0x08: /* same_value */
		set_saved(m, reg, SAME, 0);
		break;
	case 0x10: /* expression */
		set_saved_expression(m, c, reg);
		break;
	case 0x16: /* val_expression */
		set_saved_expression(m, c, reg);
		saved_of(m, reg)->where = OTHER;
		break;
	default: /* 0x09 register, 0x14 val_offset, 0x15 val_offset_sf */
		seep_cursor_uleb(c);
		set_saved(m, reg, OTHER, 0);
	}
}

static void step_other(struct machine *m, struct seep_cursor *c, unsigned int op)
{
	switch (op) {
	case 0x00: /* nop */
		break;
	case 0x01: /* set_loc */
		m->pc = seep_cursor_pointer(c, m->cie->pointer_encoding);
		m->reached = m->pc > m->target;
		break;
	case 0x02: /* advance_loc1 */
		advance(m, seep_cursor_fixed(c, 1));
		break;
	case 0x03:
		advance(m, seep_cursor_fixed(c, 2));
		break;
	case 0x04:
		advance(m, seep_cursor_fixed(c, 4));
		break;
	case 0x0a: /* remember_state */
		c->bad |= m->n_remembered == REMEMBERED_MAX;
		if (!c->bad)
			m->remembered[m->n_remembered++] = m->row;
		break;
	case 0x0b: /* restore_state */
		c->bad |= m->n_remembered == 0;
		if (!c->bad)
			m->row = m->remembered[--m->n_remembered];
		break;
	case 0x2e: /* GNU_args_size */
		seep_cursor_uleb(c);
		break;
	default:
		c->bad = true;
	}
}

static void run(struct machine *m, struct seep_cursor *c)
{
	while (c->at < c->end && !c->bad && !m->reached) {
		unsigned int op = (unsigned int)seep_cursor_fixed(c, 1);

		if (op >> 6 == 1)
			advance(m, op & 0x3f);
		else if (op >> 6 == 2)
			set_saved(m, op & 0x3f, AT_OFFSET,
				  (int64_t)seep_cursor_uleb(c) * m->cie->data_align);
		else if (op >> 6 == 3)
			restore(m, op & 0x3f);
		else if ((op >= 0x0c && op <= 0x0f) || op == 0x12 || op == 0x13)
			step_cfa(m, c, op);
		else if ((op >= 0x05 && op <= 0x09) || op == 0x10 || op == 0x11 ||
			 (op >= 0x14 && op <= 0x16))
			step_saved(m, c, op);
		else
			step_other(m, c, op);
	}
}

/* "bp + n" and "the word at bp + n": DW_OP_breg6 n [DW_OP_deref]. */
static bool is_bp_expression(const unsigned char *expression, uint64_t bytes, bool deref,
			     int64_t *offset)
{
	struct seep_cursor c = {.at = expression, .end = expression + bytes};

	if (seep_cursor_fixed(&c, 1) != 0x70 + SEEP_CPU_REG_BP)
		return false;
	*offset = seep_cursor_sleb(&c);
	if (deref && seep_cursor_fixed(&c, 1) != 0x06)
		return false;
	return !c.bad && c.at == c.end;
}

static void conclude_cfa(struct seep_cfi *cfi, const struct row *row, uintptr_t pc)
{
	static const char plt[] = SEEP_CPU_PLT_EXPRESSION;

	if (row->cfa_expression) {
		if (row->cfa_expression_bytes == sizeof(plt) - 1 &&
		    !memcmp(row->cfa_expression, plt, sizeof(plt) - 1)) {
			cfi->kind = SEEP_CFI_SP;
			cfi->offset = seep_cpu_plt_offset(pc);
		} else if (is_bp_expression(row->cfa_expression, row->cfa_expression_bytes, true,
					    &cfi->offset)) {
			cfi->kind = SEEP_CFI_BP_DEREF;
		}
	} else if (row->cfa_register == SEEP_CPU_REG_SP) {
		cfi->kind = SEEP_CFI_SP;
		cfi->offset = row->cfa_offset;
	} else if (row->cfa_register == SEEP_CPU_REG_BP) {
		cfi->kind = SEEP_CFI_BP;
		cfi->offset = row->cfa_offset;
	}
}

static struct seep_cfi conclude(const struct row *row, uintptr_t pc)
{
	struct seep_cfi cfi = {.kind = SEEP_CFI_UNKNOWN};

	if (row->ra.where == UNDEFINED) {
		cfi.kind = SEEP_CFI_END;
		return cfi;
	}
	if (row->ra.where != AT_OFFSET || row->ra.offset != SEEP_CPU_RA_OFFSET)
		return cfi;
	conclude_cfa(&cfi, row, pc);
	switch (row->bp.where) {
	case SAME:
	case UNDEFINED: /* no caller can rely on its value, and neither do we */
		break;
	case AT_OFFSET:
		cfi.bp = SEEP_CFI_BP_AT_CFA;
		cfi.bp_offset = row->bp.offset;
		break;
	case AT_EXPRESSION:
		cfi.bp = SEEP_CFI_BP_AT_BP;
		if (is_bp_expression(row->bp.expression, row->bp.expression_bytes, false,
				     &cfi.bp_offset))
			break;
		cfi.kind = SEEP_CFI_UNKNOWN;
		break;
	case OTHER:
		cfi.kind = SEEP_CFI_UNKNOWN;
	}
	return cfi;
}

/* The code that an FDE is for, and its CIE.  The cursor is at the instructions then. */
static bool read_head(struct seep_cursor *c, struct cie *cie, uintptr_t *start, uintptr_t *bytes)
{
	uintptr_t cie_pointer = (uintptr_t)c->at;

	cie_pointer -= seep_cursor_fixed(c, 4);
	if (c->bad || !read_cie(cie, cie_pointer))
		return false;
	*start = seep_cursor_pointer(c, cie->pointer_encoding & (unsigned char)~SEEP_PE_INDIRECT);
	*bytes = seep_cursor_pointer(c, cie->pointer_encoding & SEEP_PE_FORM);
	if (cie->augmented)
		seep_cursor_skip(c, seep_cursor_uleb(c));
	return !c->bad;
}

static struct seep_cfi read_fde(uintptr_t at, uintptr_t pc, struct machine *m)
{
	const struct seep_cfi unknown = {.kind = SEEP_CFI_UNKNOWN};
	const struct seep_cfi signal = {.kind = SEEP_CFI_SIGNAL};
	struct seep_cursor c = open_entry(at);
	uintptr_t start, bytes;
	struct cie cie;

	if (!read_head(&c, &cie, &start, &bytes) || pc < start || pc - start >= bytes)
		return unknown;
	if (cie.signal)
		return signal;
	memset(m, 0, sizeof(*m));
	m->cie = &cie;
	m->pc = start;
	m->target = pc;
	run(m, &cie.program);
	m->initial = m->row;
	run(m, &c);
	if (c.bad || cie.program.bad)
		return unknown;
	return conclude(&m->row, pc);
}

struct table_entry {
	int32_t start, fde;      /* both relative to eh_frame_hdr */
};

/* The last entry that starts at pc or before; NULL if there is none. */
static const struct table_entry *find_entry(const unsigned char *hdr, uintptr_t pc)
{
	struct seep_cursor c = {.at = hdr + 4, .end = hdr + 32};
	const struct table_entry *entries;
	size_t low = 0, high;

	/* version 1, a count of 4 bytes, the table with 4-byte numbers relative to its start */
	if (hdr[0] != 1 || hdr[2] != SEEP_PE_UDATA4 || hdr[3] != (0x30 | SEEP_PE_SDATA4))
		return NULL;
	seep_cursor_pointer(&c, hdr[1]);
	high = (size_t)seep_cursor_fixed(&c, 4);
	entries = (const struct table_entry *)(const void *)c.at;
	if (c.bad || !high || (uintptr_t)hdr + (uintptr_t)(intptr_t)entries[0].start > pc)
		return NULL;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if ((uintptr_t)hdr + (uintptr_t)(intptr_t)entries[middle].start <= pc)
			low = middle;
		else
			high = middle;
	}
	return &entries[low];
}

struct seep_cfi seep_cfi_find(const void *eh_frame_hdr, uintptr_t pc)
{
	const struct table_entry *entry = find_entry(eh_frame_hdr, pc);
	struct seep_cfi unknown = {.kind = SEEP_CFI_UNKNOWN};
	struct machine machine;

	if (!entry)
		return unknown;
	return read_fde((uintptr_t)eh_frame_hdr + (uintptr_t)(intptr_t)entry->fde, pc, &machine);
}

bool seep_cfi_range(const void *eh_frame_hdr, uintptr_t pc, uintptr_t *start, uintptr_t *end)
{
	const struct table_entry *entry = find_entry(eh_frame_hdr, pc);
	struct seep_cursor c;
	struct cie cie;

	if (!entry)
		return false;
	c = open_entry((uintptr_t)eh_frame_hdr + (uintptr_t)(intptr_t)entry->fde);
	if (!read_head(&c, &cie, start, end))
		return false;
	*end += *start;
	return pc >= *start && pc < *end;
}

bool seep_cfi_starts(const void *eh_frame_hdr, uintptr_t pc)
{
	const struct table_entry *entry = find_entry(eh_frame_hdr, pc);

	return entry && (uintptr_t)eh_frame_hdr + (uintptr_t)(intptr_t)entry->start == pc;
}
