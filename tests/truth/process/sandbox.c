/* SPDX-License-Identifier: MIT */
/*
 * sandbox HOW: works, forbids itself most system calls, and works on.  HOW: kill, errno and strict,
 * by prctl; call, as kill by seccomp(2); probe, only asks whether it could; exec, runs itself again
 * under a filter that allows what a program does at its start, and not what a tracker does.
 */
#define _GNU_SOURCE
#include "truth.h"
#include "seep.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS 200
#define LIST_MAX 20

static void *blocks[EVENTS];

SITE static void remember(int i)
{
	blocks[i] = malloc(1000);
	KEEP_FRAME();
}

SITE static void remember_later(int i)
{
	blocks[i] = malloc(70);
	KEEP_FRAME();
}

static const int allowed[] = {
	SYS_read, SYS_write, SYS_brk, SYS_mmap, SYS_munmap, SYS_exit_group, SYS_rt_sigreturn,
	SYS_mprotect, SYS_prctl,
};

static const int forbidden[] = {
	SYS_pwrite64, SYS_lseek, SYS_fcntl, SYS_ftruncate, SYS_rt_sigprocmask, SYS_madvise,
	SYS_gettid, SYS_getpid, SYS_getdents64,
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* One action for the system calls of the list, another for all others. */
static int install(const int *list, size_t n, unsigned int listed, unsigned int other, bool calls)
{
	struct sock_filter filter[LIST_MAX + 3];
	struct sock_fprog program = {(unsigned short)(n + 3), filter};
	size_t i;

	filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (i = 0; i < n; i++)
		filter[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			(unsigned int)list[i], (unsigned char)(n - i), 0);
	filter[n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, other);
	filter[n + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, listed);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	if (calls)
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int confine(const char *how)
{
	unsigned int deny = strcmp(how, "errno") ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | 1;

	if (!strcmp(how, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (!strcmp(how, "probe"))
		return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL);
	if (!strcmp(how, "exec"))
		return install(forbidden, COUNT(forbidden), SECCOMP_RET_KILL_PROCESS,
			       SECCOMP_RET_ALLOW, false);
	return install(allowed, COUNT(allowed), SECCOMP_RET_ALLOW, deny, !strcmp(how, "call"));
}

static void work(void (*allocate)(int), bool maps)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		void *map;

		seep_event_begin(i);
		allocate(i);
		seep_stamp("allocated");
		seep_count("blocks", 1);
		if (maps) {
			map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			munmap(map, 4096);
		}
		seep_event_end();
	}
}

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(4);
}

int main(int argc, char **argv)
{
	bool strict, exec;
	void *grown;

	if (argc != 2)
		return 2;
	strict = !strcmp(argv[1], "strict");
	exec = !strcmp(argv[1], "exec");
	if (!strcmp(argv[1], "again")) {
		work(remember_later, true);
		say("again\n");
		return 0;
	}
	grown = malloc(400000); /* so that a strict sandbox needs no more from the system */
	free(grown);
	work(remember, true);
	if (confine(argv[1]))
		return 3;
	if (exec) {
		execl("/proc/self/exe", "sandbox", "again", (char *)NULL);
		return 5;
	}
	work(remember_later, !strict);
	say("truth site remember blocks 200 bytes 200000\n");
	if (strict)
		syscall(SYS_exit, 0);
	return 0;
}
