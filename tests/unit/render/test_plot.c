/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pictures of a run are made of, and that they are drawn whatever the run holds. */
#include "analyse/judge.h"
#include "render/plot/plot.h"

#include "fake_run.h"
#include "render/plot/dots.h"
#include "render/plot/plot_panel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fake_test.h"

static struct seep_verdict verdict;
static struct seep_view view;
static struct seep_plot plot;
static char *text;
static size_t n_text;

static void open_view(void)
{
	fake.run.event_source = fake.run.event_source ? fake.run.event_source : SEEP_EVENTS_API;
	fake.run.path = "run.seep";
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	view = (struct seep_view){ .run = &fake.run, .verdict = &verdict, .arena = &fake.arena,
				   .style = { .width = 80 }, .self = "seep" };
}

static void build_as_judged(void)
{
	struct seep_err err = { 0 };

	assert_int_equal(seep_plot_build(&plot, &view, SEEP_PLOT_PANELS, &err), 0);
}

static void build(void)
{
	open_view();
	build_as_judged();
}

/* The file, or the letters; freed by the next call and at the end. */
static const char *draw(int kind)
{
	struct seep_err err = { 0 };

	free(text);
	text = NULL;
	view.out = open_memstream(&text, &n_text);
	if (kind < 0)
		seep_plot_print(&plot);
	else
		assert_int_equal(seep_plot_picture(&plot, (enum seep_canvas_kind)kind, 0, 0, &err),
				 0);
	fclose(view.out);
	return text;
}

static int clean_up(void **state)
{
	free(text);
	text = NULL;
	return tear_down(state);
}

/* Events with two stamps; the second phase keeps 1000 B, the first event of all 50000. */
static void leak(size_t n)
{
	uint32_t head = fake_name(&fake, "head"), tail = fake_name(&fake, "<&\"tail'>");
	double blocks[64];
	int64_t live = 100000;

	for (size_t e = 0; e < n; e++) {
		int64_t rss = 5000000 + live;

		fake_begin(&fake, live, rss);
		fake_stamp(&fake, head, 0, live, rss);
		live += 300;
		fake_stamp(&fake, tail, 0, live, rss);
		live += e ? 700 : 49700;
		fake_end(&fake, live, rss);
		blocks[e % 64] = 1;
	}
	fake_snapshot(&fake);
	fake_site(&fake, n < 64 ? n : 64, blocks, 1000);
}

static void test_line(void **state)
{
	const struct seep_line *line = &plot.curves[1].line;

	(void)state;
	leak(40);
	build();
	assert_int_equal(plot.n_curves, 2);
	assert_false(plot.curves[0].line.known);
	assert_true(line->known);
	near(line->rate, 1000, 1e-6);
	near(line->first, (double)verdict.warmup_events, 0);
	near(line->last, 39, 0);
	/* through the values themselves, which are on it */
	near(seep_line_at(line, line->rate, 20), 100000 + 50000 + 19 * 1000, 1e-3);
	assert_true(line->low <= line->rate && line->rate <= line->high);
}

static void test_line_behind_a_step(void **state)
{
	(void)state;
	for (int e = 0; e < 100; e++)
		fake_begin(&fake, (e < 60 ? 1000000 : 9000000) + e * 7919 % 1000, 0);
	open_view();
	assert_int_equal(seep_plot_build(&plot, &view, SEEP_PLOT_PANELS, NULL), 0);
	assert_true(plot.curves[0].line.known);
	assert_true(plot.curves[0].line.first >= 58 && plot.curves[0].line.first < 98);
	assert_true(plot.curves[0].line.level > 8.9e6);
}

static void test_deltas(void **state)
{
	struct seep_range range;
	struct seep_plot_clipped above;

	(void)state;
	leak(40);
	build();
	near(plot.curves[1].deltas[0], 50000, 0);
	near(plot.curves[1].deltas[1], 1000, 0);
	near(plot.curves[1].deltas[38], 1000, 0);
	range = seep_plot_delta_range(&plot, 1);
	assert_true(range.low <= 0 && range.high >= 1000 && range.high < 2000);
	above = seep_plot_clipped(&plot.curves[1], range, true);
	assert_int_equal(above.n, 1);
	near(above.most, 50000, 0);
	near(above.event, 0, 0);
	assert_int_equal(seep_plot_clipped(&plot.curves[1], range, false).n, 0);
}

