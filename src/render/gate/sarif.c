/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A SARIF log has the rules once, and results that refer to them by index.  Each accused or
 * suspect site becomes a result; if no site can be named, or the outcome is open, there is one
 * result for the whole program.
 */
#include "render/emitter.h"
#include "render/gate/sarif.h"
#include "render/place.h"
#include "render/safe.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define FINGERPRINT "seepStack/v1"

enum rule { RULE_SITE, RULE_PROGRAM, RULE_UNDECIDED, RULE_SUSPECT };

static const struct {
	const char *id, *name, *text, *help, *level;
} rules[] = {
	[RULE_SITE] = {
		"SEEP001", "GrowingSite",
		"Memory allocated at one call site grows by more than the budget.",
		"Each event keeps blocks that were allocated here. Free them, limit what holds "
		"them, or suppress the site; seep report --site shows what frees the other blocks.",
		"error",
	},
	[RULE_PROGRAM] = {
		"SEEP002", "GrowingProgram", "The program's memory grows by more than the budget.",
		"The program keeps more memory with every event than its budget allows. seep "
		"report shows what is known about it.",
		"error",
	},
	[RULE_UNDECIDED] = {
		"SEEP003", "UndecidedBudget",
		"The run does not show whether the program stays within its budget.",
		"The run was too short or too noisy. The message says what would settle the "
		"question.",
		"warning",
	},
	[RULE_SUSPECT] = {
		"SEEP004", "SuspectSite", "Memory allocated at one call site is kept occasionally.",
		"The site keeps memory, but too little, or with too little evidence, to be "
		"accused. The message gives the reason and says what would settle the question.",
		"warning",
	},
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

/* Writes { "text": "..." } as the value of key, as a safe text. */
static void emit_text(struct seep_emitter *e, const struct seep_check *check, const char *key,
		      const char *text)
{
	seep_emitter_open_short_object(e, key);
	seep_emitter_string(e, "text", seep_safe_text(check->view->arena, text));
	seep_emitter_close_object(e);
}

static void emit_rules(struct seep_emitter *e, const struct seep_check *check)
{
	seep_emitter_open_array(e, "rules");
	for (size_t i = 0; i < RULES; i++) {
		seep_emitter_open_object(e, NULL);
		seep_emitter_string(e, "id", rules[i].id);
		seep_emitter_string(e, "name", rules[i].name);
		emit_text(e, check, "shortDescription", rules[i].text);
		emit_text(e, check, "fullDescription", rules[i].text);
		emit_text(e, check, "help", rules[i].help);
		seep_emitter_open_short_object(e, "defaultConfiguration");
		seep_emitter_string(e, "level", rules[i].level);
		seep_emitter_close_object(e);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

static void emit_tool(struct seep_emitter *e, const struct seep_check *check)
{
	seep_emitter_open_object(e, "tool");
	seep_emitter_open_object(e, "driver");
	seep_emitter_string(e, "name", "seep");
	seep_emitter_string(e, "version", check->version);
	emit_rules(e, check);
	seep_emitter_close_object(e);
	seep_emitter_close_object(e);
}

static void emit_artifact(struct seep_emitter *e, const struct seep_check *check, const char *path)
{
	seep_emitter_open_short_object(e, "artifactLocation");
	seep_emitter_string(e, "uri", seep_place_uri(check->view->arena, path));
	if (*path != '/')
		seep_emitter_string(e, "uriBaseId", "%SRCROOT%");
	seep_emitter_close_object(e);
}

/* The member physicalLocation, if the frame has a file. */
static void emit_place(struct seep_emitter *e, const struct seep_check *check,
		       const struct seep_frame *frame)
{
	const char *path = seep_place_path(check->view->arena, frame, check->root);

	if (!path)
		return;
	seep_emitter_open_object(e, "physicalLocation");
	emit_artifact(e, check, path);
	if (frame->line > 0) {
		seep_emitter_open_short_object(e, "region");
		seep_emitter_integer(e, "startLine", frame->line);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_object(e);
}

static void emit_function(struct seep_emitter *e, const struct seep_check *check,
			  const struct seep_frame *frame)
{
	seep_emitter_open_array(e, "logicalLocations");
	seep_emitter_open_short_object(e, NULL);
	seep_emitter_string(e, "fullyQualifiedName",
			    seep_safe_text(check->view->arena, frame->function));
	seep_emitter_string(e, "kind", "function");
	seep_emitter_close_object(e);
	seep_emitter_close_array(e);
}

static void emit_frames(struct seep_emitter *e, const struct seep_check *check,
			const struct seep_stack *stack)
{
	seep_emitter_open_array(e, "frames");
	for (size_t i = 0; i < stack->n_frames; i++) {
		seep_emitter_open_object(e, NULL);
		seep_emitter_open_object(e, "location");
		emit_place(e, check, &stack->frames[i]);
		emit_function(e, check, &stack->frames[i]);
		seep_emitter_close_object(e);
		if (stack->frames[i].module)
			seep_emitter_string(e, "module", seep_safe_text(check->view->arena,
									stack->frames[i].module));
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

static void emit_stack(struct seep_emitter *e, const struct seep_check *check,
		       const struct seep_stack *stack)
{
	seep_emitter_open_array(e, "stacks");
	seep_emitter_open_object(e, NULL);
	emit_text(e, check, "message", "allocated by");
	emit_frames(e, check, stack);
	seep_emitter_close_object(e);
	seep_emitter_close_array(e);
}

static void open_result(struct seep_emitter *e, const struct seep_check *check, enum rule rule,
			const char *message)
{
	seep_emitter_open_object(e, NULL);
	seep_emitter_string(e, "ruleId", rules[rule].id);
	seep_emitter_integer(e, "ruleIndex", rule);
	seep_emitter_string(e, "level", rules[rule].level);
	emit_text(e, check, "message", message);
}

static void emit_fingerprint(struct seep_emitter *e, const char *text)
{
	seep_emitter_open_short_object(e, "partialFingerprints");
	seep_emitter_string(e, FINGERPRINT, text);
	seep_emitter_close_object(e);
}

static void emit_suppression(struct seep_emitter *e, const struct seep_check *check,
			     const struct seep_finding *finding)
{
	seep_emitter_open_array(e, "suppressions");
	if (finding->suppressed) {
		seep_emitter_open_short_object(e, NULL);
		seep_emitter_string(e, "kind", "external");
		if (finding->reason)
			seep_emitter_string(e, "justification",
					    seep_safe_text(check->view->arena, finding->reason));
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

static void emit_site(struct seep_emitter *e, const struct seep_check *check,
		      const struct seep_finding *finding)
{
	const struct seep_stack *stack = &finding->result->site->stack;
	const struct seep_frame *frame = seep_place_frame(check->view->arena, stack, check->root);

	if (!frame)
		frame = seep_view_own_frame(stack);
	open_result(e, check, finding->suspect ? RULE_SUSPECT : RULE_SITE,
		    seep_check_message(check, finding));
	seep_emitter_open_array(e, "locations");
	seep_emitter_open_object(e, NULL);
	if (frame) {
		emit_place(e, check, frame);
		emit_function(e, check, frame);
	}
	seep_emitter_close_object(e);
	seep_emitter_close_array(e);
	emit_stack(e, check, stack);
	emit_fingerprint(e, finding->fingerprint.text);
	if (check->baseline)
		seep_emitter_string(e, "baselineState", finding->is_new ? "new" : "updated");
	emit_suppression(e, check, finding);
	seep_emitter_close_object(e);
}

/* A result that belongs to no site; its location is the program. */
static void emit_program(struct seep_emitter *e, const struct seep_check *check, enum rule rule)
{
	struct seep_frame frame = { .file = check->view->run->exe };

	open_result(e, check, rule, seep_check_why(check));
	seep_emitter_open_array(e, "locations");
	seep_emitter_open_object(e, NULL);
	emit_place(e, check, &frame);
	seep_emitter_close_object(e);
	seep_emitter_close_array(e);
	emit_fingerprint(e, seep_check_program(check));
	seep_emitter_close_object(e);
}

static void emit_results(struct seep_emitter *e, const struct seep_check *check)
{
	enum seep_budget_outcome outcome = seep_check_outcome(check);
	bool accused = false;

	seep_emitter_open_array(e, "results");
	for (size_t i = 0; i < check->n_findings; i++) {
		if (!check->findings[i].accused && !check->findings[i].suppressed)
			continue;
		accused = accused || check->findings[i].accused;
		emit_site(e, check, &check->findings[i]);
	}
	for (size_t i = 0; i < check->n_suspects; i++)
		emit_site(e, check, &check->suspects[i]);
	if (check->answer.outcome == SEEP_BUDGET_OPEN)
		emit_program(e, check, RULE_UNDECIDED);
	else if (outcome == SEEP_BUDGET_OVER && !accused &&
		 (check->answer.outcome == SEEP_BUDGET_OVER || !check->n_suspects))
		emit_program(e, check, RULE_PROGRAM);
	seep_emitter_close_array(e);
}

void seep_sarif_write(FILE *out, const struct seep_check *check)
{
	struct seep_emitter emitter, *e = &emitter;

	seep_emitter_init(e, out);
	seep_emitter_open_object(e, NULL);
	seep_emitter_string(e, "$schema", SCHEMA);
	seep_emitter_string(e, "version", "2.1.0");
	seep_emitter_open_array(e, "runs");
	seep_emitter_open_object(e, NULL);
	emit_tool(e, check);
	emit_results(e, check);
	seep_emitter_close_object(e);
	seep_emitter_close_array(e);
	seep_emitter_close_object(e);
	seep_emitter_finish(e);
}
