/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stamps as Opticks writes them: which of them begin an event, and what is in the way. */
#include "import_file.h"

#define T "170685626184171" /* and one digit: a time */

static void reads_tags(void **state)
{
	(void)state;
	read_text("Load_HEAD:" T "0,1000,500\n"
		  "A000_HEAD:" T "1,1000,500\n"
		  "A000_TAIL:" T "2,1001,501\n"
		  "A001_HEAD:" T "3,1002,502\n"
		  "A001_TAIL:" T "4,1003,503\n");
	assert_int_equal(run.n_events, 2);
	assert_int_equal(run.event_source, SEEP_EVENTS_API);
	assert_string_equal(names_in(-1), "Load_HEAD");
	assert_string_equal(names_in(0), "HEAD TAIL");
	assert_string_equal(names_in(1), "HEAD TAIL");
	assert_int_equal(begin_of(1)->rss_bytes, 502 * KIB);
	assert_int_equal(begin_of(1)->vm_bytes, 1002 * KIB);
	assert_int_equal(begin_of(1)->t_ns, 3000);
	assert_int_equal(run.started_real_ns, 1706856261841710000);
	assert_true(has_note("KiB"));
}

static void reads_all_digits(void **state)
{
	(void)state;
	read_text("A999_HEAD:" T "1,1,500\nA1000_HEAD:" T "2,1,500\nA1001_HEAD:" T "3,1,500\n");
	assert_int_equal(run.n_events, 3);
	assert_int_equal(run.events[0].index, 999);
	assert_int_equal(run.events[1].index, 1000);
	assert_int_equal(run.events[2].index, 1001);
	read_text("998Head:" T "1,1,500\n998Tail:" T "1,1,500\n1748Head:" T "2,1,500\n");
	assert_int_equal(run.n_events, 2);
	assert_int_equal(run.events[1].index, 1748);
	assert_string_equal(names_in(0), "Head Tail");
	assert_true(has_note("event numbers increase by 750"));
}

/* Events that are not in the file count. */
static void counts_missing_numbers(void **state)
{
	(void)state;
	read_text("A000_H:" T "0,1,10\nA001_H:" T "1,1,20\nA002_H:" T "2,1,30\n"
		  "A002_T:" T "5,1,35\nA006_H:" T "6,1,70\nA007_H:" T "7,1,80\n");
	assert_int_equal(run.n_events, 8);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(run.events[i].index, i);
		assert_int_equal(begin_of(i)->rss_bytes, (10 + 10 * i) * KIB);
	}
	assert_string_equal(names_in(2), "H T");
	assert_string_equal(names_in(3), "");
	assert_string_equal(names_in(6), "H");
	assert_true(has_note("3 event numbers are missing"));
	read_text("A000_H:" T "0,1,1\nA001_H:" T "1,1,2\nA002_H:" T "2,1,3\n"
		  "A999999999999999_H:" T "2,1,3\n");
	assert_int_equal(run.n_events, 4);
	assert_true(has_note("jump too far 1 times"));
}

static void reads_numbers_behind(void **state)
{
	(void)state;
	read_text("SEvt__BeginOfRun:" T "0,1,1\n"
		  "SEvt__setIndex_A000:" T "1,1,500\nSEvt__endIndex_A000:" T "2,1,500\n"
		  "SEvt__setIndex_A001:" T "3,1,502\nSEvt__endIndex_A001:" T "4,1,502\n");
	assert_int_equal(run.n_events, 2);
	assert_string_equal(names_in(1), "SEvt__setIndex SEvt__endIndex");
}

