/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Series in the formats of others, to the letter, for what a real run hardly shows: names
 * with raw control characters, readings that are missing, events that were left out, clocks
 * that are not known.  tests/cli/files/export_series.bats has the real readers.
 */
#include "render/export/export.h"

#include "fake_run.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define START_NS INT64_C(1700000000500000000)
#define SECOND INT64_C(1000000000)
#define MIB INT64_C(1048576)

static struct fake fake;
static struct seep_verdict verdict;
static char *written;

static int set_up(void **state)
{
	(void)state;
	fake_init(&fake, false);
	fake.run.path = "here/it.seep";
	fake.run.exe = "/usr/bin/it";
	fake.run.event_source = SEEP_EVENTS_API;
	fake.run.started_real_ns = START_NS;
	memset(&verdict, 0, sizeof(verdict));
	verdict.kind = SEEP_KIND_FLAT;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(written);
	written = NULL;
	fake_release(&fake);
	return 0;
}

static int export(const char *format, struct seep_err *err)
{
	struct seep_view view = {
		.run = &fake.run, .verdict = &verdict, .arena = &fake.arena, .self = "seep",
	};
	size_t bytes = 0;
	int rc;

	free(written);
	view.out = open_memstream(&written, &bytes);
	assert_non_null(view.out);
	rc = seep_export_find(format)->write(&view, err);
	fclose(view.out);
	return rc;
}

static void expect_text(const char *format, const char *expected)
{
	struct seep_err err = { 0 };

	assert_int_equal(export(format, &err), 0);
	assert_string_equal(written, expected);
}

static void expect_part(const char *format, const char *part)
{
	struct seep_err err = { 0 };

	assert_int_equal(export(format, &err), 0);
	if (!strstr(written, part))
		fail_msg("no '%s' in:\n%s", part, written);
}

static void refuse(const char *format, const char *word)
{
	struct seep_err err = { 0 };

	assert_int_equal(export(format, &err), -ENODATA);
	assert_string_equal(written, "");
	assert_non_null(strstr(err.text, "here/it.seep"));
	assert_non_null(strstr(err.text, word));
}

/* VM is not what fake_run.h knows of. */
static void set_vm(void)
{
	for (size_t i = 0; i < fake.run.n_stamps; i++)
		fake.run.stamps[i].vm_bytes = 10 * MIB + 1023;
}

static struct seep_counter *add_counter(const char *name, bool gauge)
{
	struct seep_run *run = &fake.run;
	struct seep_counter *counter;

	if (!run->counters)
		run->counters = seep_arena_array(&fake.arena, 8, sizeof(*run->counters));
	counter = &run->counters[run->n_counters++];
	counter->name = name;
	counter->gauge = gauge;
	counter->values = seep_arena_array(&fake.arena, run->n_events, sizeof(double));
	return counter;
}

/* Two events with a stamp each, and one before them. */
static void make_two_events(const char *name)
{
	uint32_t id = fake_name(&fake, name);

	fake_stamp(&fake, id, 0, 0, MIB);
	for (int i = 0; i < 2; i++) {
		fake_begin(&fake, 0, MIB + i * 4096);
		fake_stamp(&fake, id, 0, 0, 2 * MIB);
		fake_end(&fake, 0, i ? 0 : MIB);
	}
	set_vm();
}

static void test_sprof_lines(void **state)
{
	(void)state;
	make_two_events("a:b #c\n\x1b\xc3\xbc=,");
	fake.run.events[0].index = 7;
	fake.run.events[1].index = 1000;
	add_counter("n hits,#", false)->values[1] = 148793197;
	add_counter("held", true)->values[1] = 5;
	add_counter("x=y", false)->values[0] = 0.1;
	expect_text("sprof",
		    "a_b _c____=,:1700000000501000,10240,1024\n"
		    "A007_SEvt__setIndex:1700000000502000,10240,1024\n"
		    "A007_a_b _c____=,:1700000000503000,10240,2048\n"
		    "A007_SEvt__endIndex:1700000000504000,10240,1024 # n_hits__=0,x_y=0.1\n"
		    "A1000_SEvt__setIndex:1700000000505000,10240,1028\n"
		    "A1000_a_b _c____=,:1700000000506000,10240,2048 # n_hits__=148793197,x_y=0\n");
}

