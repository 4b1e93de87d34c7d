/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/text/drivers.h"

#include "render/safe.h"
#include "render/sizes.h"

#define DRIVERS_MAX 3

/* The name of what the growth follows. */
static const char *name_driver(const struct seep_view *view, size_t counter, bool time,
			       bool maximum)
{
	if (time)
		return "time";
	return seep_arena_printf(view->arena, "%s%s", maximum ? "running maximum of " : "",
				 seep_safe_text(view->arena, view->run->counters[counter].name));
}

static void print_driver_part(const struct seep_view *view, const char *name, bool time,
			      const struct seep_estimate *each)
{
	struct seep_size_pair pair = seep_size_interval(each->value, each->low, each->high);

	fprintf(view->out, "%s: %s%s  [%s]", name, pair.value, time ? "/s" : " each",
		pair.interval);
}

void seep_drivers_print(const struct seep_view *view)
{
	const struct seep_verdict *verdict = view->verdict;
	const char *names = "";
	size_t i;

	for (i = 0; i < verdict->n_drivers && i < DRIVERS_MAX; i++) {
		const struct seep_driver *d = &verdict->drivers[i];
		const char *name = name_driver(view, d->counter, d->time, d->running_maximum);

		fputs("  driver  ", view->out);
		print_driver_part(view, name, d->time, &d->bytes_per_unit);
		if (d->combined) {
			const char *other = name_driver(view, d->second_counter, d->second_time,
							d->second_running_maximum);

			fputs(" and ", view->out);
			print_driver_part(view, other, d->second_time, &d->second_bytes_per_unit);
			name = seep_arena_printf(view->arena, "%s and %s", name, other);
		}
		fprintf(view->out, "  %s\n", d->proportional ? "proportional"
				   : "plus a part independent of it");
		names = seep_arena_printf(view->arena, "%s%s%s", names, i ? " or " : "", name);
	}
	if (i > 1)
		fprintf(view->out, "          %s: not separable in this run\n", names);
}