/* Every cell known but that of the last event; together they are what the event added. */
static void test_matrix(void **state)
{
	const struct seep_phase_matrix *matrix = &plot.matrix;

	(void)state;
	leak(40);
	build();
	assert_int_equal(matrix->n_phases, 2);
	assert_int_equal(matrix->n_bins, 40);
	near(matrix->means[0], 300, 1e-9);
	near(matrix->means[1], 700, 1e-9);
	for (size_t e = 0; e < 39; e++)
		near(matrix->bytes[e] + matrix->bytes[40 + e], plot.curves[1].deltas[e], 1e-9);
	assert_true(isnan(matrix->bytes[39]));
	assert_string_equal(seep_plot_phase_name(&plot, 0), "head -> <&\"tail'>");
}

static void test_matrix_in_bins(void **state)
{
	struct seep_phase_matrix matrix;
	struct seep_series series;

	(void)state;
	leak(40);
	open_view();
	seep_series_build(&series, &fake.run, SEEP_SERIES_HEAP, &fake.arena);
	seep_phase_tabulate(&matrix, &fake.run, &series, 1, 7, &fake.arena);
	assert_int_equal(matrix.n_bins, 7);
	near(matrix.events_per_bin, 6, 0);
	near(matrix.bytes[0], 300, 1e-9);
	near(matrix.bytes[7], (49700 + 5 * 700) / 6., 1e-9);
	near(matrix.bytes[8], 700, 1e-9);
	near(matrix.means[1], 700, 1e-9);
	seep_phase_tabulate(&matrix, &fake.run, &series, 1000, 7, &fake.arena);
	near(matrix.means[0], 300, 1e-9); /* all was warm-up: then it is what there is */
	seep_phase_tabulate(&matrix, &fake.run, &series, 1, 0, &fake.arena);
	assert_int_equal(matrix.n_phases, 0);
}

static void test_survivors(void **state)
{
	struct seep_plot_bin bin;

	(void)state;
	leak(40);
	fake.run.sites[0].cohorts.events_per_bin = 3;
	fake.run.sites[0].cohorts.n_bins = 14;
	build();
	assert_int_equal(plot.n_sites, 1);
	bin = seep_plot_survivors_bin(&plot, 0, 1);
	near(bin.from, 3, 0);
	near(bin.to, 6, 0);
	near(bin.bytes, 1000 / 3., 1e-9);
	bin = seep_plot_survivors_bin(&plot, 0, 13); /* 39 alone: the run has 40 events */
	near(bin.to, 40, 0);
	near(bin.bytes, 1000, 1e-9);
}

static void test_phases_pick(void **state)
{
	double means[5] = { 5, -90, NAN, 40, 0 }, bytes[5] = { 0, 0, 0, 0, 0 };
	size_t picked[5];

	(void)state;
	plot = (struct seep_plot){ .arena = &fake.arena, .matrix = { .n_phases = 5, .n_bins = 1,
								     .bytes = bytes,
								     .means = means } };
	assert_int_equal(seep_plot_phases_pick(&plot, 2, picked), 2);
	assert_true(picked[0] == 1 && picked[1] == 3);
	assert_int_equal(seep_plot_phases_pick(&plot, 9, picked), 5);
}

static void test_nothing_to_plot(void **state)
{
	struct seep_err err = { 0 };

	(void)state;
	fake_begin(&fake, 1000, 0);
	open_view();
	assert_int_equal(seep_plot_build(&plot, &view, SEEP_PLOT_PANELS, &err), -ENODATA);
	assert_non_null(strstr(err.text, "run.seep"));
	fake_begin(&fake, 1000, 0);
	open_view();
	assert_int_equal(seep_plot_build(&plot, &view, SEEP_PLOT_CURVE, NULL), 0);
	assert_int_equal(seep_plot_build(&plot, &view, SEEP_PLOT_SURVIVORS, NULL), -ENODATA);
	assert_int_equal(seep_plot_build(&plot, &view, SEEP_PLOT_PHASES, NULL), -ENODATA);
}

static void test_too_small(void **state)
{
	struct seep_err err = { 0 };

	(void)state;
	leak(40);
	build();
	assert_int_equal(seep_plot_picture(&plot, SEEP_CANVAS_SVG, 400, 300, &err), -EINVAL);
	assert_non_null(strstr(err.text, "too small"));
}

/* Names are text, with nothing in them that would end it. */
static void test_svg(void **state)
{
	const char *svg;

	(void)state;
	leak(40);
	build();
	svg = draw(SEEP_CANVAS_SVG);
	assert_non_null(strstr(svg, "head -&#62; &#60;&#38;&#34;tail&#39;&#62;</text>"));
	assert_null(strstr(svg, "<&"));
	assert_null(strstr(svg, "nan"));
	assert_null(strstr(svg, "inf\""));
	assert_non_null(strstr(svg, "</svg>"));
}

