/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SEEP_ANALYSE_SERIES_ESTIMATE_H
#define SEEP_ANALYSE_SERIES_ESTIMATE_H

#include <stdbool.h>

/* A number with its 95 % interval.  known is false if there was too little data. */
struct seep_estimate {
	bool known;
	double value, low, high;
};

#endif
