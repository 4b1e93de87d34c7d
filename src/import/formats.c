/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/import.h"

/* Declared only here, because only this list needs their names. */
extern const struct seep_import_format seep_import_dump_text;
extern const struct seep_import_format seep_import_heaptrack;
extern const struct seep_import_format seep_import_massif;
extern const struct seep_import_format seep_import_mprof;
extern const struct seep_import_format seep_import_npy;
extern const struct seep_import_format seep_import_pprof;
extern const struct seep_import_format seep_import_psrecord;
extern const struct seep_import_format seep_import_prmon;
extern const struct seep_import_format seep_import_run_meta;
extern const struct seep_import_format seep_import_sprof;

const struct seep_import_format *const seep_import_formats[] = {
	&seep_import_dump_text,
	&seep_import_npy,
	&seep_import_heaptrack,
	&seep_import_massif,
	&seep_import_psrecord,
	&seep_import_prmon,
	&seep_import_mprof,
	&seep_import_run_meta,
	&seep_import_sprof,
	&seep_import_pprof,
};

const size_t seep_import_n_formats =
	sizeof(seep_import_formats) / sizeof(seep_import_formats[0]);
