/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the text formats of Prometheus and OpenMetrics have in common. */
#ifndef SEEP_RENDER_EXPORT_SERIES_METRICS_H
#define SEEP_RENDER_EXPORT_SERIES_METRICS_H

#include "render/view.h"

#include <stdio.h>

/* key="value", escaped; a very long value is shortened in the middle. */
const char *seep_metrics_label(const struct seep_view *view, const char *key, const char *value);

/* A sample without its line end: name{labels} value.  The value may be infinite. */
void seep_metrics_sample(FILE *out, const char *name, const char *labels, double value);

#endif
