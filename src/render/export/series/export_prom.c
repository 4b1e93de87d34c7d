/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict and the last figures of a run for the node exporter of Prometheus, which reads
 * *.prom files in a folder.
 *
 * It uses only what all relatives of Prometheus accept: gauges without timestamps.  The number
 * of series is bounded, whatever the program does, and no label has a pid, so the next run of
 * the same program continues the same series.
 */
#include "render/export/export.h"
#include "render/export/series/metrics.h"
#include "render/fingerprint.h"

#include <math.h>

#define PHASES_MOST 20
#define SITES_MOST 10

struct prom {
	const struct seep_view *view;
	const char *program;     /* the label of all series */
};

static void begin_family(const struct prom *prom, const char *name, const char *help)
{
	fprintf(prom->view->out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void write_sample(const struct prom *prom, const char *name, const char *labels,
			 double value)
{
	seep_metrics_sample(prom->view->out, name, labels, value);
	fputc('\n', prom->view->out);
}

/* A family with one series. */
static void write_gauge(const struct prom *prom, const char *name, const char *help, bool known,
			double value)
{
	if (!known || isnan(value))
		return;
	begin_family(prom, name, help);
	write_sample(prom, name, prom->program, value);
}

/* Writes all kinds, so that a 0 resolves an alert on any of them. */
static void write_kinds(const struct prom *prom)
{
	const struct seep_view *view = prom->view;

	begin_family(prom, "seep_verdict", "The verdict on the run's memory: 1 for its kind, 0 for "
		     "the others.");
	for (int kind = 0; kind <= SEEP_KIND_UNDECIDED; kind++) {
		const char *name = seep_verdict_kind_name((enum seep_kind)kind);
		const char *label = seep_metrics_label(view, "verdict", name);

		write_sample(prom, "seep_verdict",
			     seep_arena_printf(view->arena, "%s,%s", prom->program, label),
			     (int)view->verdict->kind == kind);
	}
}

static void write_growth(const struct prom *prom)
{
	const struct seep_verdict *verdict = prom->view->verdict;
	const struct seep_estimate *rate = &verdict->bytes_per_event;

	write_gauge(prom, "seep_growth_bytes_per_event", "Growth of memory per event, or per time "
		    "slice if the program marks no events.", rate->known, rate->value);
	write_gauge(prom, "seep_growth_low_bytes_per_event",
		    "Lower end of the 95 % interval of the growth.", rate->known, rate->low);
	write_gauge(prom, "seep_growth_high_bytes_per_event",
		    "Upper end of the 95 % interval of the growth.", rate->known, rate->high);
	write_gauge(prom, "seep_growth_bytes_per_second", "Growth of memory per second.",
		    rate->known, verdict->bytes_per_s);
	write_gauge(prom, "seep_growth_floor_bytes_per_event",
		    "Smallest growth that would have been detected.",
		    verdict->floor_bytes_per_event > 0, verdict->floor_bytes_per_event);
}

static void write_run(const struct prom *prom)
{
	const struct seep_run *run = prom->view->run;

	write_gauge(prom, "seep_run_start_time_seconds", "Start of the run, in seconds since 1970.",
		    run->started_real_ns > 0, (double)run->started_real_ns / 1e9);
	write_gauge(prom, "seep_run_duration_seconds", "Length of the run, or of the part that was "
		    "recorded.", true,
		    (double)run->wall_ns / 1e9);
	write_gauge(prom, "seep_run_complete", "Whether the trace is complete.",
		    true, run->complete);
	write_gauge(prom, "seep_events", "Number of events in the run.", true,
		    (double)seep_run_marked(run));
	write_gauge(prom, "seep_warmup_events", "Events that were left out as warm-up.", true,
		    (double)prom->view->verdict->warmup_events);
}

/* The last known values. */
static void write_levels(const struct prom *prom)
{
	const struct seep_run *run = prom->view->run;
	const struct seep_stamp none = { 0 }, *rss = &none, *heap = &none;

	for (size_t i = 0; i < run->n_stamps; i++) {
		if (run->stamps[i].flags & SEEP_STAMP_RSS)
			rss = &run->stamps[i];
		if (run->stamps[i].flags & SEEP_STAMP_HEAP)
			heap = &run->stamps[i];
	}
	write_gauge(prom, "seep_rss_bytes", "Resident memory at the last stamp.", rss->flags,
		    (double)rss->rss_bytes);
	write_gauge(prom, "seep_vm_bytes", "Address space at the last stamp.", rss->flags,
		    (double)rss->vm_bytes);
	write_gauge(prom, "seep_heap_live_bytes", "Live blocks of the heap at the last stamp.",
		    heap->flags, (double)heap->live_bytes);
	write_gauge(prom, "seep_heap_live_blocks", "Number of these blocks.", heap->flags,
		    (double)heap->live_blocks);
	write_gauge(prom, "seep_tracker_bytes", "Resident memory that seep itself uses.",
		    heap->flags, (double)heap->tracker_bytes);
}

static void write_forecast(const struct prom *prom)
{
	const struct seep_oom *oom = &prom->view->verdict->oom;
	const struct seep_oom *slowdown = &prom->view->verdict->slowdown;

	write_gauge(prom, "seep_oom_seconds", "Time from the end of the run until memory runs out.",
		    oom->known, oom->seconds);
	write_gauge(prom, "seep_oom_low_seconds", "The same if the growth is at its upper end.",
		    oom->known, oom->low);
	write_gauge(prom, "seep_oom_high_seconds", "The same if the growth is at its lower end.",
		    oom->known, oom->high);
	write_gauge(prom, "seep_oom_limit_bytes", "The memory limit that will be reached first.",
		    oom->known, (double)oom->limit_bytes);
	write_gauge(prom, "seep_slowdown_seconds", "Time until the process will be throttled.",
		    slowdown->known, slowdown->seconds);
}

/* Whether few phases of the event grow or shrink more than this one. */
static bool is_large(const struct seep_verdict *verdict, const struct seep_phase_share *phase)
{
	double size = fabs(phase->bytes_per_event.value);
	size_t larger = 0;

	for (size_t i = 0; i < verdict->n_phases; i++) {
		const struct seep_phase_share *other = &verdict->phases[i];
		double its = fabs(other->bytes_per_event.value);

		larger += other->bytes_per_event.known &&
			  (its > size || (its == size && other < phase));
	}
	return larger < PHASES_MOST;
}

static void write_phases(const struct prom *prom)
{
	const struct seep_view *view = prom->view;
	const struct seep_verdict *verdict = view->verdict;

	if (!verdict->n_phases)
		return;
	begin_family(prom, "seep_phase_growth_bytes_per_event",
		     "Growth between two stamps of the event; phase counts from the start of the "
		     "event.");
	for (size_t i = 0; i < verdict->n_phases; i++) {
		const struct seep_phase_share *phase = &verdict->phases[i];
		const char *from = seep_view_phase_from(view->run, phase);
		const char *to = seep_view_phase_to(view->run, phase);

		if (!phase->bytes_per_event.known || !is_large(verdict, phase))
			continue;
		write_sample(prom, "seep_phase_growth_bytes_per_event",
			     seep_arena_printf(view->arena, "%s,phase=\"%zu\",%s,%s",
					       prom->program, i + 1,
					       seep_metrics_label(view, "from", from),
					       seep_metrics_label(view, "to", to)),
			     phase->bytes_per_event.value);
	}
}

static const char *label_site(const struct prom *prom, const struct seep_site_result *result,
			      const struct seep_fingerprint *print)
{
	const struct seep_view *view = prom->view;
	const struct seep_frame *frame = seep_view_own_frame(&result->site->stack);

	return seep_arena_printf(view->arena, "%s,%s,%s,%s", prom->program,
				 seep_metrics_label(view, "site", print->text),
				 seep_metrics_label(view, "function",
						    frame ? frame->function : ""),
				 seep_metrics_label(view, "place", seep_view_place(view, frame)));
}

static void write_sites(const struct prom *prom)
{
	const struct seep_verdict *verdict = prom->view->verdict;
	size_t n = verdict->n_sites < SITES_MOST ? verdict->n_sites : SITES_MOST;
	struct seep_fingerprint_of sites[SITES_MOST];
	struct seep_fingerprint prints[SITES_MOST];
	const char *labels[SITES_MOST];

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct seep_site *site = verdict->sites[i].site;

		sites[i] = (struct seep_fingerprint_of){
			&site->stack, seep_view_site_kind(site),
			seep_view_site_phase(prom->view->run, site),
		};
	}
	seep_fingerprint_make(prints, sites, n);
	for (size_t i = 0; i < n; i++)
		labels[i] = label_site(prom, &verdict->sites[i], &prints[i]);
	begin_family(prom, "seep_site_growth_bytes_per_event",
		     "Growth of the memory that one call site keeps; the site label stays the same "
		     "after a rebuild.");
	for (size_t i = 0; i < n; i++)
		if (verdict->sites[i].bytes_per_event.known)
			write_sample(prom, "seep_site_growth_bytes_per_event", labels[i],
				     verdict->sites[i].bytes_per_event.value);
	begin_family(prom, "seep_site_live_bytes", "Memory that one call site keeps.");
	for (size_t i = 0; i < n; i++)
		write_sample(prom, "seep_site_live_bytes", labels[i],
			     (double)verdict->sites[i].live_bytes);
}

static int write_prom(const struct seep_view *view, struct seep_err *err)
{
	struct prom prom = { view, seep_metrics_label(view, "program", seep_view_program(view)) };

	(void)err;
	write_kinds(&prom);
	write_growth(&prom);
	write_run(&prom);
	write_levels(&prom);
	write_forecast(&prom);
	write_phases(&prom);
	write_sites(&prom);
	return 0;
}

const struct seep_export_format seep_export_prom = {
	.name = "prom",
	.what = "Prometheus' node exporter: the verdict as gauges",
	.names_sites = SITES_MOST,
	.write = write_prom,
};
