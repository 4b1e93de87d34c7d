/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes, counts and durations for people.  Always SI (1 kB = 1000 B), three
 * significant digits, below 10 kB whole bytes; machines get plain numbers from
 * render/emitter.h.
 *
 * The results are returned by value: seep_size_format(x).text can stand among
 * the arguments of printf.
 */
#ifndef SEEP_RENDER_SIZES_H
#define SEEP_RENDER_SIZES_H

struct seep_size_text {
	char text[64];
};

struct seep_size_text seep_size_format(double bytes);     /* "2.19 MB", "384 B" */
struct seep_size_text seep_size_count(double n);          /* "1748", "12.5", "0.02" */
struct seep_size_text seep_size_percent(double share);    /* 0.302 gives "30 %" */
struct seep_size_text seep_size_duration(double seconds); /* "3 h 10 m", "1.5 s" */

/*
 * A rate and its interval in one unit: value "2.19 MB", interval "2.18, 2.20".
 * More digits are given where the interval is narrower than three would show.
 */
struct seep_size_pair {
	char value[64];
	char interval[64];
};

struct seep_size_pair seep_size_interval(double value, double low, double high);

/* A unit that is shared by several numbers, so that a sum can be checked by eye. */
struct seep_size_unit {
	double bytes;
	const char *name;
	int decimals;            /* three digits for the number it was made for */
};

struct seep_size_unit seep_size_unit_for(double bytes);
struct seep_size_text seep_size_in(struct seep_size_unit unit, double bytes); /* without its name */

#endif
