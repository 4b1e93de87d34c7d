/* SPDX-License-Identifier: MIT */
/*
 * sandbox HOW: works, forbids itself most system calls, and works on.  HOW: kill, errno and strict,
 * by prctl; call, as kill by seccomp(2); probe, only asks whether it could; exec, runs itself again
 * under a filter that allows what a program does at its start, and not what a tracker does; fork,
 * starts a child that works as well; born and vfork, has a child that forbids itself system calls,
 * by fork and vfork; unload, unloads a library, so that nothing known about loaded objects holds;
 * fast, with more records at once than fit into any buffer; threads, four of which work while one
 * installs a filter for all; fill, with new sites until the tracker's memory is used up; jump,
 * leaves signal handlers by siglongjmp all the time; wait, stays until it is killed.
 */
#define _GNU_SOURCE
#include "truth.h"
#include "seep.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS 200
#define LIST_MAX 20
#define JUMPS 200000

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

SITE static void remember_threaded(void)
{
	void *volatile block = malloc(24);

	(void)block;
	KEEP_FRAME();
}

SITE static void *branch_too(unsigned int bits, int depth);

static const int allowed[] = {
	SYS_read, SYS_write, SYS_brk, SYS_mmap, SYS_munmap, SYS_exit_group, SYS_rt_sigreturn,
	SYS_mprotect, SYS_prctl, SYS_mremap,
};

static const int forbidden[] = {
	SYS_pwrite64, SYS_lseek, SYS_fcntl, SYS_ftruncate, SYS_rt_sigprocmask, SYS_madvise,
	SYS_gettid, SYS_getpid, SYS_getdents64, SYS_readlink, SYS_getcwd,
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* One action for the system calls of the list, another for all others. */
static int install(const int *list, size_t n, unsigned int listed, unsigned int other, int flags)
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
	if (flags >= 0)
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int confine(const char *how)
{
	unsigned int deny = strcmp(how, "errno") ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | 1;
	int flags = -1; /* by prctl */

	if (!strcmp(how, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (!strcmp(how, "probe"))
		return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL);
	if (!strcmp(how, "threads"))
		flags = SECCOMP_FILTER_FLAG_TSYNC;
	if (!strcmp(how, "call"))
		flags = 0;
	if (!strcmp(how, "exec") || !strcmp(how, "fork") || !strcmp(how, "jump") ||
	    !strcmp(how, "wait") || !strcmp(how, "unload") || !strcmp(how, "born") ||
	    !strcmp(how, "vfork"))
		return install(forbidden, COUNT(forbidden), SECCOMP_RET_KILL_PROCESS,
			       SECCOMP_RET_ALLOW, flags);
	return install(allowed, COUNT(allowed), SECCOMP_RET_ALLOW, deny, flags);
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

#define THREADS 4
#define THREAD_BLOCKS 20000

static _Atomic int started, confined, ended;

/* In a thread: allocates before, during and after the installation. */
static void *allocate(void *unused)
{
	int i;

	for (i = 0; i < THREAD_BLOCKS; i++) {
		remember_threaded();
		if (i % 2)
			seep_count("pairs", 1);
		if (i == THREAD_BLOCKS / 4)
			started++;
		while (i == THREAD_BLOCKS / 2 && !confined)
			;
	}
	ended++;
	for (;;) /* the end of a thread takes system calls of the C library */
		;
	return unused;
}

static int work_in_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, allocate, NULL))
			return 6;
	while (started < THREADS) /* what the C library needs at the start of a thread is over */
		;
	if (confine("threads"))
		return 3;
	confined = 1;
	while (ended < THREADS)
		;
	say("truth site remember_threaded blocks 80000 bytes 1920000\n");
	return 0;
}

#define FAST_EVENTS 300000 /* some 50 MB of records if none is left out */

static void work_fast(void)
{
	int i;

	for (i = 0; i < FAST_EVENTS; i++) {
		seep_event_begin(i);
		seep_stamp("fast");
		seep_count("fast", 1);
		seep_event_end();
	}
	seep_event_begin(i);
	remember_later(0);
	seep_event_end();
	say("truth site remember_later blocks 1 bytes 70\n");
}

/* As many stacks as there are numbers of this many bits. */
SITE static void *branch(unsigned int bits, int depth)
{
	void *block;

	if (!depth)
		block = malloc(8);
	else if (bits & 1)
		block = branch(bits >> 1, depth - 1);
	else
		block = branch_too(bits >> 1, depth - 1);
	KEEP_FRAME();
	return block;
}

