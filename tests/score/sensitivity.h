/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What becomes of the scores if a threshold has another value: each run is made once and judged
 * at every setting.  Only in a build with SEEP_SENSITIVITY (`make score SENSITIVITY=1`).
 */
#ifndef SEEP_TESTS_SCORE_SENSITIVITY_H
#define SEEP_TESTS_SCORE_SENSITIVITY_H

#include "score.h"

struct sensitivity {
	const char *only;        /* names of thresholds, with commas between them; NULL: all */
	double low, high;        /* factors */
};

/* The verdict on one run at one setting. */
struct sensitivity_answer {
	uint32_t report;         /* a hash of all that the report says */
	uint16_t kinds;          /* of the truth */
	uint8_t kind;
	bool filled, leaks;
	bool read;               /* the threshold was; else the answer is that of the default */
};

struct sensitivity_sums {
	size_t n, right, leaks, found, leak_free, false_leaks;
	size_t reads;            /* runs whose verdict has read the threshold */
	size_t verdicts, reports; /* that are not what they are at the default setting */
};

/* The default first, then two for each threshold; 0: there are none in this build. */
size_t sensitivity_settings(const struct sensitivity *s);

void sensitivity_judge(const struct sensitivity *s, struct sensitivity_answer *answers,
		       const struct score_case *c);

/* Adds the answers on one run to the sums, of which there are as many. */
void sensitivity_add(const struct sensitivity *s, struct sensitivity_sums *sums,
		     const struct sensitivity_answer *answers);

void sensitivity_print(const struct sensitivity *s, const struct sensitivity_sums *sums);

#endif
