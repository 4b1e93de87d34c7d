/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of memory as prmon, psrecord and mprof write them, whole and damaged. */
#include "import_file.h"

#define MIB 1048576

static void reads_prmon_by_name(void **state)
{
	(void)state;
	read_text("Time\tpss\tnprocs\tswap\tvmem\trss\n"
		  "1700000000\t100\t1\t5\t900\t120\n1700000030\t110\t1\t6\t901\t130\n");
	assert_int_equal(run.n_events, 2);
	assert_int_equal(run.event_source, SEEP_EVENTS_TIME);
	assert_int_equal(run.started_real_ns, 1700000000000000000);
	assert_int_equal(begin_of(1)->rss_bytes, 116 * KIB);
	assert_int_equal(begin_of(1)->vm_bytes, 901 * KIB);
	assert_int_equal(begin_of(1)->t_ns, 30000000000);
	assert_true(counter("rss")->gauge);
	assert_true(counter("rss")->values[1] == 130 * KIB);
	assert_true(counter("swap")->values[0] == 5 * KIB);
	assert_null(counter("nprocs"));
	read_text("rss\tTime\n100\t1700000000\n\n110\t1700000030\n");
	assert_int_equal(begin_of(1)->rss_bytes, 110 * KIB);
	assert_true(has_note("shared pages more than once"));
}

/* The writer was killed: who knows how the number went on? */
static void leaves_out_a_cut_line(void **state)
{
	static const char *const cut[] = {
		"Time\trss\tpss\n1\t2\t3\n2\t3\t4\n3\t4",
		"Time\trss\tpss\n1\t200\t300\n2\t200\t300\n3\t200\t3",
		"elapsed_time,mem_real\n1,200\n2,200\n3,2",
		"MEM 1.5 1700000000.5\nMEM 1.5 1700000001.5\nMEM 1.5",
		"MEM 1.5 1700000000.5\nMEM 1.5 1700000001.5\nMEM 1.5 17",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		read_text(cut[i]);
		assert_int_equal(run.n_events, 2);
		assert_true(has_note("the last line of the file does not end with a newline"));
	}
	read_text("Time\trss\tpss\n1\t2\t3\n2\t3\t4\n3\t4\n");
	assert_int_equal(run.n_events, 2);
	assert_true(has_note("the last line of the file is truncated"));
	refuse_text("Time\trss\tpss\n1\t2\t3\n2\t3\n3\t4\t5\n",
		    ":3: the line has 2 fields, but the table has 3 columns");
}

static void refuses_other_numbers(void **state)
{
	static const char *const bad[] = { "-1", "nan", "inf", "0x10", "1e30", "1;2", "abc", "1 2",
					   "99999999999999999999999", "\x1b[2J" };
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memset(&err, 0, sizeof(err));
		snprintf(text, sizeof(text), "Time\trss\tpss\n1\t2\t3\n2\t2\t%s\n3\t2\t3", bad[i]);
		refuse_text(text, ":3: pss has the impossible value '");
		memset(&err, 0, sizeof(err));
		snprintf(text, sizeof(text), "elapsed_time,mem_real\n1,2\n2,%s\n3,3\n", bad[i]);
		refuse_text(text, ":3: mem_real has the impossible value '");
	}
	memset(&err, 0, sizeof(err));
	refuse_text("MEM 1 1\nMEM nan 2\nMEM 1 3\n", ":2: an mprof line");
	memset(&err, 0, sizeof(err));
	refuse_text("FUNC f 1 5 1 4 0\nMEM 1 3\n", ":1: an mprof line");
	memset(&err, 0, sizeof(err));
	refuse_text("Time\trss\tpss\n1e18\t2\t3\n2\t2\t3\n", ":2: an impossible time");
}

static void refuses_tables_without_memory(void **state)
{
	(void)state;
	refuse_text("Time\twtime\tutime\n1\t2\t3\n", ":1: there is no pss and no rss column");
	memset(&err, 0, sizeof(err));
	refuse_text("Time\trss\n", "the file has no samples");
	memset(&err, 0, sizeof(err));
	refuse_text("CMDLINE job\n", "the file has no samples");
}

static void bears_a_clock_that_goes_back(void **state)
{
	(void)state;
	read_text("Time\trss\n100\t1\n130\t2\n70\t3\n100\t4\n");
	assert_int_equal(run.n_events, 4);
	assert_int_equal(begin_of(3)->rss_bytes, 4 * KIB);
	assert_int_equal(begin_of(3)->t_ns, 60000000000);
	assert_true(has_note("first in line 4"));
}

