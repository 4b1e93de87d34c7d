/* SPDX-License-Identifier: MIT */
#include "record/heap/around/quiescence.h"

#include "record/heap/stack/walk.h"
#include "record/heap/thread.h"

#include "os/silence.h"

#include <sys/syscall.h>
#include <unistd.h>

static pid_t process;

void seep_quiescence_begin(void)
{
	process = (pid_t)seep_syscall(SYS_getpid);
}

bool seep_quiescence_holds(const void *frame_address)
{
	struct seep_thread *thread = seep_thread_get();

	return !seep_silence_is_on() && process == (pid_t)seep_syscall(SYS_getpid) && thread &&
	       !seep_walk_may_interrupt(thread, frame_address);
}
