/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The unit in which a size is shown.  Always SI (1 kB = 1000 B) with three significant digits;
 * below 10 kB in bytes, because objects have sizes such as 1280 or 4096.
 *
 * All sizes that people read are made here: render/sizes.h adds the forms of reports, and
 * analyse/words those of sentences.
 */
#ifndef SEEP_BASE_SIZE_UNIT_H
#define SEEP_BASE_SIZE_UNIT_H

/* A unit can be shared by several numbers, so that a sum can be checked by eye. */
struct seep_size_unit {
	double bytes;
	const char *name;
	int decimals;            /* three digits for the number it was made for */
};

/* Returned by value: seep_size_in(unit, x).text can stand among the arguments of printf. */
struct seep_size_text {
	char text[64];
};

struct seep_size_unit seep_size_unit_for(double bytes);

/* The same for sentences, which have rules of their own for decimals and know no EB. */
struct seep_size_unit seep_size_unit_for_words(double bytes);

struct seep_size_text seep_size_in(struct seep_size_unit unit, double bytes); /* without its name */

/* A size that somebody chose: in kB from 1000 bytes on, without zeros at its end ("64 kB"). */
struct seep_size_text seep_size_chosen(double bytes);

/* Decimals that give x this many significant digits, once it is rounded to them. */
int seep_size_decimals(double x, int digits);

#endif
