/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of the report about what the growth follows. */
#ifndef SEEP_RENDER_TEXT_DRIVERS_H
#define SEEP_RENDER_TEXT_DRIVERS_H

#include "render/view.h"

void seep_drivers_print(const struct seep_view *view);

#endif
