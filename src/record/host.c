/* SPDX-License-Identifier: MIT */
#include "record/host.h"

#include "os/digits.h"
#include "os/silence.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* If the reader of stderr has gone, SIGPIPE must not end the program: it is blocked and taken. */
void seep_host_print(const char *what, int failure)
{
	char line[256] = "seep: ";
	const struct timespec at_once = {0};
	sigset_t pipe, before;
	size_t n;

	if (seep_silence_is_on())
		return;
	n = strlen(line);
	while (*what && n < sizeof(line) - 96)
		line[n++] = *what++;
	line[n] = '\0';
	memcpy(line + n, " (error ", 9);
	seep_digits_append(line, (uint32_t)-failure);
	n = strlen(line);
	memcpy(line + n, "); recording ends here, the program runs on\n", 45);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	/* Raw system calls: the C library's are cancellation points. */
	if (syscall(SYS_write, STDERR_FILENO, line, n + 44) < 0 && errno == EPIPE)
		syscall(SYS_rt_sigtimedwait, &pipe, NULL, &at_once, sizeof(uint64_t));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
