/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/output.h"
#include "cli/profiler/run_info.h"
#include "render/emitter.h"

#include <stdlib.h>
#include <sys/wait.h>

/* As the shell would have it. */
static int status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void write_end(struct seep_emitter *emitter, const struct seep_run_info *info)
{
	bool killed = info->ended && WIFSIGNALED(info->status);

	if (info->ended)
		seep_emitter_integer(emitter, "retcode", status_of(info->status));
	else
		seep_emitter_null(emitter, "retcode");
	seep_emitter_string(emitter, "exe", info->exe);
	if (killed)
		seep_emitter_integer(emitter, "signal", WTERMSIG(info->status));
	else
		seep_emitter_null(emitter, "signal");
}

static void write_dumps(struct seep_emitter *emitter, const struct seep_run_dumps *dumps)
{
	seep_emitter_open_array(emitter, "dumps");
	for (size_t i = 0; dumps && i < dumps->n; i++) {
		const struct seep_run_dump *dump = &dumps->items[i];

		seep_emitter_open_short_object(emitter, NULL);
		seep_emitter_string(emitter, "file", dump->path);
		if (dump->event)
			seep_emitter_unsigned(emitter, "event", dump->event);
		else
			seep_emitter_null(emitter, "event");
		seep_emitter_bool(emitter, "final", dump->final);
		seep_emitter_close_object(emitter);
	}
	seep_emitter_close_array(emitter);
}

int seep_run_info_write(const struct seep_run_info *info, struct seep_err *err)
{
	char *exe = realpath(info->exe, NULL);
	struct seep_run_info whole = *info;
	struct seep_emitter emitter;
	struct seep_output output;
	int rc = seep_output_open(&output, info->path, err);

	if (exe)
		whole.exe = exe;
	if (!rc) {
		seep_emitter_init(&emitter, output.out);
		seep_emitter_open_object(&emitter, NULL);
		seep_emitter_integer(&emitter, "pid", info->pid);
		write_end(&emitter, &whole);
		seep_emitter_string(&emitter, "trace", info->trace);
		write_dumps(&emitter, info->dumps);
		seep_emitter_close_object(&emitter);
		seep_emitter_finish(&emitter);
		rc = seep_output_finish(&output, err);
		if (!rc)
			rc = seep_output_commit(&output, err);
		if (rc)
			seep_output_abandon(&output);
	}
	free(exe);
	return rc;
}