/* What prmon_compress_output.py leaves has holes and distances of all lengths. */
static void tells_compressed_samples(void **state)
{
	(void)state;
	read_text("Time\tpss\twtime\n0\t1\t0\n30\t2\t30\n60\t3\t60\n300\t4\t300\n330\t5\t330\n"
		  "900\t6\t900\n930\t7\t930\n1200\t8\t1200\n1230\t9\t1230\n1260\t9\t1260\n"
		  "1290\t9\t1290\n");
	assert_true(has_note("prmon_compress_output.py"));
	read_text("Time\tpss\twtime\n0\t1\t0\n30\t\t30\n60\t3\t60\n90\t4\t90\n");
	assert_int_equal(run.n_events, 3);
	assert_true(has_note("1 rows without memory"));
	read_text("Time\tpss\twtime\n0\t1\t0\n30\t2\t30\n61\t3\t61\n91\t4\t91\n122\t5\t122\n"
		  "152\t5\t152\n183\t5\t183\n213\t5\t213\n243\t5\t243\n274\t5\t274\n304\t5\t304\n"
		  "305\t5\t305\n");
	assert_false(has_note("prmon_compress_output.py"));
}

static void reads_psrecord(void **state)
{
	(void)state;
	read_text("# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"
		  "       0.000        0.000       10.500       20.000\n"
		  "       0.100       99.000       11.000       21.000\n");
	assert_int_equal(run.n_events, 2);
	assert_int_equal(begin_of(0)->rss_bytes, 10 * MIB + MIB / 2);
	assert_int_equal(begin_of(1)->vm_bytes, 21 * MIB);
	assert_int_equal(begin_of(1)->t_ns, 100000000);
	read_text("# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)   USS (MB)\n"
		  "       0.000        0.000       10.500       20.000  3\n");
	assert_int_equal(run.n_events, 1);
	read_text("elapsed_time,nproc,cpu,mem_real,mem_virtual,read_count\r\n"
		  "0.0,1,0.5,10.5,20,7\r\n0.1,1,0.5,11,21,8\r\n");
	assert_int_equal(begin_of(1)->rss_bytes, 11 * MIB);
}

/* Calls come behind the samples; the outermost function that is called often is the event. */
static void takes_calls_for_events(void **state)
{
	(void)state;
	read_text("CMDLINE python 'my job.py'\nMEM 10.0 1000.0\nMEM 10.5 1001.0\nCHLD 1 3 1001\n"
		  "FUNC part 11 1005.2 11 1005.3 2\nFUNC turn 10 1003 11 1004 1\n"
		  "FUNC turn 11 1005 12 1006 1\nFUNC part 10 1003.2 10 1003.3 2\n"
		  "FUNC turn 9 1001 10 1002 1\nFUNC part 9 1001.2 9 1001.3 2\n"
		  "FUNC main 9 1000.5 12 1007 0\n");
	assert_int_equal(run.n_events, 3);
	assert_int_equal(run.event_source, SEEP_EVENTS_API);
	assert_string_equal(run.command[1], "my job.py");
	assert_string_equal(names_in(-1), "main");
	assert_string_equal(names_in(0), "part part end");
	assert_string_equal(names_in(2), "part part end main end");
	assert_int_equal(begin_of(1)->rss_bytes, 10 * MIB);
	assert_true(has_note("each call of 'turn' is an event"));
	assert_true(has_note("1 CHLD lines"));
}

static void takes_samples_for_events(void **state)
{
	(void)state;
	read_text("MEM 10.0 1000.0\nMEM 10.5 1001.0\nMEM -1 1001.5\nMEM 11 1002.0\nUNKNOWN 1\n"
		  "FUNC f 10.5 1000.5 10.5 1001.5 0\nFUNC f 10.5 1001.6 10.5 1001.7 0\n");
	assert_int_equal(run.n_events, 3);
	assert_int_equal(run.event_source, SEEP_EVENTS_TIME);
	assert_string_equal(names_in(0), "f");
	assert_string_equal(names_in(1), "f end f f end");
	assert_int_equal(begin_of(2)->rss_bytes, 11 * MIB);
	assert_true(has_note("1 samples were left out"));
}

/* A function that calls itself is one event. */
static void bears_recursion(void **state)
{
	(void)state;
	read_text("FUNC f 1 10 2 20 0\nFUNC f 1 11 2 19 1\nFUNC f 1 12 2 18 2\nFUNC f 2 30 3 40 0\n"
		  "MEM 1 9\n");
	assert_int_equal(run.n_events, 2);
	assert_int_equal(begin_of(1)->rss_bytes, 2 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IMPORT_TEST(reads_prmon_by_name),
		IMPORT_TEST(leaves_out_a_cut_line),
		IMPORT_TEST(refuses_other_numbers),
		IMPORT_TEST(refuses_tables_without_memory),
		IMPORT_TEST(bears_a_clock_that_goes_back),
		IMPORT_TEST(tells_compressed_samples),
		IMPORT_TEST(reads_psrecord),
		IMPORT_TEST(takes_calls_for_events),
		IMPORT_TEST(takes_samples_for_events),
		IMPORT_TEST(bears_recursion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