/* The one with more stamps has the events. */
static void tells_instances_apart(void **state)
{
	(void)state;
	read_text("B000_set:" T "0,1,1\nA000_set:" T "1,1,2\nA000_mid:" T "1,1,2\n"
		  "B000_end:" T "2,1,3 # n=5\nA000_end:" T "2,1,3 # n=7\n"
		  "B001_set:" T "3,1,4\nA001_set:" T "4,1,5\nA001_mid:" T "4,1,5\n"
		  "B001_end:" T "5,1,6 # n=6\nA001_end:" T "5,1,6 # n=8\n");
	assert_int_equal(run.n_events, 2);
	assert_string_equal(names_in(-1), "B_set");
	assert_string_equal(names_in(0), "set mid B_end end B_set");
	assert_int_equal(begin_of(1)->rss_bytes, 5 * KIB);
	assert_true(has_note("events are those of instance A"));
	assert_true(counter("n")->values[1] == 8);
	assert_true(counter("B_n")->values[1] == 6);
}

static void finds_the_period(void **state)
{
	char text[4096] = "Create:" T "0,1,1\nLoad:" T "0,1,1\n";
	size_t n = strlen(text);

	(void)state;
	for (int i = 0; i < 10; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "HEAD:170685626184%04d,1,%d\nSTEP:170685626184%04d,1,%d\n"
				      "STEP:170685626184%04d,1,%d\n%s%.*s", i * 10 + 1, i,
				      i * 10 + 2, i, i * 10 + 3, i, i == 4 ? "once:1,2\n" : "",
				      i == 9 ? 0 : 26, "TAIL:1706856261849999,1,9\n");
	read_text(text);
	assert_int_equal(run.n_events, 10);
	assert_string_equal(names_in(-1), "Create Load");
	assert_string_equal(names_in(0), "HEAD STEP STEP TAIL");
	assert_string_equal(names_in(9), "HEAD STEP STEP");
	assert_true(has_note("repeat every 4 stamps, and an event begins at 'HEAD'"));
	assert_true(has_note("1 line was skipped"));
}

/* What occurs once is no part of a period, however much of it there is. */
static void finds_the_period_behind_a_long_start(void **state)
{
	(void)state;
	read_text("a:" T "0,1,1\nb:" T "0,1,1\nc:" T "0,1,1\nd:" T "0,1,1\ne:" T "0,1,1\n"
		  "f:" T "0,1,1\ng:" T "0,1,1\nh:" T "0,1,1\ni:" T "0,1,1\nj:" T "0,1,1\n"
		  "H:" T "1,1,1\nT:" T "2,1,1\nH:" T "3,1,1\nT:" T "4,1,1\nH:" T "5,1,1\n"
		  "z:" T "9,1,1\n");
	assert_int_equal(run.n_events, 3);
	assert_string_equal(names_in(2), "H z");
	assert_true(has_note("repeat every 2 stamps, and an event begins at 'H'"));
}

/* The name that begins the event comes again inside of it. */
static void finds_the_period_of_repeated_names(void **state)
{
	(void)state;
	read_text("X:" T "0,1,1\nY:" T "1,1,1\nX:" T "2,1,1\nZ:" T "3,1,1\n"
		  "X:" T "4,1,2\nY:" T "5,1,2\nX:" T "6,1,2\nZ:" T "7,1,2\n"
		  "X:" T "8,1,3\nY:" T "9,1,3\n");
	assert_int_equal(run.n_events, 3);
	assert_string_equal(names_in(1), "X Y X Z");
	assert_int_equal(begin_of(1)->rss_bytes, 2 * KIB);
}

/* Some events have a stamp more or less than others. */
static void bears_unequal_events(void **state)
{
	(void)state;
	read_text("H:" T "0,1,1\nM:" T "0,1,1\nT:" T "0,1,1\nH:" T "1,1,1\nT:" T "1,1,1\n"
		  "H:" T "2,1,1\nM:" T "2,1,1\nT:" T "2,1,1\nH:" T "3,1,1\nM:" T "3,1,1\n"
		  "T:" T "3,1,1\nH:" T "4,1,1\nM:" T "4,1,1\nX:" T "4,1,1\nT:" T "4,1,1\n");
	assert_int_equal(run.n_events, 5);
	assert_string_equal(names_in(1), "H T");
	assert_string_equal(names_in(4), "H M X T");
}

