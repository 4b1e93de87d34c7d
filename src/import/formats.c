/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/import.h"

/* Declared here and nowhere else: nobody but the list needs to know them by name. */

const struct seep_import_format *const seep_import_formats[] = {
	NULL,
};

const size_t seep_import_n_formats =
	sizeof(seep_import_formats) / sizeof(seep_import_formats[0]) - 1;
