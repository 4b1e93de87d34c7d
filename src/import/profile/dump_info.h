/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lies beside heap profiles and tells of their run: runinfo.json, and the log of Gaudi. */
#ifndef SEEP_IMPORT_PROFILE_DUMP_INFO_H
#define SEEP_IMPORT_PROFILE_DUMP_INFO_H

#include "base/arena.h"
#include "import/profile/dump_plan.h"

/*
 *	{"pid": 4131, "retcode": 0, "exe": "/usr/bin/python3.11",
 *	 "dumps": [{"file": "jeprof.4131.0.m0.heap", "event": 49, "final": false}, ...]}
 *
 * or "dumps": {"jeprof.4131.0.m0.heap": 49}.  Everything may be missing.
 */
struct seep_dump_info {
	void *json;              /* NULL: there is no such file */
	const char *path;
	const char *exe;         /* NULL: not told */
	uint64_t pid;            /* 0: not told */
	bool has_end;
	int64_t retcode, signal; /* if so; 0: none */
};

/* Looks in the directory of that file, and in the one above. */
void seep_dump_info_read(struct seep_dump_info *info, const char *beside,
			 struct seep_arena *arena);
void seep_dump_info_release(struct seep_dump_info *info);

/* Nothing is told: what was read is of another run. */
void seep_dump_info_forget(struct seep_dump_info *info);

/* Whether it has a list of dumps, and whether that one is in it. */
bool seep_dump_info_lists(const struct seep_dump_info *info);
bool seep_dump_info_names(const struct seep_dump_info *info,
			  const struct seep_dump_file *file);

/* Sets what it tells of a dump. */
void seep_dump_info_tell(const struct seep_dump_info *info, struct seep_dump_file *file);

/*
 * The events of n dumps out of a *.log in their directory that tells of as many.
 *
 *	Jemalloc Dumping heap at event 49
 *	Stopping Jemalloc profile at event 99        which dumps as well
 */
bool seep_dump_info_read_log(const char *beside, int64_t *events, size_t n,
			     struct seep_arena *arena);

#endif
