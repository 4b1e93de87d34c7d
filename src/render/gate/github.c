/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/gate/github.h"
#include "render/place.h"
#include "render/safe.h"

#include <string.h>

#define SITES_SHOWN 5 /* GitHub shows at most ten annotations of a kind */

void seep_github_escape(FILE *out, const char *text, bool property, struct seep_arena *arena)
{
	for (text = seep_safe_text(arena, text); *text; text++) {
		if (*text == '%' || (property && strchr(":,", *text)))
			fprintf(out, "%%%02X", (unsigned char)*text);
		else
			fputc(*text, out);
	}
}

static void write_property(FILE *out, const struct seep_check *check, const char *name,
			   const char *value)
{
	fputs(name, out);
	seep_github_escape(out, value, true, check->view->arena);
}

static void write_site(FILE *out, const struct seep_check *check,
		       const struct seep_finding *finding)
{
	struct seep_arena *arena = check->view->arena;
	const struct seep_stack *stack = &finding->result->site->stack;
	const struct seep_frame *frame = seep_place_frame(arena, stack, check->root);

	fputs(finding->suspect ? "::warning " : "::error ", out);
	if (frame) {
		write_property(out, check, "file=", seep_place_path(arena, frame, check->root));
		if (frame->line > 0)
			fprintf(out, ",line=%d", frame->line);
		fputc(',', out);
	}
	write_property(out, check, "title=", seep_check_function(check, finding));
	fputs("::", out);
	seep_github_escape(out, seep_check_message(check, finding), false, arena);
	fputc('\n', out);
}

void seep_github_write(FILE *out, const struct seep_check *check)
{
	static const char *const commands[] = {
		[SEEP_BUDGET_WITHIN] = "notice",
		[SEEP_BUDGET_OVER] = "error",
		[SEEP_BUDGET_OPEN] = "warning",
	};
	size_t n = 0;

	fprintf(out, "::%s ", commands[seep_check_outcome(check)]);
	write_property(out, check, "title=", seep_arena_printf(check->view->arena,
							       "seep check: %s",
							       seep_check_word(check)));
	fputs("::", out);
	seep_github_escape(out, seep_arena_printf(check->view->arena, "%s: %s",
						  seep_check_program(check),
						  seep_check_why(check)), false,
			   check->view->arena);
	fputc('\n', out);
	for (size_t i = 0; i < check->n_findings && n < SITES_SHOWN; i++) {
		if (!check->findings[i].accused)
			continue;
		write_site(out, check, &check->findings[i]);
		n++;
	}
	for (size_t i = 0; i < check->n_suspects && i < SITES_SHOWN; i++)
		write_site(out, check, &check->suspects[i]);
}
