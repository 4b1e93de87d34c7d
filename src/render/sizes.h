/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes, counts and durations for people, in the units of base/size_unit.h.  Machines
 * get plain numbers from render/emitter.h.
 */
#ifndef SEEP_RENDER_SIZES_H
#define SEEP_RENDER_SIZES_H

#include "base/size_unit.h"

struct seep_size_text seep_size_format(double bytes);     /* "2.19 MB", "384 B" */
struct seep_size_text seep_size_count(double n);          /* "1748", "12.5", "0.02" */
struct seep_size_text seep_size_percent(double share);    /* 0.302 gives "30 %" */
struct seep_size_text seep_size_duration(double seconds); /* "3 h 10 m", "1.5 s" */

/*
 * A rate and its interval in one unit: value "2.19 MB", interval "2.18, 2.20".
 * Narrow intervals get up to five digits, so that the ends differ.
 */
struct seep_size_pair {
	char value[64];
	char interval[64];
};

struct seep_size_pair seep_size_interval(double value, double low, double high);

#endif
