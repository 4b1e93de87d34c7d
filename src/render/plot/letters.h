/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How wide texts are where no font can be asked: those of DejaVu Sans, which is a wide one. */
#ifndef SEEP_RENDER_PLOT_LETTERS_H
#define SEEP_RENDER_PLOT_LETTERS_H

#include <stdbool.h>

/* Of a text that is valid UTF-8, in units of the size of its letters. */
double seep_letters_width(const char *text, bool bold);

#endif
