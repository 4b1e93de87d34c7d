/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names in the report JSON. */
#include "analyse/verdict/verdict.h"

const char *seep_verdict_kind_name(enum seep_kind kind)
{
	static const char *const names[] = {
		[SEEP_KIND_LEAK] = "leak",
		[SEEP_KIND_SATURATING] = "saturating",
		[SEEP_KIND_STEP] = "step",
		[SEEP_KIND_CACHE] = "cache",
		[SEEP_KIND_SAWTOOTH] = "sawtooth",
		[SEEP_KIND_RETENTION] = "retention",
		[SEEP_KIND_FRAGMENTATION] = "fragmentation",
		[SEEP_KIND_NON_HEAP] = "non-heap",
		[SEEP_KIND_GROWTH] = "growth",
		[SEEP_KIND_FLAT] = "flat",
		[SEEP_KIND_UNDECIDED] = "undecided",
	};

	return names[kind];
}

const char *seep_verdict_site_name(enum seep_site_verdict verdict)
{
	static const char *const names[] = {
		[SEEP_SITE_LEAK] = "leak",
		[SEEP_SITE_FILLING] = "filling",
		[SEEP_SITE_DRAINING] = "draining",
		[SEEP_SITE_REALLOC_GROWTH] = "realloc-growth",
		[SEEP_SITE_BACKLOG] = "backlog",
		[SEEP_SITE_SUSPECT] = "suspect",
		[SEEP_SITE_NONE] = "none",
	};

	return names[verdict];
}

const char *seep_verdict_doubt_name(enum seep_doubt doubt)
{
	static const char *const names[] = {
		[SEEP_DOUBT_NONE] = NULL,
		[SEEP_DOUBT_FEW] = "few",
		[SEEP_DOUBT_SMALL] = "small",
		[SEEP_DOUBT_STRETCHES] = "stretches",
		[SEEP_DOUBT_NEW] = "new",
		[SEEP_DOUBT_REPLACED] = "replaced",
		[SEEP_DOUBT_TOLERATED] = "tolerated",
		[SEEP_DOUBT_EVICTED] = "evicted",
		[SEEP_DOUBT_COLLECTOR] = "collector",
	};

	return names[doubt];
}

const char *seep_verdict_rate_name(void)
{
	return "leak_rate";
}
