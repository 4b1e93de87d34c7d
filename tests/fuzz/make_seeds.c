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
	seed_report(argv[1]);
	return failures != 0;
}