/* The same run makes the same files. */
static void test_same_again(void **state)
{
	(void)state;
	leak(40);
	build();
	for (int kind = SEEP_CANVAS_PNG; kind <= SEEP_CANVAS_PDF; kind++) {
		size_t n;
		char *first;

		draw(kind);
		n = n_text;
		first = seep_arena_copy(&fake.arena, text, n);
		draw(kind);
		assert_int_equal(n_text, n);
		assert_memory_equal(first, text, n);
	}
}

static void expect_drawn(void)
{
	for (int kind = -1; kind <= SEEP_CANVAS_PDF; kind++)
		for (int utf8 = 0; utf8 < 2; utf8++) {
			view.style.utf8 = utf8;
			draw(kind);
			assert_true(n_text > 100);
		}
}

/* What the loader lets pass in stamps, and more than it lets pass in sites. */
static void test_hostile_numbers(void **state)
{
	static const int64_t bad[] = { INT64_MAX, INT64_MIN, 0, -1, 1, INT64_MAX / 2 };
	uint32_t name = fake_name(&fake, "\xff\x1b[31m\xef\xbf\xbf");
	double blocks[3] = { 1, 2, 3 };

	(void)state;
	for (size_t e = 0; e < 40; e++) {
		fake_begin(&fake, bad[e % 6], bad[(e + 1) % 6]);
		fake.run.stamps[fake.run.n_stamps - 1].t_ns = bad[(e + 2) % 6];
		fake_stamp(&fake, name, 0, bad[(e + 3) % 6], bad[(e + 4) % 6]);
	}
	fake_snapshot(&fake);
	for (size_t i = 0; i < 3; i++)
		fake_site(&fake, 3, blocks, 1);
	open_view();
	fake.run.sites[0].cohorts.first_event = INT64_MAX - 1;
	fake.run.sites[1].cohorts.events_per_bin = INT64_MAX;
	fake.run.sites[2].cohorts.first_event = -5;
	fake.run.sites[2].cohorts.live_bytes[1] = UINT64_MAX;
	build_as_judged();
	expect_drawn();
	assert_null(strchr(draw(SEEP_CANVAS_SVG), '\x1b'));
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "\xef\xbf\xbf"));
	fake.run.event_source = SEEP_EVENTS_TIME;
	build_as_judged();
	expect_drawn();
	fake.run.events_after = INT64_MAX - 100;
	build_as_judged();
	expect_drawn();
}

static void expect_lines(const char *lines, size_t width)
{
	size_t columns = 0;

	for (; *lines; lines++) {
		columns = *lines == '\n' ? 0 : columns + (((unsigned char)*lines & 0xc0) != 0x80);
		assert_true(columns <= width);
	}
}

static void test_letters(void **state)
{
	(void)state;
	leak(40);
	build();
	for (size_t width = 60; width <= 200; width += 35) {
		view.style.width = width;
		for (int utf8 = 0; utf8 < 2; utf8++) {
			view.style.utf8 = utf8;
			expect_lines(draw(-1), width);
			assert_non_null(strstr(text, "1000 B/event"));
			assert_non_null(strstr(text,
					       "1 above, the farthest is 50.0 kB in event 0"));
			assert_true(!!strstr(text, "\u2514") == utf8);
		}
	}
}

static void test_dots(void **state)
{
	struct seep_dots dots;

	(void)state;
	seep_dots_init(&dots, 3, 1, true, &fake.arena);
	seep_dots_set(&dots, 0, 0);
	seep_dots_set(&dots, 3, 3);
	assert_string_equal(seep_dots_row(&dots, 0), "\u2840\u2808");
	seep_dots_init(&dots, 3, 2, false, &fake.arena);
	seep_dots_line(&dots, 0, 0, 2, 0);
	seep_dots_set(&dots, 1, 1);
	seep_dots_guide_line(&dots, 0, 3, 2, 3);
	assert_string_equal(seep_dots_row(&dots, 0), "---");
	assert_string_equal(seep_dots_row(&dots, 1), ".:.");
	seep_dots_set(&dots, NAN, 0);
	seep_dots_set(&dots, -1, 1e300);
	seep_dots_line(&dots, -1e300, NAN, INFINITY, 1);
	assert_int_equal(strlen(seep_dots_row(&dots, 1)), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_line, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_line_behind_a_step, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_deltas, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_matrix, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_matrix_in_bins, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_survivors, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_phases_pick, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_nothing_to_plot, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_too_small, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_svg, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_same_again, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_hostile_numbers, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_letters, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_dots, set_up, clean_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
