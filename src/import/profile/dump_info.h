/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files beside heap profiles that describe their run: runinfo.json, and Gaudi's log. */
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
	void *json;              /* NULL: there is no runinfo.json */
	const char *path;
	const char *exe;         /* NULL: unknown */
	uint64_t pid;            /* 0: unknown */
	bool has_end;
	int64_t retcode, signal; /* if has_end; signal 0: none */
};

/* Looks for runinfo.json in the directory of the given file and in its parent. */
void seep_dump_info_read(struct seep_dump_info *info, const char *beside,
			 struct seep_arena *arena);
void seep_dump_info_release(struct seep_dump_info *info);

/* Drops everything: the file belongs to another run. */
void seep_dump_info_forget(struct seep_dump_info *info);

/* Whether runinfo.json lists dumps, and whether it lists this one. */
bool seep_dump_info_lists(const struct seep_dump_info *info);
bool seep_dump_info_names(const struct seep_dump_info *info,
			  const struct seep_dump_file *file);

/* Sets the event and the final flag of a dump, if runinfo.json has them. */
void seep_dump_info_tell(const struct seep_dump_info *info, struct seep_dump_file *file);

/*
 * Reads the events of n dumps from a *.log in their directory.  Fails unless the log mentions
 * exactly n dumps.
 *
 *	Jemalloc Dumping heap at event 49
 *	Stopping Jemalloc profile at event 99        which also writes a dump
 */
bool seep_dump_info_read_log(const char *beside, int64_t *events, size_t n,
			     struct seep_arena *arena);

#endif
