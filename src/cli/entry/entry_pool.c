/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/entry/entry_pool.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LEAST 16 /* bytes; smaller ones share a slot in the tracker's books */

/* ":2" or ":=64" at the end of the text. */
int seep_entry_pool_parse(struct seep_entry_pool *pool, const char *option, const char *typed,
			  struct seep_arena *arena, struct seep_err *err)
{
	const char *colon = strrchr(typed, ':'), *digits = colon ? colon + 1 : "";
	bool is_size = *digits == '=';
	unsigned long number;

	*pool = (struct seep_entry_pool){ .name = typed };
	digits += is_size;
	if (!colon || colon == typed || colon[-1] == ':' || !*digits ||
	    digits[strspn(digits, "0123456789")])
		return is_size ? seep_err_set(err, EINVAL, "%s'%.100s' is not valid; a size is "
					      "a number of bytes, such as :=64", option, typed)
			       : 0;
	number = strtoul(digits, NULL, 10);
	pool->name = seep_arena_copy(arena, typed, (size_t)(colon - typed));
	if (is_size ? number < BLOCK_LEAST : !number || number > SEEP_ENTRY_PARAMETERS_MOST)
		return seep_err_set(err, EINVAL, is_size
				    ? "%s'%.100s' is not valid; blocks need at least 16 bytes"
				    : "%s'%.100s' is not valid; arguments are 1 to 6", option,
				    typed);
	*(is_size ? &pool->bytes : &pool->argument) = number;
	return 0;
}

static size_t find_only(const struct seep_entry_signature *signature, char kind, bool *several)
{
	size_t found = 0;

	*several = false;
	for (size_t i = 0; i < signature->n && i < SEEP_ENTRY_PARAMETERS_MOST; i++) {
		if (signature->kinds[i] != kind || signature->artificial[i])
			continue;
		*several = found;
		found = found ? found : i + 1;
	}
	return found;
}

static int check_argument(const struct seep_entry_pool *pool, const char *option, char kind,
			  const struct seep_entry_signature *signature, struct seep_err *err)
{
	if (!signature->known)
		return 0;
	if (pool->argument > signature->n)
		return seep_err_set(err, EINVAL, "%s%.100s: the function has %zu argument%s, not "
				    "%lu", option, pool->name, signature->n,
				    signature->n == 1 ? "" : "s", pool->argument);
	if (signature->kinds[pool->argument - 1] != kind)
		return seep_err_set(err, EINVAL, "%s%.100s: argument %lu of the function is no %s",
				    option, pool->name, pool->argument,
				    kind == 'i' ? "integer, so not a size" : "pointer");
	return 0;
}

static int settle_size(struct seep_entry_pool *pool, const char *option,
		       const struct seep_entry_signature *signature, struct seep_err *err)
{
	bool several;

	pool->argument = find_only(signature, 'i', &several);
	if (pool->argument && !several)
		return 0;
	pool->argument = 0;
	if (!several && signature->pointee >= BLOCK_LEAST) {
		pool->bytes = signature->pointee;
		return 0;
	}
	return seep_err_set(err, EINVAL, "%s%.100s: write which argument is the size of the block, "
			    "as in %.60s:1, or how many bytes a block has, as in %.60s:=64", option,
			    pool->name, pool->name, pool->name);
}

int seep_entry_pool_settle(struct seep_entry_pool *pool, const char *option, bool allocates,
			   const struct seep_entry_copy *copy, struct seep_arena *arena,
			   struct seep_err *err)
{
	struct seep_entry_signature signature;
	bool several;

	seep_entry_signature_read(copy, &signature);
	if (pool->bytes && !allocates)
		return seep_err_set(err, EINVAL, "%s%.100s: which argument is the block? A size is "
				    "for --alloc-fn", option, pool->name);
	if (pool->bytes)
		return 0;
	if (pool->argument)
		return check_argument(pool, option, allocates ? 'i' : 'p', &signature, err);
	if (allocates)
		return settle_size(pool, option, &signature, err);
	pool->argument = find_only(&signature, 'p', &several);
	if (pool->argument)
		return 0;
	pool->argument = 1;
	if (signature.known || strstr(seep_entry_name_full(copy->symbol, arena), "::"))
		return seep_err_set(err, EINVAL, "%s%.100s: write which argument is the block, as "
				    "in %.100s:2", option, pool->name, pool->name);
	return 0;
}
