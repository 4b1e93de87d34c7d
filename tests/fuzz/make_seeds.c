/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the traces that the fuzzer starts from: make_seeds FOLDER */
#include "trace_make.h"

#include <errno.h>
#include <sys/stat.h>

static int failures;

/* A header without the rest of its page: the fuzzer shall not waste its time on zeros. */
static void shrink_header(struct trace_make *trace)
{
	size_t from = SEEP_TRACE_HEADER_BYTES, to = sizeof(struct seep_trace_header);

	memmove(trace->data + to, trace->data + from, trace->bytes - from);
	trace->bytes -= from - to;
	trace_make_header(trace)->header_bytes = (uint32_t)to;
	trace_make_seal(trace);
}

static void write_seed(const char *folder, const char *name, struct trace_make *trace)
{
	char path[4096];
	FILE *file;

	shrink_header(trace);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fwrite(trace->data, 1, trace->bytes, file) != trace->bytes || fclose(file)) {
		perror(path);
		failures++;
	}
	trace_make_end(trace);
}

static void seed_header(const char *folder)
{
	struct trace_make trace;

	trace_make_begin(&trace, SEEP_TRACE_CREATED);
	write_seed(folder, "header", &trace);
}

static void seed_sample(const char *folder)
{
	struct trace_make trace;

	trace_make_sample(&trace);
	write_seed(folder, "sample", &trace);
	trace_make_sample(&trace);
	trace_make_grow(&trace, 4096);
	write_seed(folder, "grown", &trace);
	trace_make_sample(&trace);
	trace.bytes -= 21;
	write_seed(folder, "cut", &trace);
	trace_make_sample(&trace);
	trace.data[5000] ^= 0xff;
	write_seed(folder, "damaged", &trace);
}

/* Time slices, then events of the program. */
static void seed_ticks(const char *folder)
{
	static const uint64_t bins[] = { 1, 10, 2, 20, 3, 30, 4, 40 };
	struct trace_make trace;
	uint32_t i;

	trace_make_begin(&trace, SEEP_TRACE_ATTACHED);
	for (i = 1; i <= 6; i++)
		trace_make_stamp(&trace, (i < 4 ? SEEP_STAMP_TICK : 0) | SEEP_STAMP_BEGIN, i, i, 0);
	trace_make_snapshot_bins(&trace, SEEP_SNAPSHOT_PERIODIC, 1, 6, 1, 2);
	trace_make_state(&trace, 1, 1, 4, bins);
	trace_make_snapshot_end(&trace, 1, 1);
	write_seed(folder, "ticks", &trace);
}

/* Some events, then every second one. */
static void seed_thin(const char *folder)
{
	static const uint64_t bins[] = { 1, 10, 2, 20, 3, 30, 4, 40 };
	struct trace_make trace;
	uint32_t i;

	trace_make_begin(&trace, SEEP_TRACE_ATTACHED);
	trace_make_name(&trace, 1, "n");
	for (i = 1; i <= 4; i++)
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN, i, i, 0);
	trace_make_thin(&trace, 0, 5, 2);
	for (; i <= 20; i += 2) {
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_PART, i, i, 0);
		trace_make_count(&trace, i, 1, 2);
	}
	trace_make_thin(&trace, SEEP_THIN_LAST | SEEP_THIN_ENDED, 21, 2);
	trace_make_header(&trace)->events = 21;
	trace_make_snapshot_bins(&trace, SEEP_SNAPSHOT_FINAL, 1, 21, 1, 8);
	trace_make_state(&trace, 1, 1, 3, bins);
	trace_make_snapshot_end(&trace, 1, 1);
	write_seed(folder, "thin", &trace);
}

static void seed_restart(const char *folder)
{
	struct seep_rec_restart restart = { .t_ns = 9 };
	struct trace_make trace;

	trace_make_sample(&trace);
	TRACE_MAKE_ADD(&trace, SEEP_REC_RESTART, 0, restart);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 3, 1, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 1, 3, 0);
	trace_make_whole_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 1, 2);
	trace_make_note(&trace, SEEP_NOTE_STOPPED, "the end");
	trace_make_exit(&trace, 99, -1, 9);
	write_seed(folder, "restart", &trace);
}