/* The stamps at the end of the last event had lost their tag. */
static void bears_an_untagged_end(void **state)
{
	(void)state;
	read_text("A000_H:" T "1,1,1\nA000_T:" T "2,1,1\nA001_H:" T "3,1,1\nT:" T "4,1,1\n");
	assert_int_equal(run.n_events, 2);
	assert_string_equal(names_in(1), "H T");
}

static void reads_comments(void **state)
{
	(void)state;
	read_text("A000_H:" T "1,1,1\nA000_T:" T "2,1,1 # numHit=1748,what=ever,x=nan,numGen=3\n"
		  "A001_H:" T "3,1,1 #numHit=1673\nA001_T:" T "4,1,1   # numHit=1673, p=1e3\n");
	assert_true(counter("numHit")->values[0] == 1748);
	assert_true(counter("numHit")->values[1] == 1673);
	assert_true(counter("numGen")->values[0] == 3);
	assert_true(counter("p")->values[1] == 1000);
	assert_null(counter("what"));
	assert_null(counter("x"));
}

static void starts_again(void **state)
{
	(void)state;
	read_text("A000_H:" T "1,1,1\nA000_T:" T "1,1,1\nA001_H:" T "2,1,1\nA000_late:" T "3,1,1\n"
		  "A000_H:" T "4,1,1\nA000_T:" T "5,1,1\nA001_H:" T "6,1,1\n");
	assert_int_equal(run.n_events, 4);
	assert_int_equal(run.events[2].index, 0);
	assert_string_equal(names_in(1), "H late");
	assert_true(has_note("1 stamps have the number of an earlier event"));
}

