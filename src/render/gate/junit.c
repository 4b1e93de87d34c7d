/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/gate/junit.h"
#include "render/place.h"
#include "render/safe.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

void seep_junit_escape(FILE *out, const char *text, struct seep_arena *arena)
{
	const char *safe = seep_safe_text(arena, text);
	size_t n = strlen(safe);

	for (size_t at = 0, length; at < n; at += length) {
		uint32_t code = 0;

		length = seep_safe_decode((const unsigned char *)safe + at, n - at, &code);
		if (code == '&')
			fputs("&amp;", out);
		else if (code == '<')
			fputs("&lt;", out);
		else if (code == '>')
			fputs("&gt;", out);
		else if (code == '"')
			fputs("&quot;", out);
		else if (code == 0xfffe || code == 0xffff) /* not allowed in XML */
			fprintf(out, "\\u%04" PRIx32, code);
		else
			fwrite(safe + at, 1, length, out);
	}
}

static void write_attribute(FILE *out, const struct seep_check *check, const char *name,
			    const char *value)
{
	fprintf(out, " %s=\"", name);
	seep_junit_escape(out, value, check->view->arena);
	fputc('"', out);
}

struct counts {
	size_t tests, failures, skipped;
};

static struct counts count_cases(const struct seep_check *check)
{
	enum seep_budget_outcome outcome = seep_check_outcome(check);
	struct counts counts = { .tests = 1 };

	counts.failures = outcome == SEEP_BUDGET_OVER;
	counts.skipped = outcome == SEEP_BUDGET_OPEN;
	for (size_t i = 0; i < check->n_findings; i++) {
		const struct seep_finding *finding = &check->findings[i];

		counts.tests++;
		counts.failures += finding->accused;
		counts.skipped += finding->suppressed ||
				  check->answer.outcome == SEEP_BUDGET_OPEN;
	}
	counts.tests += check->n_suspects;
	counts.skipped += check->n_suspects;
	return counts;
}

static void write_counts(FILE *out, const struct seep_check *check)
{
	struct counts counts = count_cases(check);

	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"%.3f\"",
		counts.tests, counts.failures, (double)check->view->run->wall_ns / 1e9);
}

static void write_started(FILE *out, const struct seep_run *run)
{
	time_t seconds = (time_t)(run->started_real_ns / 1000000000);
	struct tm utc;
	char text[64];

	if (run->started_real_ns > 0 && gmtime_r(&seconds, &utc) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc))
		fprintf(out, " timestamp=\"%s\"", text);
}

static void open_case(FILE *out, const struct seep_check *check, const char *name)
{
	fputs("    <testcase", out);
	write_attribute(out, check, "classname",
			seep_arena_printf(check->view->arena, "seep.%s",
					  seep_check_program(check)));
	write_attribute(out, check, "name", name);
}

/* An element with the message both as attribute and as text, because some readers show only one. */
static void write_result(FILE *out, const struct seep_check *check, const char *element,
			 const char *type, const char *message)
{
	fprintf(out, "      <%s", element);
	write_attribute(out, check, "message", message);
	if (type)
		write_attribute(out, check, "type", type);
	fputc('>', out);
	seep_junit_escape(out, message, check->view->arena);
	fprintf(out, "</%s>\n", element);
}

/* This element has no attributes in any of the schemas. */
static void write_output(FILE *out, const struct seep_check *check, const char *text)
{
	fputs("      <system-out>", out);
	seep_junit_escape(out, text, check->view->arena);
	fputs("</system-out>\n", out);
}

static void write_total(FILE *out, const struct seep_check *check)
{
	enum seep_budget_outcome outcome = seep_check_outcome(check);
	const char *why = seep_check_why(check);

	open_case(out, check, "memory growth");
	fprintf(out, " time=\"%.3f\">\n", (double)check->view->run->wall_ns / 1e9);
	if (outcome == SEEP_BUDGET_OVER)
		write_result(out, check, "failure", "over-budget", why);
	else if (outcome == SEEP_BUDGET_OPEN)
		write_result(out, check, "skipped", NULL, why);
	else
		write_output(out, check, why);
	fputs("    </testcase>\n", out);
}

/* The place is part of the text, because strict readers refuse attributes for it. */
static const char *tell_site(const struct seep_check *check, const struct seep_finding *finding)
{
	struct seep_arena *arena = check->view->arena;
	const struct seep_stack *stack = &finding->result->site->stack;
	const struct seep_frame *frame = seep_place_frame(arena, stack, check->root);
	const char *message = seep_check_message(check, finding);

	if (!frame)
		return message;
	return seep_arena_printf(arena, "%s:%d: %s", seep_place_path(arena, frame, check->root),
				 frame->line, message);
}

static void write_site(FILE *out, const struct seep_check *check,
		       const struct seep_finding *finding)
{
	struct seep_arena *arena = check->view->arena;
	const char *message = tell_site(check, finding);

	open_case(out, check, seep_arena_printf(arena, "%s [%s]",
						seep_check_function(check, finding),
						finding->fingerprint.text));
	fputs(" time=\"0\">\n", out);
	if (finding->accused)
		write_result(out, check, "failure", "growing-site", message);
	else if (finding->suppressed)
		write_result(out, check, "skipped", NULL,
			     seep_arena_printf(arena, "suppressed%s%s; %s",
					       finding->reason ? ": " : "",
					       finding->reason ? finding->reason : "", message));
	else if (finding->suspect || check->answer.outcome == SEEP_BUDGET_OPEN)
		write_result(out, check, "skipped", NULL, message);
	else
		write_output(out, check, message);
	fputs("    </testcase>\n", out);
}

static void write_property(FILE *out, const struct seep_check *check, const char *name,
			   const char *value)
{
	fputs("      <property", out);
	write_attribute(out, check, "name", name);
	write_attribute(out, check, "value", value);
	fputs("/>\n", out);
}

void seep_junit_write(FILE *out, const struct seep_check *check)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"seep check\"", out);
	write_counts(out, check);
	fputs(">\n  <testsuite", out);
	write_attribute(out, check, "name", seep_check_program(check));
	write_counts(out, check);
	fprintf(out, " skipped=\"%zu\"", count_cases(check).skipped);
	write_started(out, check->view->run);
	fputs(">\n    <properties>\n", out);
	write_property(out, check, "budget", seep_check_budget(check));
	write_property(out, check, "verdict", seep_verdict_kind_name(check->verdict->kind));
	write_property(out, check, "trace", check->view->run->path);
	fputs("    </properties>\n", out);
	write_total(out, check);
	for (size_t i = 0; i < check->n_findings; i++)
		write_site(out, check, &check->findings[i]);
	for (size_t i = 0; i < check->n_suspects; i++)
		write_site(out, check, &check->suspects[i]);
	fputs("  </testsuite>\n</testsuites>\n", out);
}
