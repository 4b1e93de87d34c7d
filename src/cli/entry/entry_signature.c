/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/entry/entry_find.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/* The type behind its names and qualifiers; false if there is none (void). */
static bool peel(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	int tag;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
	    !dwarf_formref_die(&attribute, type))
		return false;
	tag = dwarf_tag(type);
	while (tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type) {
		Dwarf_Die next;

		if (!dwarf_attr(type, DW_AT_type, &attribute) ||
		    !dwarf_formref_die(&attribute, &next))
			return false;
		*type = next;
		tag = dwarf_tag(type);
	}
	return true;
}

static char kind_of(Dwarf_Die *parameter)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding = 0;
	Dwarf_Die type;

	if (!peel(parameter, &type))
		return '?';
	if (dwarf_tag(&type) == DW_TAG_pointer_type)
		return 'p';
	if (dwarf_tag(&type) != DW_TAG_base_type)
		return '?';
	dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding);
	return encoding == DW_ATE_signed || encoding == DW_ATE_unsigned ? 'i' : '?';
}

static bool is_artificial(Dwarf_Die *parameter)
{
	Dwarf_Attribute attribute;
	bool flag = false;

	return dwarf_attr_integrate(parameter, DW_AT_artificial, &attribute) &&
	       !dwarf_formflag(&attribute, &flag) && flag;
}

static void read_parameters(Dwarf_Die *function, struct seep_entry_signature *signature)
{
	Dwarf_Die child;
	int rc = dwarf_child(function, &child);

	for (; !rc; rc = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			signature->known = false;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (signature->n < SEEP_ENTRY_PARAMETERS_MOST) {
			signature->kinds[signature->n] = kind_of(&child);
			signature->artificial[signature->n] = is_artificial(&child);
		}
		signature->n++;
	}
}

/* The size of what a result points to. */
static uint64_t find_pointee(Dwarf_Die *function)
{
	Dwarf_Die pointer, type;
	Dwarf_Word bytes = 0;

	if (!peel(function, &pointer) || dwarf_tag(&pointer) != DW_TAG_pointer_type ||
	    !peel(&pointer, &type) || dwarf_aggregate_size(&type, &bytes))
		return 0;
	return bytes;
}

void seep_entry_signature_read(const struct seep_entry_copy *copy,
			       struct seep_entry_signature *signature)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(copy->object->module, copy->address, &bias);
	Dwarf_Die *scopes = NULL;
	int n = unit ? dwarf_getscopes(unit, copy->address - bias, &scopes) : 0;

	*signature = (struct seep_entry_signature){ .n = 0 };
	for (int i = 0; i < n; i++) {
		if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
			continue;
		signature->known = true;
		read_parameters(&scopes[i], signature);
		signature->pointee = find_pointee(&scopes[i]);
		break;
	}
	free(scopes);
}
