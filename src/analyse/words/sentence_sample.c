/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences for a heap of which only a sample was tracked. */
#include "analyse/words/sentence.h"
#include "analyse/words/sentence_words.h"
#include "base/size_unit.h"

/* How to get a better sample. */
static const char *advise_sample(const struct seep_verdict *verdict,
				 const struct seep_evidence *evidence, struct seep_arena *arena)
{
	double finer = seep_evidence_finer_mean(verdict->basis.rate);

	if (evidence->run->sampling.reason == SEEP_SAMPLING_CEILING)
		return "a larger --max-overhead makes it finer";
	if (!(finer > 0))
		return "run it without --sample";
	return seep_arena_printf(arena, "use --sample %.0fkB or none", finer / 1000);
}

const char *seep_sentence_coarse(const struct seep_verdict *verdict,
				 const struct seep_evidence *evidence,
				 const struct seep_unit *unit, struct seep_arena *arena)
{
	const struct seep_rate *rate = verdict->basis.rate, *rss = &evidence->rss_rate;
	uint64_t seen = seep_evidence_samples(evidence);

	return seep_arena_printf(arena,
		"the sample is too coarse to tell: %s of it %s alive, and growth of %s would not "
		"show%s; %s", seep_sentence_count((size_t)seen, "block", arena),
		seen == 1 ? "is" : "are",
		seep_sentence_per(rate->bytes_per_event.high, unit, arena),
		seep_evidence_grows(rss, SEEP_SERIES_RSS)
			? seep_arena_printf(arena, ", while RSS grows by %s",
					    seep_sentence_range(&rss->bytes_per_event, unit, arena))
			: "",
		advise_sample(verdict, evidence, arena));
}

const char *seep_sentence_sampling(const struct seep_verdict *verdict, const struct seep_run *run,
				   struct seep_arena *arena)
{
	const struct seep_sampling *sampling = &run->sampling;

	if (!run->has_heap || !sampling->mean_bytes || verdict->kind == SEEP_KIND_NON_HEAP)
		return "";
	return seep_arena_printf(arena, "sampled 1 per %s%s: ",
				 seep_size_chosen((double)sampling->mean_bytes).text,
				 sampling->reason == SEEP_SAMPLING_CEILING
					? " because the tracker's memory had reached its ceiling"
					: "");
}
