/* SPDX-License-Identifier: MIT */
#include "record/alive.h"

#include "os/mmap.h"
#include "os/silence.h"

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
	uint32_t *word;          /* the kernel clears it in a child */
	uint32_t fallback;       /* for kernels that cannot */
	pid_t pid;
} alive;

void seep_alive_mark(void)
{
	if (!alive.word)
		alive.word = seep_mmap_wiped_on_fork();
	if (!alive.word)
		alive.word = &alive.fallback;
	*alive.word = 1;
	alive.pid = (pid_t)seep_syscall(SYS_getpid);
}

bool seep_alive_is_marked(void)
{
	return alive.word;
}

bool seep_alive_is(void)
{
	return alive.word && __atomic_load_n(alive.word, __ATOMIC_RELAXED);
}

const uint32_t *seep_alive_word(void)
{
	return alive.word;
}

bool seep_alive_is_own(void)
{
	return seep_alive_is() && alive.pid == (pid_t)seep_syscall(SYS_getpid);
}