SITE static void *branch_too(unsigned int bits, int depth)
{
	void *block = depth ? branch(bits, depth) : malloc(8);

	KEEP_FRAME();
	return block;
}

#define FAR_BLOCKS 8000 /* which the tracker's tables have to cover */
#define FAR_BYTES 60000

static void fill(void)
{
	unsigned int i;

	for (i = 0; i < 1u << 20; i++) {
		if (i % 1024 == 0)
			seep_event_begin(i);
		if (!branch(i, 20))
			_exit(7);
	}
	for (i = 0; i < FAR_BLOCKS; i++) {
		seep_event_begin((1 << 20) + i);
		blocks[i % EVENTS] = malloc(FAR_BYTES); /* there may be none left */
	}
	say("filled\n");
}

static sigjmp_buf place;

static void jump(int number)
{
	siglongjmp(place, number);
}

/*
 * Handlers leave at any point of the tracker's work.  The C library's is not interrupted: nothing
 * is allocated.  The timer is made before the filter is there.
 */
static int be_interrupted(void)
{
	static volatile int is_confined, n;
	struct sigaction action = {.sa_handler = jump, .sa_flags = SA_NODEFER};
	struct itimerval often = {{0, 300}, {0, 300}};

	if (!sigsetjmp(place, 0)) {
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	if (!is_confined && confine("jump"))
		return 3;
	is_confined = 1;
	while (n++ < JUMPS) {
		seep_event_begin(n);
		seep_count("jumps", 1);
	}
	say("jumped\n");
	_exit(0);
}

static int have_child(void)
{
	pid_t child = fork();
	int status = -1;

	work(remember_later, true);
	if (!child) {
		fill();
		_exit(8);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 8 << 8)
		return 9;
	return 0;
}

/* The filter is only for the child. */
static int have_confined_child(void)
{
	pid_t child = fork();
	int status = -1;

	if (!child) {
		if (confine("born"))
			_exit(3);
		work(remember_later, true);
		_exit(8);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 8 << 8)
		return 9;
	work(remember_later, true);
	say("truth site remember_later blocks 200 bytes 14000\n");
	return 0;
}

/* It has the memory of its parent until it runs another program, which says that it has no HOW. */
static int have_confined_guest(void)
{
	pid_t child = vfork();
	int status = -1;

	if (!child) {
		if (!confine("vfork"))
			execl("/proc/self/exe", "sandbox", (char *)NULL);
		_exit(3);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 2 << 8)
		return 9;
	work(remember_later, true);
	say("truth site remember_later blocks 200 bytes 14000\n");
	return 0;
}

/* What is different in some of them, after the filter is there. */
static int work_on(const char *how)
{
	if (!strcmp(how, "fork"))
		return have_child();
	if (!strcmp(how, "fast")) {
		work_fast();
		return 0;
	}
	if (!strcmp(how, "fill")) {
		fill();
		return 0;
	}
	work(remember_later, strcmp(how, "strict") != 0);
	say("truth site remember_later blocks 200 bytes 14000\n");
	while (!strcmp(how, "wait"))
		;
	return 0;
}

int main(int argc, char **argv)
{
	void *grown, *library;
	int status;

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "again")) {
		work(remember_later, true);
		say("again\n");
		return 0;
	}
	grown = malloc(400000); /* so that a strict sandbox needs no more from the system */
	free(grown);
	work(remember, true);
	say("truth site remember blocks 200 bytes 200000\n");
	if (!strcmp(argv[1], "threads"))
		return work_in_threads();
	if (!strcmp(argv[1], "jump"))
		return be_interrupted();
	if (!strcmp(argv[1], "born"))
		return have_confined_child();
	if (!strcmp(argv[1], "vfork"))
		return have_confined_guest();
	library = dlopen("libanl.so.1", RTLD_NOW);
	if (confine(argv[1]))
		return 3;
	if (!strcmp(argv[1], "unload") && (!library || dlclose(library)))
		return 10;
	if (!strcmp(argv[1], "exec")) {
		execl("/proc/self/exe", "sandbox", "again", (char *)NULL);
		return 5;
	}
	status = work_on(argv[1]);
	if (!strcmp(argv[1], "strict"))
		syscall(SYS_exit, 0);
	return status;
}
