/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the growth follows, in the report. */
#ifndef SEEP_RENDER_TEXT_DRIVERS_H
#define SEEP_RENDER_TEXT_DRIVERS_H

#include "render/view.h"

void seep_drivers_print(const struct seep_view *view);

#endif
