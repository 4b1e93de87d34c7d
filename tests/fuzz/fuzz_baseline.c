/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a report that was saved as JSON, for seep check to compare with. */
#include "cli/check/check_baseline.h"
#include "cli/check/check_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void demand(bool truth)
{
	if (!truth)
		abort();
}

/* A file of these bytes, by a path under which it can be opened. */
static void put_file(char *path, size_t room, const uint8_t *data, size_t bytes)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("baseline", MFD_CLOEXEC);
	demand(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, bytes, 0) == (ssize_t)bytes);
	snprintf(path, room, "/dev/fd/%d", fd);
}

static void look_at(const struct seep_baseline *baseline)
{
	const struct seep_estimate *rate = &baseline->bytes_per_event;

	demand(!rate->known || (rate->low <= rate->value && rate->value <= rate->high));
	for (size_t i = 0; i < baseline->n_sites; i++) {
		const struct seep_fingerprint *print = &baseline->sites[i].fingerprint;

		demand(strlen(print->text) >= 18 && print->text[16] == ':');
		demand(seep_baseline_find(baseline, print) == &baseline->sites[i]);
	}
	demand(baseline->known.verdict.n_sites == baseline->n_sites + baseline->n_suspects);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct seep_suppression item = { .pattern = "keep_*" };
	struct seep_suppressions suppressions = { .path = "fuzz", .items = &item, .n = 1 };
	const struct seep_check_trace_plan plan = { .suppressions = &suppressions };
	struct seep_baseline baseline;
	struct seep_arena arena;
	struct seep_err err = { 0 };
	char path[64];

	if (!bytes || *data != '{') /* traces are for fuzz_reader */
		return 0;
	put_file(path, sizeof(path), data, bytes);
	seep_arena_init(&arena);
	if (seep_baseline_read(&baseline, path, &plan, &arena, &err))
		demand(err.code && err.text[0]);
	else
		look_at(&baseline);
	seep_baseline_release(&baseline);
	seep_arena_release(&arena);
	return 0;
}
