/* SPDX-License-Identifier: MIT */
#include "record/heap/stack/nodes.h"
#include "record/recording.h"
#include "trace/format.h"

#define BATCH 1024u

static struct {
	struct seep_nodes_cursor cursor; /* behind the nodes that are in the trace */
	uint32_t generation;
} done;

void seep_nodes_write_new(void)
{
	static struct seep_rec_node batch[BATCH];
	uint32_t n = seep_nodes_count();

	if (done.generation != seep_recording_generation())
		done.cursor = (struct seep_nodes_cursor){.next = 1};
	done.generation = seep_recording_generation();
	while (done.cursor.next < n) {
		struct seep_rec_nodes head = {.first = done.cursor.next};

		for (; head.count < BATCH && done.cursor.next < n; head.count++) {
			struct seep_nodes_item node = seep_nodes_next(&done.cursor);

			batch[head.count].pc = node.pc;
			batch[head.count].parent = node.caller;
			batch[head.count].module = node.module;
		}
		seep_recording_write(SEEP_REC_NODES, 0, &head, sizeof(head), batch,
				     head.count * sizeof(batch[0]));
	}
}
