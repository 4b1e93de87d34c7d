/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names from a traced program do nothing to a terminal, a shell or a column. */
#include "render/safe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct seep_arena arena;

static int make(void **state)
{
	(void)state;
	seep_arena_init(&arena);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	seep_arena_release(&arena);
	return 0;
}

static void expect(const char *text, const char *safe)
{
	assert_string_equal(seep_safe_text(&arena, text), safe);
}

static void what_moves_or_reorders_is_written_in_digits(void **state)
{
	(void)state;
	expect("a\303\244\342\202\254\360\237\230\200", "a\303\244\342\202\254\360\237\230\200");
	expect("\033[2J\r\n\177", "\\x1b[2J\\x0d\\x0a\\x7f");
	expect("\302\205", "\\xc2\\x85");             /* U+0085: next line */
	expect("\302\237\302\240", "\\xc2\\x9f\302\240"); /* U+009F, U+00A0 */
	expect("\342\200\213", "\\xe2\\x80\\x8b");    /* U+200B */
	expect("\342\200\217", "\\xe2\\x80\\x8f");    /* U+200F */
	expect("\342\200\220", "\342\200\220");       /* U+2010: a hyphen */
	expect("\342\200\250", "\\xe2\\x80\\xa8");    /* U+2028 */
	expect("\342\200\256", "\\xe2\\x80\\xae");    /* U+202E: from right to left */
	expect("\342\200\257", "\342\200\257");       /* U+202F */
	expect("\342\201\251", "\\xe2\\x81\\xa9");    /* U+2069 */
	expect("\357\273\277", "\\xef\\xbb\\xbf");    /* U+FEFF */
}

static void what_is_no_utf8_is_written_in_digits(void **state)
{
	(void)state;
	expect("\200", "\\x80");
	expect("\300\257", "\\xc0\\xaf");             /* two bytes for a slash */
	expect("\340\200\257", "\\xe0\\x80\\xaf");    /* three */
	expect("\355\240\200", "\\xed\\xa0\\x80");    /* U+D800: half a character */
	expect("\355\277\277", "\\xed\\xbf\\xbf");    /* U+DFFF */
	expect("\355\237\277", "\355\237\277");       /* U+D7FF */
	expect("\356\200\200", "\356\200\200");       /* U+E000 */
	expect("\364\220\200\200", "\\xf4\\x90\\x80\\x80"); /* beyond U+10FFFF */
	expect("\342\202", "\\xe2\\x82");             /* cut */
	expect("\342\202x", "\\xe2\\x82x");
}

static void long_texts_lose_their_middle(void **state)
{
	(void)state;
	assert_int_equal(seep_safe_width("a\303\244\342\202\254"), 3);
	assert_string_equal(seep_safe_shorten(&arena, "0123456789", 10), "0123456789");
	assert_string_equal(seep_safe_shorten(&arena, "0123456789a", 10), "012...789a");
	assert_string_equal(seep_safe_shorten(&arena, "0123456789a", 2), "01...89a");
	assert_string_equal(seep_safe_shorten(&arena, "\303\244\303\2442345678\303\244\303\244", 9),
			    "\303\244\303\2442...8\303\244\303\244");
}

static void words_for_a_shell_are_quoted(void **state)
{
	(void)state;
	assert_string_equal(seep_safe_shell(&arena, "a/b-1.c"), "a/b-1.c");
	assert_string_equal(seep_safe_shell(&arena, ""), "''");
	assert_string_equal(seep_safe_shell(&arena, "a b"), "'a b'");
	assert_string_equal(seep_safe_shell(&arena, "it's"), "'it'\\''s'");
	assert_string_equal(seep_safe_shell(&arena, "$(x)"), "'$(x)'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_moves_or_reorders_is_written_in_digits),
		cmocka_unit_test(what_is_no_utf8_is_written_in_digits),
		cmocka_unit_test(long_texts_lose_their_middle),
		cmocka_unit_test(words_for_a_shell_are_quoted),
	};

	return cmocka_run_group_tests(tests, make, drop);
}
