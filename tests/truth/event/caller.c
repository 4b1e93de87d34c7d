/* SPDX-License-Identifier: MIT */
/*
 * Waits for work by one call of the C library, again and again, and keeps 100 bytes each time.
 *
 *	caller CALL TURNS [MS [fork]]
 *
 * Each turn has one successful CALL and, where that is possible, one before it that fails or
 * finds nothing.  MS: the length of a turn.  With fork, the turns are those of a child.  Before all
 * turns, a thread is cancelled in read.  Ends with 3 if a call does not behave as it should, or
 * touches errno, and with 77 if there are no message queues here.
 */
#define _GNU_SOURCE
#include "truth.h"

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LETTERS 8

static int in, out;              /* a pair of sockets */
static volatile size_t letters = LETTERS; /* not known when this is compiled */
static char text[64];
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool woken;

static void demand(bool holds)
{
	if (!holds)
		_exit(3);
}

/* By a system call: only the call under test may count. */
static void feed(void)
{
	demand(syscall(SYS_write, out, "1234567\n", LETTERS) == LETTERS);
}

static void drain(void)
{
	demand(syscall(SYS_read, in, text, LETTERS) == LETTERS);
}

static struct msghdr *message(void)
{
	static struct iovec part = {text, LETTERS};
	static struct msghdr one = {.msg_iov = &part, .msg_iovlen = 1};

	return &one;
}

static void open_pair(void)
{
	int pair[2];

	demand(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair));
	in = pair[0];
	out = pair[1];
}

/* --- calls that receive: the first one finds nothing */

#define RECEIVES(name, call)                             \
	static void try_##name(void)                     \
	{                                                \
		demand((call) == -1 && errno == EAGAIN); \
		feed();                                  \
		errno = 12345;                           \
		demand((call) == LETTERS);               \
	}

static struct iovec *part(void)
{
	return message()->msg_iov;
}

RECEIVES(read, read(in, text, letters))
RECEIVES(readv, readv(in, part(), 1))
RECEIVES(recv, recv(in, text, letters, 0))
RECEIVES(recvfrom, recvfrom(in, text, letters, 0, NULL, NULL))
RECEIVES(recvmsg, recvmsg(in, message(), 0))

static void try_recvmmsg(void)
{
	struct mmsghdr messages[1] = {{.msg_hdr = *message()}};

	demand(recvmmsg(in, messages, 1, 0, NULL) == -1 && errno == EAGAIN);
	feed();
	errno = 12345;
	demand(recvmmsg(in, messages, 1, 0, NULL) == 1 && messages[0].msg_len == LETTERS);
}

/* --- calls that send: the first one goes nowhere */

#define SENDS(name, call)                       \
	static void try_##name(void)            \
	{                                       \
		int there = out;                \
		out = -1;                       \
		demand((call) == -1);           \
		out = there;                    \
		errno = 12345;                  \
		demand((call) == LETTERS);      \
		drain();                        \
	}

SENDS(write, write(out, text, letters))
SENDS(writev, writev(out, part(), 1))
SENDS(send, send(out, text, letters, 0))
SENDS(sendto, sendto(out, text, letters, 0, NULL, 0))
SENDS(sendmsg, sendmsg(out, message(), 0))

/* --- calls that wait for several: the first one finds nothing */

#define WAITS(name, call)                 \
	static void try_##name(void)      \
	{                                 \
		demand((call) == 0);      \
		feed();                   \
		errno = 12345;            \
		demand((call) == 1);      \
		drain();                  \
	}

static const struct timespec at_once;

static struct pollfd *one_fd(void)
{
	static struct pollfd fd;

	fd = (struct pollfd){.fd = in, .events = POLLIN};
	return &fd;
}

static fd_set *one_of_set(void)
{
	static fd_set set;

	FD_ZERO(&set);
	FD_SET(in, &set);
	return &set;
}

static int select_once(void)
{
	struct timeval none = {0};

	return select(in + 1, one_of_set(), NULL, NULL, &none);
}