/* Estimates, with how sure they are. */
static void seed_sampled(const char *folder)
{
	static const uint64_t bins[] = { 20, 2000, 10, 1000 }, sure[] = { 2, 1378, 1, 948 };
	struct trace_make trace;
	uint32_t i;

	trace_make_begin(&trace, SEEP_TRACE_ATTACHED);
	trace_make_sampling(&trace, 1000, 0, SEEP_SAMPLING_ASKED);
	for (i = 1; i <= 6; i++)
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN, i, i, 0);
	trace_make_sampling(&trace, 4000, 6, SEEP_SAMPLING_CEILING);
	trace_make_snapshot_bins(&trace, SEEP_SNAPSHOT_PERIODIC, 1, 6, 1, 2);
	trace_make_state(&trace, 1, 1, 2, bins);
	trace_make_samples(&trace, 1, 1, 2, sure);
	trace_make_snapshot_end(&trace, 1, 1);
	write_seed(folder, "sampled", &trace);
}

/* Names of two addresses, one of them with an inlined call. */
static void seed_names(const char *folder)
{
	static const char texts[] = "keep\0main\0job.c\0/src\0";
	static const unsigned char packed[] = { 0x85, 0x20, 2, 1, 3, 4, 7, 2, 3, 4, 130, 1,
						0x90, 0x20, 1, 0, 0, 0, 0 };
	struct seep_rec_texts head = { .first = 1, .count = 4, .bytes = sizeof(texts) - 1 };
	struct seep_rec_addresses addresses = { .module = 1, .count = 2, .bytes = sizeof(packed) };
	struct trace_make trace;

	trace_make_sample(&trace);
	trace_make_add(&trace, SEEP_REC_TEXTS, 0, &head, sizeof(head), texts, sizeof(texts) - 1);
	trace_make_add(&trace, SEEP_REC_ADDRESSES, 0, &addresses, sizeof(addresses), packed,
		       sizeof(packed));
	write_seed(folder, "names", &trace);
}

/* Not a trace, but a report of one. */
static void seed_report(const char *folder)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/report", folder);
	file = fopen(path, "w");
	if (!file || fputs("{\"schema\": \"seep-report/1\", \"run\": {\"wall_s\": 1.5, "
			   "\"events\": 60, \"event_source\": \"api\"}, \"verdict\": {\"rate\": "
			   "{\"bytes_per_event\": 500, \"low\": 490.5, \"high\": 510, "
			   "\"bytes_per_s\": 2e4}}, \"sites\": [{\"kind\": \"heap\", \"verdict\": "
			   "\"leak\", \"bytes_per_event\": 100, \"low\": 100, \"high\": 100, "
			   "\"phase\": null, \"stack\": [{\"function\": \"keep_a\", \"line\": 7, "
			   "\"module\": \"job\"}], \"own_frame\": 0}, {\"verdict\": \"backlog\", "
			   "\"bytes_per_event\": 400, \"low\": 400, \"high\": 400, \"stack\": [], "
			   "\"own_frame\": null}]}\n", file) < 0 || fclose(file)) {
		perror(path);
		failures++;
	}
}