/* Numbers of requests need not rise; then two events could not be told apart. */
static void test_sprof_indices_that_do_not_rise(void **state)
{
	(void)state;
	make_two_events("s");
	fake.run.events[0].index = 5;
	fake.run.events[1].index = 5;
	expect_part("sprof", "\nA000_SEvt__endIndex:");
	expect_part("sprof", "\nA001_SEvt__setIndex:");
	fake.run.events[0].index = -3;
	expect_part("sprof", "\nA001_SEvt__setIndex:");
}

static void test_slices_before_the_first_event_have_a_name(void **state)
{
	(void)state;
	fake_stamp(&fake, 0, SEEP_STAMP_TICK, 0, MIB);
	set_vm();
	expect_text("sprof", "slice:1700000000501000,10240,1024\n");
	expect_part("csv", "0.001000000,,,\"slice\",10486783,1048576,,,\r\n");
}

static void test_no_clock(void **state)
{
	static const char *const formats[] = { "sprof", "opticks-profile", "prmon", "openmetrics" };

	(void)state;
	make_two_events("s");
	fake.run.started_real_ns = 0;
	for (size_t i = 0; i < 4; i++)
		refuse(formats[i], "when it was recorded");
	expect_part("csv", "\"begin\"");
	expect_part("chrome", "\"event 1\"");
	fake.run.started_real_ns = INT64_MAX - 10;
	for (size_t i = 0; i < 4; i++)
		refuse(formats[i], "when it was recorded");
}

static void test_nothing_measured(void **state)
{
	static const char *const formats[] = { "sprof", "opticks-profile", "prmon", "openmetrics" };

	(void)state;
	fake_begin(&fake, 0, 0);
	fake_begin(&fake, 0, 0);
	for (size_t i = 0; i < 4; i++)
		refuse(formats[i], "no stamp");
	fake.run.stamps[0].flags |= SEEP_STAMP_RSS;
	fake.run.stamps[0].rss_bytes = -5;
	for (size_t i = 0; i < 4; i++)
		refuse(formats[i], "no stamp");
}

/* Whole seconds of the clock, of which each has one row: 0.5 + 0.4 s is still the first. */
static void test_prmon_rows(void **state)
{
	static const int64_t tenths[] = { 0, 4, 5, 15, 16, 44 };

	(void)state;
	for (size_t i = 0; i < sizeof(tenths) / sizeof(tenths[0]); i++) {
		fake.now_ns = tenths[i] * SECOND / 10 - SECOND / 1000;
		fake_begin(&fake, 0, i == 3 ? 0 : (int64_t)(i + 1) * MIB);
	}
	set_vm();
	expect_text("prmon", "Time\twtime\tvmem\trss\n"
			     "1700000000\t0\t10240\t1024\n"
			     "1700000001\t1\t10240\t3072\n"
			     "1700000002\t2\t10240\t5120\n"
			     "1700000004\t4\t10240\t6144\n");
}

/* Where no begin was measured, any stamp is better than nothing. */
static void test_prmon_without_begins(void **state)
{
	(void)state;
	fake_begin(&fake, 0, 0);
	fake_stamp(&fake, fake_name(&fake, "s"), 0, 0, MIB);
	set_vm();
	expect_text("prmon", "Time\twtime\tvmem\trss\n1700000000\t0\t10240\t1024\n");
}

