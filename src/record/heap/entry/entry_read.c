/* SPDX-License-Identifier: MIT */
#include "record/heap/entry/entry.h"

#include <string.h>

struct text {
	const char *at, *end;
};

static bool take(struct text *text, char c)
{
	if (text->at == text->end || *text->at != c)
		return false;
	text->at++;
	return true;
}

static int digit(const struct text *text)
{
	char c = text->at < text->end ? *text->at : 0;

	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_number(struct text *text, uint64_t *value)
{
	const char *start = text->at;
	int d;

	for (*value = 0; (d = digit(text)) >= 0; text->at++)
		*value = *value << 4 | (uint64_t)d;
	return text->at > start && text->at - start <= 16;
}

static bool read_small(struct text *text, uint32_t *value)
{
	uint64_t number;

	if (!read_number(text, &number) || number > SEEP_ENTRY_CODE_MOST)
		return false;
	*value = (uint32_t)number;
	return true;
}

static bool read_bytes(struct text *text, unsigned char *bytes, uint32_t *n, uint32_t room)
{
	int high, low;

	for (*n = 0; (high = digit(text)) >= 0; (*n)++) {
		text->at++;
		low = digit(text);
		if (low < 0 || *n == room)
			return false;
		text->at++;
		bytes[*n] = (unsigned char)(high << 4 | low);
	}
	return true;
}

static bool read_object(struct text *text, struct seep_entry *entry)
{
	if (take(text, '@'))
		return read_number(text, &entry->device) && take(text, ':') &&
		       read_number(text, &entry->inode);
	return read_bytes(text, entry->build_id, &entry->build_id_bytes,
			  sizeof(entry->build_id)) && entry->build_id_bytes;
}

static bool read_fixup(struct text *text, struct seep_entry_fixup *fixup, uint32_t n_code)
{
	fixup->kind = text->at < text->end ? *text->at : 0;
	if (!fixup->kind || !strchr("rab", fixup->kind))
		return false;
	text->at++;
	return take(text, '.') && read_small(text, &fixup->at) && take(text, '.') &&
	       read_small(text, &fixup->end) && take(text, '.') &&
	       read_number(text, &fixup->target) && fixup->at + 4 <= n_code &&
	       fixup->end <= n_code;
}

static bool read_fixups(struct text *text, struct seep_entry *entry)
{
	if (text->at == text->end)
		return true;
	do {
		if (entry->n_fixups == SEEP_ENTRY_FIXUPS_MOST ||
		    !read_fixup(text, &entry->fixups[entry->n_fixups++], entry->n_code))
			return false;
	} while (take(text, '+'));
	return text->at == text->end;
}

static bool read_role(struct text *text, struct seep_entry *entry)
{
	static const char letters[] = "eslaf";
	const char *found = text->at < text->end ? memchr(letters, *text->at, 5) : NULL;

	if (!found)
		return false;
	entry->role = (enum seep_entry_role)(found - letters);
	text->at++;
	if (entry->role < SEEP_ENTRY_ALLOCATES)
		return true;
	if (entry->role == SEEP_ENTRY_ALLOCATES && take(text, '='))
		return read_number(text, &entry->bytes_each);
	return read_small(text, &entry->argument) && entry->argument;
}

static bool read_name(struct text *text, struct seep_entry *entry, char *names, size_t *used,
		      size_t room)
{
	uint32_t n, most = room - *used > 1 ? (uint32_t)(room - *used - 1) : 0;

	if (!read_bytes(text, (unsigned char *)names + *used, &n, most))
		return false;
	entry->name = names + *used;
	names[*used + n] = 0;
	*used += n + 1;
	return true;
}

bool seep_entry_read(struct seep_entry *entry, const char *from, char *names, size_t *used,
		     size_t room)
{
	struct text text = {from, from + strcspn(from, ";")};

	memset(entry, 0, sizeof(*entry));
	return read_role(&text, entry) && take(&text, ',') &&
	       read_name(&text, entry, names, used, room) && take(&text, ',') &&
	       read_object(&text, entry) && take(&text, ',') &&
	       read_number(&text, &entry->address) && take(&text, ',') &&
	       read_bytes(&text, entry->bytes, &entry->n_bytes, SEEP_ENTRY_BYTES_MOST) &&
	       entry->n_bytes >= SEEP_ENTRY_JUMP && take(&text, ',') &&
	       read_bytes(&text, entry->code, &entry->n_code, SEEP_ENTRY_CODE_MOST) &&
	       take(&text, ',') && read_fixups(&text, entry);
}
