/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One site in full: where it allocates, where its blocks are freed, and from which events the
 * survivors are.
 */
#ifndef SEEP_RENDER_TEXT_SITE_H
#define SEEP_RENDER_TEXT_SITE_H

#include "render/view.h"

/* rank counts from 1, as in the report; the frames of its stacks must be resolved. */
void seep_site_page(const struct seep_view *view, size_t rank);

#endif
