/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/recurring.h"
#include "render/sizes.h"
#include "render/text/text.h"

void seep_text_propose(const struct seep_view *view)
{
	const struct seep_run_call *call = seep_recurring_call(view->run);

	if (call)
		fprintf(view->out, "next: for growth per return of %s (%s of them): %s run "
			"--event call:%s%s --%s\n", call->name,
			seep_size_count((double)call->returns).text, view->self, call->name,
			view->run_options ? view->run_options : "", seep_text_command(view));
}
