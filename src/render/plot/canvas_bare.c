/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In the place of canvas_cairo.c if seep is built with SEEP_PLOT=OFF. */
#include "render/plot/canvas_hand.h"

const struct seep_canvas_hand *const seep_cairo_hand = NULL;