static int epoll_fd(void)
{
	static int fd;
	struct epoll_event event = {.events = EPOLLIN};

	if (!fd) {
		fd = epoll_create1(0);
		demand(fd > 0 && !epoll_ctl(fd, EPOLL_CTL_ADD, in, &event));
	}
	return fd;
}

static struct epoll_event found[4];

WAITS(poll, poll(one_fd(), (nfds_t)(letters / LETTERS), 0))
WAITS(ppoll, ppoll(one_fd(), (nfds_t)(letters / LETTERS), &at_once, NULL))
WAITS(select, select_once())
WAITS(pselect, pselect(in + 1, one_of_set(), NULL, NULL, &at_once, NULL))
WAITS(epoll_wait, epoll_wait(epoll_fd(), found, 4, 0))
WAITS(epoll_pwait, epoll_pwait(epoll_fd(), found, 4, 0, NULL))
WAITS(epoll_pwait2, epoll_pwait2(epoll_fd(), found, 4, &at_once, NULL))

/* --- connections */

static int listener(void)
{
	static int fd;
	static struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t bytes = sizeof(address);

	if (!fd) { /* with a name that the system makes up */
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		demand(fd > 0 && !bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) &&
		       !listen(fd, 4));
	}
	demand(!getsockname(fd, (struct sockaddr *)&address, &bytes));
	out = socket(AF_UNIX, SOCK_STREAM, 0);
	demand(out > 0);
	return fd;
}

static void connect_to(int fd)
{
	struct sockaddr_un address;
	socklen_t bytes = sizeof(address);

	demand(!getsockname(fd, (struct sockaddr *)&address, &bytes));
	demand(!connect(out, (struct sockaddr *)&address, bytes));
}

#define ACCEPTS(name, call)                              \
	static void try_##name(void)                     \
	{                                                \
		int fd = listener(), new;                \
		demand((call) == -1 && errno == EAGAIN); \
		connect_to(fd);                          \
		errno = 12345;                           \
		new = (call);                            \
		demand(new > 0);                         \
		close(new);                              \
		close(out);                              \
		errno = 12345;                           \
	}

ACCEPTS(accept, accept(fd, NULL, NULL))
ACCEPTS(accept4, accept4(fd, NULL, NULL, SOCK_CLOEXEC))

/* --- lines */

static FILE *lines(void)
{
	static FILE *file;

	if (!file)
		file = tmpfile();
	demand(file && !fseek(file, 0, SEEK_SET) && fputs("line\n", file) >= 0 &&
	       !fseek(file, 0, SEEK_SET));
	errno = 12345;
	return file;
}

static void try_fgets(void)
{
	demand(fgets(text, (int)(letters * 2), lines()) && !strcmp(text, "line\n"));
}

static void try_getline(void)
{
	static char *line;
	static size_t room;

	demand(getline(&line, &room, lines()) == 5);
}

/* --- threads */

static const struct timespec long_ago = {1, 0}, far_off = {4000000000, 0};

static void try_sem_wait(void)
{
	sem_post(&semaphore);
	errno = 12345;
	demand(!sem_wait(&semaphore));
}

static void try_sem_timedwait(void)
{
	demand(sem_timedwait(&semaphore, &long_ago) == -1 && errno == ETIMEDOUT);
	sem_post(&semaphore);
	errno = 12345;
	demand(!sem_timedwait(&semaphore, &far_off));
}

static void *wake(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	woken = true;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void wait_woken(int (*wait_once)(void))
{
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	woken = false;
	demand(!pthread_create(&thread, NULL, wake, NULL));
	errno = 12345;
	while (!woken)
		demand(!wait_once());
	pthread_mutex_unlock(&mutex);
	demand(errno == 12345);
	pthread_join(thread, NULL);
	errno = 12345;
}

static int cond_wait(void)
{
	return pthread_cond_wait(&condition, &mutex);
}

static int cond_timedwait(void)
{
	return pthread_cond_timedwait(&condition, &mutex, &far_off);
}

static int cond_clockwait(void)
{
	return pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &far_off);
}

