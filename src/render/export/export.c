/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/export/export.h"

#include <string.h>

extern const struct seep_export_format seep_export_csv;
extern const struct seep_export_format seep_export_sprof;
extern const struct seep_export_format seep_export_npy;
extern const struct seep_export_format seep_export_opticks;
extern const struct seep_export_format seep_export_prmon;
extern const struct seep_export_format seep_export_prom;
extern const struct seep_export_format seep_export_openmetrics;
extern const struct seep_export_format seep_export_chrome;
extern const struct seep_export_format seep_export_pprof;
extern const struct seep_export_format seep_export_heap_v2;
extern const struct seep_export_format seep_export_gperftools;
extern const struct seep_export_format seep_export_folded;
extern const struct seep_export_format seep_export_speedscope;
extern const struct seep_export_format seep_export_massif;
extern const struct seep_export_format seep_export_callgrind;

const struct seep_export_format *const seep_export_formats[] = {
	&seep_export_csv,
	&seep_export_sprof,
	&seep_export_npy,
	&seep_export_opticks,
	&seep_export_prmon,
	&seep_export_prom,
	&seep_export_openmetrics,
	&seep_export_chrome,
	&seep_export_pprof,
	&seep_export_heap_v2,
	&seep_export_gperftools,
	&seep_export_folded,
	&seep_export_speedscope,
	&seep_export_massif,
	&seep_export_callgrind,
};

const size_t seep_export_n_formats = sizeof(seep_export_formats) / sizeof(seep_export_formats[0]);

const struct seep_export_format *seep_export_find(const char *name)
{
	for (size_t i = 0; i < seep_export_n_formats; i++)
		if (!strcmp(seep_export_formats[i]->name, name))
			return seep_export_formats[i];
	return NULL;
}
