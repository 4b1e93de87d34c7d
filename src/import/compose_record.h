/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Appends records to the trace that is being composed.  Only compose*.c include this. */
#ifndef SEEP_IMPORT_COMPOSE_RECORD_H
#define SEEP_IMPORT_COMPOSE_RECORD_H

#include "import/compose.h"

/* Appends one record; its payload is head followed by tail. */
void seep_compose_add(struct seep_compose *c, uint16_t kind, uint16_t flags, const void *head,
		      size_t head_bytes, const void *tail, size_t tail_bytes);

/* Writes what the sites hold at the end. */
void seep_compose_sites_finish(struct seep_compose *c);

#endif