static void test_openmetrics(void **state)
{
	(void)state;
	fake_begin(&fake, 0, MIB);
	fake.now_ns -= 500000;
	fake_begin(&fake, 0, 2 * MIB);
	fake_begin(&fake, 0, 3 * MIB);
	set_vm();
	add_counter("a\"\\\n\xff", false)->values[0] = 0.5;
	fake.run.pid = 12;
	expect_text("openmetrics",
		    "# TYPE seep_rss_bytes gauge\n"
		    "# UNIT seep_rss_bytes bytes\n"
		    "# HELP seep_rss_bytes Resident memory.\n"
		    "seep_rss_bytes{program=\"it\",pid=\"12\"} 1048576 1700000000.501\n"
		    "seep_rss_bytes{program=\"it\",pid=\"12\"} 3145728 1700000000.502\n"
		    "# TYPE seep_vm_bytes gauge\n"
		    "# UNIT seep_vm_bytes bytes\n"
		    "# HELP seep_vm_bytes Address space.\n"
		    "seep_vm_bytes{program=\"it\",pid=\"12\"} 10486783 1700000000.501\n"
		    "seep_vm_bytes{program=\"it\",pid=\"12\"} 10486783 1700000000.502\n"
		    "# TYPE seep_event gauge\n"
		    "# HELP seep_event Number of events that started before this one.\n"
		    "seep_event{program=\"it\",pid=\"12\"} 0 1700000000.501\n"
		    "seep_event{program=\"it\",pid=\"12\"} 2 1700000000.502\n"
		    "# TYPE seep_counter gauge\n"
		    "# HELP seep_counter What the program counted in the event.\n"
		    "seep_counter{program=\"it\",pid=\"12\",counter=\"1\","
		    "name=\"a\\\"\\\\\\\\x0a\\\\xff\"} 0.5 1700000000.501\n"
		    "seep_counter{program=\"it\",pid=\"12\",counter=\"1\","
		    "name=\"a\\\"\\\\\\\\x0a\\\\xff\"} 0 1700000000.502\n"
		    "# EOF\n");
}

static void test_prom_is_bounded(void **state)
{
	size_t lines = 0;

	(void)state;
	verdict.kind = SEEP_KIND_GROWTH;
	verdict.bytes_per_event = (struct seep_estimate){ true, 10, -1, INFINITY };
	verdict.oom = (struct seep_oom){ .known = true, .seconds = 5, .low = 1, .high = INFINITY };
	verdict.n_phases = 3000;
	verdict.phases = seep_arena_array(&fake.arena, 3000, sizeof(*verdict.phases));
	for (size_t i = 0; i < 3000; i++)
		verdict.phases[i].bytes_per_event = (struct seep_estimate){ true,
			i == 2500 ? -9 : (double)(i % 7) / 7, 0, 0 };
	expect_part("prom", "seep_verdict{program=\"it\",verdict=\"growth\"} 1\n");
	expect_part("prom", "seep_verdict{program=\"it\",verdict=\"flat\"} 0\n");
	expect_part("prom", "seep_growth_high_bytes_per_event{program=\"it\"} +Inf\n");
	expect_part("prom", "seep_oom_high_seconds{program=\"it\"} +Inf\n");
	expect_part("prom", "{program=\"it\",phase=\"2501\",from=\"event begin\","
			    "to=\"event end\"} -9\n");
	for (const char *c = written; (c = strstr(c, "\nseep_phase_")); c++)
		lines++;
	assert_int_equal(lines, 20);
	assert_null(strstr(written, "seep_rss_bytes"));
	assert_null(strstr(written, "nan"));
}

/* Of a long run most events are not in the trace: the next begin is not the end of this one. */
static void test_chrome_gaps(void **state)
{
	(void)state;
	fake_begin(&fake, 0, MIB);
	fake_begin(&fake, 0, MIB);
	fake.now_ns += 100 * SECOND;
	fake_begin(&fake, 0, MIB);
	fake.run.events[2].number = 64;
	fake.run.events[2].index = 640;
	expect_part("chrome", "\"name\": \"event 0\", \"pid\": 0, \"tid\": 1, \"cat\": \"event\", "
			      "\"ts\": 1000, \"dur\": 1000,");
	expect_part("chrome", "\"name\": \"event 1\", \"pid\": 0, \"tid\": 1, \"cat\": \"event\", "
			      "\"ts\": 2000, \"dur\": 0,");
	expect_part("chrome", "\"name\": \"event 640\"");
	assert_null(strstr(written, "\"phase\""));
}

