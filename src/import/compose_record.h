/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files compose*.c share; nobody else includes it. */
#ifndef SEEP_IMPORT_COMPOSE_RECORD_H
#define SEEP_IMPORT_COMPOSE_RECORD_H

#include "import/compose.h"

/* Appends a record of head and tail. */
void seep_compose_add(struct seep_compose *c, uint16_t kind, uint16_t flags, const void *head,
		      size_t head_bytes, const void *tail, size_t tail_bytes);

/* What the sites hold in the end. */
void seep_compose_sites_finish(struct seep_compose *c);

#endif
