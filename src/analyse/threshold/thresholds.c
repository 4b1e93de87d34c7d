/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variables of a build with SEEP_SENSITIVITY; no other build has this file. */
#ifndef SEEP_SENSITIVITY
#define SEEP_SENSITIVITY
#endif
#include "analyse/threshold/thresholds.h"

#include "analyse/threshold/thresholds_table.h"

#define PAGE __attribute__((aligned(SEEP_THRESHOLD_PAGE), section("seep_threshold_pages")))
#define DEFINE_REAL(name, value, unit, meaning, measured) double name PAGE = value;
#define DEFINE_COUNT(name, value, unit, meaning, measured) unsigned int name PAGE = value;

SEEP_THRESHOLDS(DEFINE_REAL, DEFINE_COUNT)

/* Keeps whatever the linker puts behind the section off the last page. */
static char end[SEEP_THRESHOLD_PAGE] PAGE __attribute__((used));

#define LIST_REAL(name, value, unit, meaning, measured) \
	{ #name, unit, meaning, measured, &name, NULL },
#define LIST_COUNT(name, value, unit, meaning, measured) \
	{ #name, unit, meaning, measured, NULL, &name },

const struct seep_threshold seep_thresholds[] = {
	SEEP_THRESHOLDS(LIST_REAL, LIST_COUNT)
};

const size_t seep_n_thresholds = sizeof(seep_thresholds) / sizeof(*seep_thresholds);
