/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/sizes.h"
#include "render/text/diff.h"

#include <math.h>
#include <string.h>

/* "12.0 MB -> 10.0 MB"; one size if both are the same; NULL if neither is known. */
static const char *two(const struct seep_diff *diff, const struct seep_compare_footprint_pair *pair,
		       struct seep_size_text (*format)(double))
{
	struct seep_size_text before = { "?" }, after = { "?" };

	if (isnan(pair->before) && isnan(pair->after))
		return NULL;
	if (!isnan(pair->before))
		before = format(pair->before);
	if (!isnan(pair->after))
		after = format(pair->after);
	return strcmp(before.text, after.text)
		? seep_arena_printf(diff->after->arena, "%s -> %s", before.text, after.text)
		: seep_arena_printf(diff->after->arena, "%s", after.text);
}

static void print_peak(const struct seep_diff *diff)
{
	const struct seep_compare_footprint *footprint = &diff->compare->footprint;
	const char *heap = two(diff, &footprint->peak_heap, seep_size_format);
	const char *rss = two(diff, &footprint->peak_rss, seep_size_format);
	const char *end = two(diff, &footprint->end_rss, seep_size_format);
	FILE *out = diff->after->out;

	if (heap || rss)
		fprintf(out, "  peak    %s%s%s%s%s\n", heap ? "live heap " : "", heap ? heap : "",
			heap && rss ? "; " : "", rss ? "RSS " : "", rss ? rss : "");
	if (end)
		fprintf(out, "  end     RSS %s\n", end);
}

static void print_moves(const struct seep_diff *diff)
{
	const struct seep_compare_footprint *footprint = &diff->compare->footprint;
	const char *moves = two(diff, &footprint->moves, seep_size_count);
	const char *copied = two(diff, &footprint->copied_bytes, seep_size_format);
	const char *slash = footprint->per ? "/" : "";
	const char *per = footprint->per ? footprint->per : "";

	if (footprint->moves.before > 0 || footprint->moves.after > 0)
		fprintf(diff->after->out, "  moves   %s%s%s of blocks that grew; copied %s%s%s\n",
			moves, slash, per, copied, slash, per);
}

void seep_diff_footprint(const struct seep_diff *diff)
{
	print_peak(diff);
	print_moves(diff);
}
