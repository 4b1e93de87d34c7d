/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures behind a verdict, stamp by stamp, for users who made such tables by hand before. */
#ifndef SEEP_RENDER_TEXT_STAMP_TABLES_H
#define SEEP_RENDER_TEXT_STAMP_TABLES_H

#include "render/view.h"

/*
 * Prints four tables: the stamps of an event, their rise from event to event, how far each event
 * is above its start at each stamp, and a plain line fit beside the rate of the verdict.
 */
void seep_stamp_tables_page(const struct seep_view *view);

#endif