static void test_chrome_stamps_after_the_end(void **state)
{
	uint32_t name = fake_name(&fake, "</script>\n\"");

	(void)state;
	fake_begin(&fake, 0, MIB);
	fake_end(&fake, 0, MIB);
	fake_stamp(&fake, name, 0, 0, MIB);
	fake_begin(&fake, 0, MIB);
	expect_part("chrome", "\"name\": \"event 0\", \"pid\": 0, \"tid\": 1, \"cat\": \"event\", "
			      "\"ts\": 1000, \"dur\": 1000,");
	expect_part("chrome", "\"name\": \"</script>\\n\\\"\", \"pid\": 0, \"tid\": 1, "
			      "\"cat\": \"phase\", \"ts\": 3000, \"dur\": 1000}");
	assert_null(strstr(written, "\"name\": \"end\""));
}

/* Slices of one thread must nest: an event that overlaps another one has a thread of its own. */
static void test_chrome_overlap(void **state)
{
	(void)state;
	fake.run.overlapping = true;
	fake_begin(&fake, 0, MIB);
	fake.now_ns += 10000000;
	fake_end(&fake, 0, MIB);
	fake.now_ns -= 8000000;
	fake_begin(&fake, 0, MIB);
	fake_end(&fake, 0, MIB);
	fake.now_ns += 10000000;
	fake_begin(&fake, 0, MIB);
	fake_end(&fake, 0, MIB);
	expect_part("chrome", "\"name\": \"event 0\", \"pid\": 0, \"tid\": 1, \"cat\": \"event\", "
			      "\"ts\": 1000, \"dur\": 11000,");
	expect_part("chrome", "\"name\": \"event 1\", \"pid\": 0, \"tid\": 2, \"cat\": \"event\", "
			      "\"ts\": 5000, \"dur\": 1000,");
	expect_part("chrome", "\"name\": \"event 2\", \"pid\": 0, \"tid\": 1,");
}

/* Numbers as a damaged trace may have them: anything but a crash, and JSON all the same. */
static void test_absurd_numbers(void **state)
{
	(void)state;
	make_two_events("");
	fake.run.stamps[0].t_ns = INT64_MIN;
	fake.run.stamps[1].t_ns = INT64_MIN;
	fake.run.stamps[5].t_ns = INT64_MAX;
	fake.run.events[0].index = INT64_MIN;
	fake.run.events[1].index = INT64_MAX;
	add_counter("", false)->values[1] = INFINITY;
	expect_part("chrome", "\"event 9223372036854775807\"");
	expect_part("chrome", "\"args\": {\"count\": null}");
	expect_part("csv", "-9223372036854775808,\"begin\"");
	expect_part("sprof", "A000__:1700000000503000,10240,2048");
	expect_part("openmetrics", ",counter=\"1\",name=\"\"} +Inf ");
	fake.run.events[0].index = 0;
	expect_part("sprof", "\nA9223372036854775807_SEvt__setIndex:");
}

static void test_csv_names_and_counters(void **state)
{
	(void)state;
	make_two_events("a\"b\n\xff,");
	fake.run.events[1].index = -4;
	add_counter("hits\"", false)->values[1] = 12.5;
	expect_part("csv", "tracker_bytes,\"hits\"\"\"\r\n"
			   "0.001000000,,,\"a\"\"b\\x0a\\xff,\",10486783,1048576,,,,\r\n"
			   "0.002000000,0,0,\"begin\",10486783,1048576,,,,0\r\n");
	expect_part("csv", "0.005000000,1,-4,\"begin\",10486783,1052672,,,,12.5\r\n");
	expect_part("csv", "0.007000000,1,-4,\"end\",,,,,,\r\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sprof_lines),
		TEST(test_sprof_indices_that_do_not_rise),
		TEST(test_slices_before_the_first_event_have_a_name),
		TEST(test_no_clock),
		TEST(test_nothing_measured),
		TEST(test_prmon_rows),
		TEST(test_prmon_without_begins),
		TEST(test_openmetrics),
		TEST(test_prom_is_bounded),
		TEST(test_chrome_gaps),
		TEST(test_chrome_stamps_after_the_end),
		TEST(test_chrome_overlap),
		TEST(test_absurd_numbers),
		TEST(test_csv_names_and_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