/* Files of other programs, behind a byte that leaves their format to what they look like. */
static const struct {
	const char *name, *text;
} files[] = {
	{ "sprof", "Load:1706856261841710,1,2\n"
		   "A000_H:1706856261841711,10,20\nB000_H:1706856261841712,10,20\n"
		   "A000_T:1706856261841713,10,21 # numHit=7,numGen=1e3\n"
		   "A001_H:1706856261841714,10,22\nA001_T:1706856261841715,10,23 # numHit=8\n"
		   "A1000_H:1706856261841716,10,24\nT:1706856261841717,10,25\nrubbish\n" },
	{ "sprof_named", "Load:1706856261841710,1,2\n"
			 "H:1706856261841711,10,20\nM:1706856261841712,10,20\n"
			 "M:1706856261841713,10,20\nT:1706856261841714,10,21\n"
			 "H:1706856261841715,10,22\nM:1706856261841716,10,22\n"
			 "M:1706856261841717,10,22\nT:1706856261841718,10,23\n"
			 "H:1706856261841719,10,24\n" },
	{ "sprof_digits", "000Head:1706856261841711,10,20\n000Tail:1706856261841712,10,20\n"
			  "001Head:1706856261841713,10,20\n" },
	{ "run_meta", "OPTICKS_EVENT_MODE:Hit\nCMDLINE:/bin/job 'a b' c\n_x:1\n"
		      "SEvt__setIndex_A000:1706856261841711,10,20\n"
		      "SEvt__endIndex_A000:1706856261841714,10,20\n"
		      "SEvt__setIndex_A001:1706856261841713,10,21\n" },
	{ "prmon", "Time\tpss\tnprocs\tswap\tvmem\trss\n1700000000\t100\t1\t5\t900\t120\n"
		   "1700000030\t110\t1\t6\t901\t130\n1700000031\t\t1\t6\t901\t1" },
	{ "psrecord", "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"
		      "       0.000        0.000       10.500       20.000\n"
		      "       0.100       99.000       11.000       21.000\n" },
	{ "psrecord_csv", "elapsed_time,nproc,cpu,mem_real,mem_virtual\n0.0,1,0.5,10.5,20\n"
			  "0.1,1,0.5,11,21\n" },
	{ "mprof", "CMDLINE python job.py\nMEM 10.0 1000.0\nMEM -1 1001.0\nCHLD 1 3 1001\n"
		   "FUNC part 11 1005.2 11 1005.3 2\nFUNC turn 10 1003 11 1004 1\n"
		   "FUNC turn 11 1005 12 1006 1\nFUNC turn 9 1001 10 1002 1\n" },
};

static void write_file(const char *folder, const char *name, const void *text, size_t n)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fputc(0xff, file) == EOF || fwrite(text, 1, n, file) != n || fclose(file)) {
		perror(path);
		failures++;
	}
}

/* An array of two rows of that kind, whose numbers are all small. */
static void seed_array(const char *folder, const char *name, const char *descr, const char *shape,
		       size_t row_bytes)
{
	char data[256] = "\x93NUMPY\x01\0", *body = data + 10;
	int n = snprintf(body, 100, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n",
			 descr, shape);

	data[8] = (char)n;
	body += n;
	for (size_t i = 0; i < 2 * row_bytes; i += 4)
		body[i] = i % row_bytes + 4 < row_bytes ? 1 : 0;
	write_file(folder, name, data, (size_t)(body - data) + 2 * row_bytes);
}

static void seed_npy(const char *folder)
{
	seed_array(folder, "npy_stamps", "<i8", "(2, 3)", 24);
	seed_array(folder, "npy_events", "<i8", "(1, 2, 3)", 24);
	seed_array(folder, "npy_plot", "<f4", "(2, 4)", 16);
	seed_array(folder, "npy_monitor", "<u8", "(2, 8)", 64);
}

int main(int argc, char **argv)
{
	if (argc != 2 || (mkdir(argv[1], 0777) && errno != EEXIST)) {
		fputs("usage: make_seeds FOLDER\n", stderr);
		return 2;
	}
	seed_header(argv[1]);
	seed_sample(argv[1]);
	seed_ticks(argv[1]);
	seed_restart(argv[1]);
	seed_thin(argv[1]);
	seed_sampled(argv[1]);
	seed_names(argv[1]);
	seed_report(argv[1]);
	seed_npy(argv[1]);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		write_file(argv[1], files[i].name, files[i].text, strlen(files[i].text));
	return failures != 0;
}
