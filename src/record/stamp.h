/* SPDX-License-Identifier: MIT */
/*
 * Stamps: time and memory at a named place.  The functions behind seep.h are in
 * stamp.c; this is for the tracker, which makes an event of each time slice.
 */
#ifndef SEEP_RECORD_STAMP_H
#define SEEP_RECORD_STAMP_H

/* Begins an event because a time slice is over.  The recording is held. */
void seep_stamp_tick(void);

#endif
