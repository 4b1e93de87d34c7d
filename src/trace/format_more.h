/* SPDX-License-Identifier: MIT */
/*
 * Records that no recorder writes: those of seep run, which looks at the program from outside,
 * those with the names of functions, which seep run and seep pack look up, and those of traces
 * imported from other programs' files.  A part of trace/format.h.
 */
#ifndef SEEP_TRACE_FORMAT_MORE_H
#define SEEP_TRACE_FORMAT_MORE_H

#include <stdint.h>

/*
 * The name of a pc, in an imported trace: there functions are known by name, not by module
 * and address.  Such pcs begin at SEEP_PC_NAMED and are in module 0.  The letters of the
 * function, the file and the module follow.
 */
struct seep_rec_frame {
	uint64_t pc;
	uint32_t line;           /* 0: not known */
	uint32_t function_bytes;
	uint32_t file_bytes;
	uint32_t module_bytes;
};

/*
 * What sites held at one moment: a dump of another profiler, which does not say when the
 * blocks were born.  All records of one dump have its ordinal; dumps count from 0.  A site that
 * is missing from a dump held nothing.  Packed numbers, for each site:
 *
 *	site, blocks, bytes, the standard error of the bytes (0: they were counted)
 */
struct seep_rec_levels {
	uint64_t ordinal;
	uint32_t count;
	uint32_t bytes;
	int64_t t_ns;
	uint32_t event;          /* events begun so far */
	uint32_t pad;
};

/* Flags of a sample. */
#define SEEP_SAMPLE_RSS 1u         /* vm_bytes, rss_*_bytes and swap_bytes are known */
#define SEEP_SAMPLE_THREADS 2u
#define SEEP_SAMPLE_DESCRIPTORS 4u

/* What seep run saw from outside at some moments: count samples follow, in time order. */
struct seep_rec_samples {
	uint32_t count;
	uint32_t pad;
};

struct seep_rec_sample {
	int64_t t_ns;
	int64_t vm_bytes;
	int64_t rss_anon_bytes;
	int64_t rss_file_bytes;
	int64_t rss_shmem_bytes;
	int64_t swap_bytes;
	int64_t tracker_bytes;   /* of these, the tracker's own, according to its last stamp */
	uint32_t event;          /* of that stamp */
	uint32_t threads;
	uint32_t descriptors;    /* open, ours included */
	uint32_t flags;
};

/*
 * Names of functions, files and directories: count texts, each ended by a zero, with the numbers
 * first, first + 1 ...  Numbers count from 1.
 */
struct seep_rec_texts {
	uint32_t first;
	uint32_t count;
	uint32_t bytes;          /* of all of them, with their zeros */
	uint32_t pad;
};

/*
 * What was found at return addresses in a module.  A later reader of the trace need not have
 * the module's file.  Packed numbers, for each address:
 *
 *	pc as in a node, n, then n frames, innermost first, all but the last one inlined:
 *		function, file, directory (numbers of texts, 0: not known), line (0: not known)
 *
 * The last record with an address counts.  A text may come after the addresses that refer to it.
 */
struct seep_rec_addresses {
	uint32_t module;
	uint32_t count;          /* of addresses */
	uint32_t bytes;          /* of the packed numbers */
	uint32_t pad;
};

#endif