/* The order of the lines holds. */
static void bears_clocks_that_go_back(void **state)
{
	(void)state;
	read_text("A000_H:1706856261000000,1,1\nA001_H:1706856262000000,1,2\n"
		  "A002_H:1706856261999999,1,3\nA003_H:1706856222000000,1,4\n"
		  "A004_H:1706856223000000,1,5\n");
	assert_int_equal(run.n_events, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(begin_of(i)->rss_bytes, (i + 1) * KIB);
	assert_int_equal(begin_of(2)->t_ns, 1000000000);
	assert_int_equal(begin_of(4)->t_ns, 2000000000);
	assert_true(has_note("goes back 1 time in this file, first in line 4"));
}

static void refuses_impossible_numbers(void **state)
{
	(void)state;
	refuse_text("A000_H:" T "1,1,1\nA001_H:" T "1,1,99999999999999999999999999\n", ":2: ");
	import_file_begin(state);
	refuse_text("A000_H:" T "1,9007199254740993,1\n", ":1: a stamp whose number");
	import_file_begin(state);
	refuse_text("A000_H:9999999999999999,1,1\n", ":1: ");
}

static void skips_what_is_no_stamp(void **state)
{
	(void)state;
	read_text("A000_H:" T "1,1,1\nA001_H:" T "2,-1,1\nA001_H:" T "2,1,nan\nA001_H:" T "2,1\n"
		  "A001_H:17068562618417,1,1\n# A001_H:" T "2,1,1\nrubbish\n:" T "2,1,1\n\n"
		  "A001_H:" T "2,1,1,1\nA001_H:" T "2,1,1\x01\nA001_H:" T "3,1,2  \r\n"
		  "A002_H:" T "4,1,\n");
	assert_int_equal(run.n_events, 2);
	assert_int_equal(begin_of(1)->rss_bytes, 2 * KIB);
	assert_true(has_note("10 lines were skipped"));
}

/* "A002_H:...,1,30": was it 30, or 300? */
static void leaves_out_a_line_that_may_have_gone_on(void **state)
{
	(void)state;
	read_text("A000_H:" T "1,1,100\nA001_H:" T "2,1,200\nA002_H:" T "4,1,30");
	assert_int_equal(run.n_events, 2);
	assert_true(has_note("the last line of the file does not end with a newline"));
	read_text("OPTICKS_EVENT_MODE:Hit\nSEvt__setIndex_A000:" T "1,1,100\n"
		  "SEvt__setIndex_A001:" T "2,1,200\nSEvt__setIndex_A002:" T "3,1,30");
	assert_int_equal(run.n_events, 2);
	assert_true(has_note("the last line of the file does not end with a newline"));
}

static void refuses_bytes_in_text(void **state)
{
	static const char zero[] = "A000_H:" T "1,1,1\nA0\0" "1_H:" T "2,1,1\n";
	size_t n = ((size_t)1 << 20) + 100;
	char *line = malloc(n);

	(void)state;
	assert_int_not_equal(try_bytes(zero, sizeof(zero) - 1), 0);
	assert_non_null(strstr(err.text, ":2: "));
	import_file_begin(state);
	memset(line, 'x', n);
	memcpy(line, "A000_H:" T "1,1,1\n", 28);
	assert_int_not_equal(try_bytes(line, n), 0);
	assert_non_null(strstr(err.text, "a line of more than"));
	free(line);
}

/* Without events there is nothing to judge, but the file was read. */
static void finds_no_events_in_names_that_differ(void **state)
{
	(void)state;
	read_text("begin:" T "1,1,1\nmiddle:" T "2,1,1\nend:" T "3,1,1\n");
	assert_int_equal(run.n_events, 0);
	assert_int_equal(run.n_stamps, 3);
	assert_true(has_note("no stamp name repeats"));
}

static void reads_run_meta(void **state)
{
	(void)state;
	read_text("OPTICKS_EVENT_MODE:Hit\nGPUMeta:1:NVIDIA\nno colon\n"
		  "CMDLINE:/opt/bin/job --events 2\n_SEvt__setIndex_A007:" T "0,1,1\n"
		  "SEvt__EndOfRun:" T "9,1,1\n"
		  "SEvt__setIndex_A000:" T "1,1,500\nSEvt__endIndex_A000:" T "2,1,500\n"
		  "SEvt__setIndex_A001:" T "3,1,502\nSEvt__endIndex_A001:" T "4,1,502\n");
	assert_int_equal(run.n_events, 2);
	assert_string_equal(run.command[0], "/opt/bin/job");
	assert_string_equal(run.command[2], "2");
	assert_string_equal(names_in(-1), "");
	assert_string_equal(names_in(1), "SEvt__setIndex SEvt__endIndex SEvt__EndOfRun");
	assert_false(has_note("clock"));
	refuse_text("CMDLINE:/opt/bin/job\nInitTimestamp:1706856261841716\n", "it holds no stamps");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IMPORT_TEST(reads_tags),
		IMPORT_TEST(reads_all_digits),
		IMPORT_TEST(counts_missing_numbers),
		IMPORT_TEST(reads_numbers_behind),
		IMPORT_TEST(tells_instances_apart),
		IMPORT_TEST(finds_the_period),
		IMPORT_TEST(finds_the_period_behind_a_long_start),
		IMPORT_TEST(finds_the_period_of_repeated_names),
		IMPORT_TEST(bears_unequal_events),
		IMPORT_TEST(bears_an_untagged_end),
		IMPORT_TEST(reads_comments),
		IMPORT_TEST(starts_again),
		IMPORT_TEST(bears_clocks_that_go_back),
		IMPORT_TEST(refuses_impossible_numbers),
		IMPORT_TEST(skips_what_is_no_stamp),
		IMPORT_TEST(leaves_out_a_line_that_may_have_gone_on),
		IMPORT_TEST(refuses_bytes_in_text),
		IMPORT_TEST(finds_no_events_in_names_that_differ),
		IMPORT_TEST(reads_run_meta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
