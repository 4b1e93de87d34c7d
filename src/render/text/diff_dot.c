/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call graph of a difference.  Functions that grew are red, those that shrank are green; the
 * more a function allocates itself, the larger its box.
 */
#include "render/safe.h"
#include "render/sizes.h"
#include "render/text/diff.h"

#include <math.h>
#include <stdlib.h>

#define NODES_MOST 80
#define NODE_PART .005           /* of all differences; functions below it are left out */
#define EDGE_PART .001
#define NAME_COLUMNS 100

/* Writes a name inside quotes, escaped so that it cannot end them or begin an escape. */
static void write_text(const struct seep_diff *diff, const char *text)
{
	FILE *out = diff->after->out;

	text = seep_safe_shorten(diff->after->arena, seep_safe_text(diff->after->arena, text),
				 NAME_COLUMNS);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

static const char *size_of(const struct seep_diff *diff, double bytes)
{
	return seep_arena_printf(diff->after->arena, "%s%s", bytes > 0 ? "+" : "",
				 seep_size_format(fabs(bytes) < .005 ? 0 : bytes).text);
}

/* The sum of the absolute differences. */
static double sum_up(const struct seep_calls *calls)
{
	double sum = 0;

	for (size_t i = 0; i < calls->n_functions; i++)
		sum += fabs(seep_calls_difference(&calls->functions[i].flat));
	return sum;
}

static double weight(const struct seep_calls_function *function)
{
	return fmax(fabs(seep_calls_difference(&function->flat)),
		    fabs(seep_calls_difference(&function->cum)));
}

static int compare_weights(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* The least weight of a function that is shown. */
static double find_threshold(const struct seep_diff *diff, double sum)
{
	const struct seep_calls *calls = diff->calls;
	double *weights = seep_arena_array(diff->after->arena, calls->n_functions, sizeof(double));

	for (size_t i = 0; i < calls->n_functions; i++)
		weights[i] = weight(&calls->functions[i]);
	if (calls->n_functions <= NODES_MOST)
		return sum * NODE_PART;
	qsort(weights, calls->n_functions, sizeof(double), compare_weights);
	return fmax(sum * NODE_PART, weights[NODES_MOST]);
}

static const char *colour_of(double difference)
{
	return difference > 0 ? "#b2182b" : difference < 0 ? "#1b7837" : "#555555";
}

static void write_node(const struct seep_diff *diff, size_t i, double sum)
{
	const struct seep_calls_function *function = &diff->calls->functions[i];
	double flat = seep_calls_difference(&function->flat);
	double cum = seep_calls_difference(&function->cum);
	FILE *out = diff->after->out;

	fprintf(out, "\tN%zu [label=\"", i);
	write_text(diff, function->name);
	fprintf(out, "\\n%s", size_of(diff, flat));
	if (fabs(cum - flat) >= .005)
		fprintf(out, "\\nof %s", size_of(diff, cum));
	fprintf(out, "\", fontsize=%.1f, color=\"%s\"];\n", 8 + 32 * sqrt(fabs(flat) / sum),
		colour_of(cum));
}

static void write_edge(const struct seep_diff *diff, const struct seep_calls_edge *edge,
		       double sum)
{
	double bytes = seep_calls_difference(&edge->bytes);

	fprintf(diff->after->out, "\tN%zu -> N%zu [label=\"%s\", weight=%.0f, penwidth=%.1f, "
		"color=\"%s\"];\n", edge->caller, edge->callee, size_of(diff, bytes),
		1 + 100 * fmin(fabs(bytes) / sum, 1), 1 + 4 * fmin(fabs(bytes) / sum, 1),
		colour_of(bytes));
}

/* What the graph shows, and what it leaves out. */
static void write_legend(const struct seep_diff *diff, double node_least, double edge_least)
{
	FILE *out = diff->after->out;

	fputs("\tlabelloc=t;\n\tlabeljust=l;\n\tlabel=\"", out);
	write_text(diff, diff->before->run->path);
	fputs(" -> ", out);
	write_text(diff, diff->after->run->path);
	fprintf(out, "\\lalive: %s -> %s, %s\\lflat of cum, after - before; not shown: functions "
		"that changed by %s or less, ",
		seep_arena_printf(diff->after->arena, "%s",
				  seep_size_format(diff->calls->total.side[0].bytes).text),
		seep_size_format(diff->calls->total.side[1].bytes).text,
		size_of(diff, seep_calls_difference(&diff->calls->total)),
		seep_size_format(node_least).text);
	fprintf(out, "calls by %s or less\\l\";\n", seep_size_format(edge_least).text);
}

void seep_diff_dot(const struct seep_diff *diff)
{
	const struct seep_calls *calls = diff->calls;
	double sum = sum_up(calls), node_least = find_threshold(diff, sum);
	double edge_least = sum * EDGE_PART;
	FILE *out = diff->after->out;

	fputs("digraph diff {\n", out);
	write_legend(diff, node_least, edge_least);
	fputs("\tnode [shape=box, fontname=\"sans-serif\"];\n"
	      "\tedge [fontname=\"sans-serif\", fontsize=10];\n", out);
	for (size_t i = 0; i < calls->n_functions; i++)
		if (weight(&calls->functions[i]) > node_least)
			write_node(diff, i, sum);
	for (size_t i = 0; i < calls->n_edges; i++) {
		const struct seep_calls_edge *edge = &calls->edges[i];

		if (fabs(seep_calls_difference(&edge->bytes)) > edge_least &&
		    weight(&calls->functions[edge->caller]) > node_least &&
		    weight(&calls->functions[edge->callee]) > node_least)
			write_edge(diff, edge, sum);
	}
	fputs("}\n", out);
}
