/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Durations for people: "250 ms", "1.5 s", "3 h 10 m". */
#ifndef SEEP_BASE_DURATION_H
#define SEEP_BASE_DURATION_H

/* Returned by value: seep_duration_format(x).text can stand among the arguments of printf. */
struct seep_duration_text {
	char text[64];
};

/* "years" for more than 100,000 days, "unknown" for a value that is not a number. */
struct seep_duration_text seep_duration_format(double seconds);

#endif