static void try_pthread_cond_wait(void)
{
	wait_woken(cond_wait);
}

static void try_pthread_cond_timedwait(void)
{
	pthread_mutex_lock(&mutex);
	demand(pthread_cond_timedwait(&condition, &mutex, &long_ago) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	wait_woken(cond_timedwait);
}

static void try_pthread_cond_clockwait(void)
{
	pthread_mutex_lock(&mutex);
	demand(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &at_once) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	wait_woken(cond_clockwait);
}

/* --- message queues */

static mqd_t queue(void)
{
	static mqd_t fd;
	struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = LETTERS};
	char name[64];

	if (fd)
		return fd;
	snprintf(name, sizeof(name), "/seep-caller-%d", (int)getpid());
	fd = mq_open(name, O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attributes);
	if (fd == (mqd_t)-1)
		_exit(77); /* not here */
	mq_unlink(name);
	return fd;
}

#define QUEUES(name, call)                                   \
	static void try_##name(void)                         \
	{                                                    \
		demand((call) == -1);                        \
		demand(!mq_send(queue(), text, LETTERS, 0)); \
		errno = 12345;                               \
		demand((call) == LETTERS);                   \
	}

QUEUES(mq_receive, mq_receive(queue(), text, LETTERS, NULL))
QUEUES(mq_timedreceive, mq_timedreceive(queue(), text, LETTERS, NULL, &long_ago))

#define TRY(name) { #name, try_##name }

static const struct {
	const char *name;
	void (*turn)(void);
} calls[] = {
	TRY(accept), TRY(accept4), TRY(read), TRY(readv), TRY(recv), TRY(recvfrom), TRY(recvmsg),
	TRY(recvmmsg), TRY(poll), TRY(ppoll), TRY(select), TRY(pselect), TRY(epoll_wait),
	TRY(epoll_pwait), TRY(epoll_pwait2), TRY(write), TRY(writev), TRY(send), TRY(sendto),
	TRY(sendmsg), TRY(fgets), TRY(getline), TRY(sem_wait), TRY(sem_timedwait),
	TRY(pthread_cond_wait), TRY(pthread_cond_timedwait), TRY(pthread_cond_clockwait),
	TRY(mq_receive), TRY(mq_timedreceive),
};

SITE static void keep(void)
{
	char *block = malloc(100);

	*(volatile char *)block = 1;
	KEEP_FRAME();
}

/* A thread that waits in a call can be cancelled there. */
static void *wait_for_ever(void *unused)
{
	int pair[2];

	(void)unused;
	demand(!pipe(pair));
	for (;;)
		demand(read(pair[0], text, 1) == 1);
	return NULL;
}

static void cancel_one(void)
{
	pthread_t thread;
	void *result;

	demand(!pthread_create(&thread, NULL, wait_for_ever, NULL) && !pthread_cancel(thread) &&
	       !pthread_join(thread, &result) && result == PTHREAD_CANCELED);
}

static void work(void (*turn)(void), int turns, long ms)
{
	struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

	for (int i = 0; i < turns; i++) {
		errno = 12345;
		turn();
		demand(errno == 12345);
		keep();
		if (ms)
			nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	size_t i = 0, n = sizeof(calls) / sizeof(calls[0]);
	int status = 0;
	pid_t child = 0;

	if (argc < 3)
		return 2;
	while (i < n && strcmp(argv[1], calls[i].name))
		i++;
	if (i == n)
		return 2;
	open_pair();
	sem_init(&semaphore, 0, 0);
	cancel_one();
	if (argc > 4)
		child = fork();
	if (!child)
		work(calls[i].turn, atoi(argv[2]), argc > 3 ? atol(argv[3]) : 0);
	else
		demand(waitpid(child, &status, 0) == child && !status);
	return 0;
}
