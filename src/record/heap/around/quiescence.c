/* SPDX-License-Identifier: MIT */
#include "record/heap/around/quiescence.h"

#include "record/heap/stack/walk.h"
#include "record/heap/thread.h"

#include <unistd.h>

static pid_t process;

void seep_quiescence_begin(void)
{
	process = getpid();
}

bool seep_quiescence_holds(const void *frame_address)
{
	struct seep_thread *thread = seep_thread_get();

	return process == getpid() && thread && !seep_walk_may_interrupt(thread, frame_address);
}
