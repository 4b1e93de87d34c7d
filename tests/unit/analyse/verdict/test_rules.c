/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules of the verdict: their ids are different, the last one always holds, and
 * docs/method.md has the same table.  `test_rules --write FILE` puts it there.
 */
#include "analyse/verdict/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN "<!-- rules: begin (made by `make rules-table`) -->\n"
#define END "<!-- rules: end -->\n"

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t bytes = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &bytes, 0, file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

static char *make_table(void)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		abort();
	fputs("| rule | question | answer |\n|---|---|---|\n", out);
	for (size_t i = 0; i < seep_rules_n; i++)
		fprintf(out, "| `%s` | %s | %s |\n", seep_rules[i].id, seep_rules[i].question,
			seep_rules[i].answer);
	fclose(out);
	return text;
}

/* What is between the marks, which are both there. */
static bool find_table(const char *text, const char **begin, const char **end)
{
	*begin = text ? strstr(text, BEGIN) : NULL;
	if (!*begin)
		return false;
	*begin += strlen(BEGIN);
	*end = strstr(*begin, END);
	return *end;
}

static int write_table(const char *path)
{
	char *text = read_all(path), *table = make_table();
	const char *begin, *end;
	FILE *out;

	if (!find_table(text, &begin, &end)) {
		fprintf(stderr, "%s: there are no marks for the table of rules\n", path);
		return 1;
	}
	out = fopen(path, "w");
	if (!out) {
		perror(path);
		return 1;
	}
	fprintf(out, "%.*s%s%s", (int)(begin - text), text, table, end);
	free(text);
	free(table);
	return fclose(out) ? 1 : 0;
}

static void the_docs_have_the_same_table(void **state)
{
	const char *source = getenv("SEEP_SOURCE"), *begin = NULL, *end = NULL;
	char path[4096], *text, *table = make_table();

	(void)state;
	if (!source)
		skip();
	snprintf(path, sizeof(path), "%s/docs/method.md", source);
	text = read_all(path);
	assert_true(find_table(text, &begin, &end));
	if ((size_t)(end - begin) != strlen(table) || memcmp(begin, table, strlen(table)))
		fail_msg("docs/method.md is not up to date: run make rules-table\n%s", table);
	free(text);
	free(table);
}

static void the_table_can_be_asked(void **state)
{
	static const struct seep_evidence nothing;

	(void)state;
	assert_true(seep_rules[seep_rules_n - 1].holds(&nothing));
	for (size_t i = 0; i < seep_rules_n; i++) {
		const struct seep_rule *rule = &seep_rules[i];

		assert_int_equal(rule->question[strlen(rule->question) - 1], '?');
		assert_non_null(rule->holds);
		assert_non_null(rule->conclude);
		assert_null(strpbrk(rule->question, "|\n"));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(rule->id, seep_rules[k].id);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_docs_have_the_same_table),
		cmocka_unit_test(the_table_can_be_asked),
	};

	if (argc == 3 && !strcmp(argv[1], "--write"))
		return write_table(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
