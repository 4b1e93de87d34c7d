/* SPDX-License-Identifier: MIT */
/*
 * Calls of the C library that wait for work or hand on its result: see record/heap/counted.h.
 *
 * Only calls by name come here, not those inside the C library (fread, getchar), nor system calls
 * that the program makes itself.  They remain points of cancellation: a thread that is cancelled in
 * the real call, or whose signal handler leaves it by a jump, leaves nothing of ours behind.
 *
 * Functions that take a FILE allocate.  If they begin no events, they are jumped to, so that the
 * stack of such a block is that of the program.
 */
#undef _FORTIFY_SOURCE /* inline functions of the headers would take the names of ours */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#include "record/heap/real/real_call.h"
#include "record/heap/counted.h"
#include "record/heap/hook/hooks.h"
#include "record/heap/real/real.h"

#include <errno.h>
#include <stddef.h>

/* Before our constructor, a library may make calls in its own.  Some calls may not exist. */
#define IS_KNOWN(name) \
	(__builtin_expect(seep_real_call.name != NULL, 1) || \
	 (seep_real_ready() && seep_real_call.name))

static __attribute__((cold, noinline)) int refuse(void)
{
	errno = ENOSYS;
	return -1;
}

/* The call id is made as function name; fd: see seep_counted_note; its success is a comparison. */
#define CALL(id, name, fd, success, ...)                                     \
	do {                                                                 \
		__typeof__(seep_real_call.name(__VA_ARGS__)) result_;        \
		if (!IS_KNOWN(name))                                         \
			return refuse();                                     \
		result_ = seep_real_call.name(__VA_ARGS__);                  \
		seep_counted_note(SEEP_CALL_##id, result_ success, fd);       \
		return result_;                                              \
	} while (0)

/* The same for what returns the number of an error. */
#define WAIT(id, name, ...)                                                  \
	do {                                                                 \
		int result_;                                                 \
		if (!IS_KNOWN(name))                                         \
			return ENOSYS;                                       \
		result_ = seep_real_call.name(__VA_ARGS__);                  \
		seep_counted_note(SEEP_CALL_##id, result_ == 0, -1);          \
		return result_;                                              \
	} while (0)

HOOK __typeof__(accept) accept;
HOOK __typeof__(accept4) accept4;
HOOK __typeof__(read) read;
HOOK __typeof__(__read_chk) __read_chk;
HOOK __typeof__(readv) readv;
HOOK __typeof__(recv) recv;
HOOK __typeof__(__recv_chk) __recv_chk;
HOOK __typeof__(recvfrom) recvfrom;
HOOK __typeof__(__recvfrom_chk) __recvfrom_chk;
HOOK __typeof__(recvmsg) recvmsg;
HOOK __typeof__(recvmmsg) recvmmsg;
HOOK __typeof__(poll) poll;
HOOK __typeof__(__poll_chk) __poll_chk;
HOOK __typeof__(ppoll) ppoll;
HOOK __typeof__(__ppoll_chk) __ppoll_chk;
HOOK __typeof__(select) select;
HOOK __typeof__(pselect) pselect;
HOOK __typeof__(epoll_wait) epoll_wait;
HOOK __typeof__(epoll_pwait) epoll_pwait;
HOOK __typeof__(epoll_pwait2) epoll_pwait2;
HOOK __typeof__(write) write;
HOOK __typeof__(writev) writev;
HOOK __typeof__(send) send;
HOOK __typeof__(sendto) sendto;
HOOK __typeof__(sendmsg) sendmsg;
HOOK __typeof__(sem_wait) sem_wait;
HOOK __typeof__(sem_timedwait) sem_timedwait;
HOOK __typeof__(pthread_cond_wait) pthread_cond_wait;
HOOK __typeof__(pthread_cond_timedwait) pthread_cond_timedwait;
HOOK __typeof__(pthread_cond_clockwait) pthread_cond_clockwait;
HOOK __typeof__(mq_receive) mq_receive;
HOOK __typeof__(mq_timedreceive) mq_timedreceive;
HOOK __typeof__(fgets) fgets;
HOOK __typeof__(__fgets_chk) __fgets_chk;
HOOK __typeof__(fgets_unlocked) fgets_unlocked;
HOOK __typeof__(__fgets_unlocked_chk) __fgets_unlocked_chk;
HOOK __typeof__(getline) getline;
HOOK __typeof__(getdelim) getdelim;
HOOK __typeof__(__getdelim) __getdelim;

int accept(int fd, __SOCKADDR_ARG from, socklen_t *from_bytes)
{
	CALL(ACCEPT, accept, fd, >= 0, fd, from, from_bytes);
}

int accept4(int fd, __SOCKADDR_ARG from, socklen_t *from_bytes, int flags)
{
	CALL(ACCEPT4, accept4, fd, >= 0, fd, from, from_bytes, flags);
}

ssize_t read(int fd, void *buffer, size_t bytes)
{
	CALL(READ, read, fd, > 0, fd, buffer, bytes);
}

ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room)
{
	CALL(READ, __read_chk, fd, > 0, fd, buffer, bytes, room);
}

ssize_t readv(int fd, const struct iovec *parts, int n)
{
	CALL(READV, readv, fd, > 0, fd, parts, n);
}

ssize_t recv(int fd, void *buffer, size_t bytes, int flags)
{
	CALL(RECV, recv, fd, > 0, fd, buffer, bytes, flags);
}

ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags)
{
	CALL(RECV, __recv_chk, fd, > 0, fd, buffer, bytes, room, flags);
}

ssize_t recvfrom(int fd, void *buffer, size_t bytes, int flags, __SOCKADDR_ARG from,
		 socklen_t *from_bytes)
{
	CALL(RECVFROM, recvfrom, fd, > 0, fd, buffer, bytes, flags, from, from_bytes);
}

ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t room, int flags,
		       __SOCKADDR_ARG from, socklen_t *from_bytes)
{
	CALL(RECVFROM, __recvfrom_chk, fd, > 0, fd, buffer, bytes, room, flags, from, from_bytes);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	CALL(RECVMSG, recvmsg, fd, > 0, fd, message, flags);
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned int n, int flags, struct timespec *timeout)
{
	CALL(RECVMMSG, recvmmsg, fd, > 0, fd, messages, n, flags, timeout);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	CALL(POLL, poll, -1, > 0, fds, n, timeout);
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	CALL(POLL, __poll_chk, -1, > 0, fds, n, timeout, room);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	CALL(PPOLL, ppoll, -1, > 0, fds, n, timeout, mask);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t room)
{
	CALL(PPOLL, __ppoll_chk, -1, > 0, fds, n, timeout, mask, room);
}

int select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
	CALL(SELECT, select, -1, > 0, n, in, out, other, timeout);
}

int pselect(int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout,
	    const sigset_t *mask)
{
	CALL(PSELECT, pselect, -1, > 0, n, in, out, other, timeout, mask);
}

int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	CALL(EPOLL_WAIT, epoll_wait, fd, > 0, fd, events, n, timeout);
}

int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout, const sigset_t *mask)
{
	CALL(EPOLL_PWAIT, epoll_pwait, fd, > 0, fd, events, n, timeout, mask);
}

int epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *timeout,
		 const sigset_t *mask)
{
	CALL(EPOLL_PWAIT2, epoll_pwait2, fd, > 0, fd, events, n, timeout, mask);
}

ssize_t write(int fd, const void *buffer, size_t bytes)
{
	CALL(WRITE, write, fd, > 0, fd, buffer, bytes);
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
	CALL(WRITEV, writev, fd, > 0, fd, parts, n);
}

ssize_t send(int fd, const void *buffer, size_t bytes, int flags)
{
	CALL(SEND, send, fd, > 0, fd, buffer, bytes, flags);
}

ssize_t sendto(int fd, const void *buffer, size_t bytes, int flags, __CONST_SOCKADDR_ARG to,
	       socklen_t to_bytes)
{
	CALL(SENDTO, sendto, fd, > 0, fd, buffer, bytes, flags, to, to_bytes);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	CALL(SENDMSG, sendmsg, fd, > 0, fd, message, flags);
}

int sem_wait(sem_t *semaphore)
{
	CALL(SEM_WAIT, sem_wait, -1, == 0, semaphore);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
	CALL(SEM_TIMEDWAIT, sem_timedwait, -1, == 0, semaphore, until);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	WAIT(COND_WAIT, pthread_cond_wait, condition, mutex);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
			   const struct timespec *until)
{
	WAIT(COND_TIMEDWAIT, pthread_cond_timedwait, condition, mutex, until);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
			   const struct timespec *until)
{
	WAIT(COND_CLOCKWAIT, pthread_cond_clockwait, condition, mutex, clock, until);
}

ssize_t mq_receive(mqd_t queue, char *message, size_t room, unsigned int *priority)
{
	CALL(MQ_RECEIVE, mq_receive, queue, >= 0, queue, message, room, priority);
}

ssize_t mq_timedreceive(mqd_t queue, char *message, size_t room, unsigned int *priority,
			const struct timespec *until)
{
	CALL(MQ_TIMEDRECEIVE, mq_timedreceive, queue, >= 0, queue, message, room, priority, until);
}

/* Jumps to the real function if the call begins no events. */
#define LINE(id, name, none, success, ...)                                   \
	do {                                                                 \
		__typeof__(seep_real_call.name(__VA_ARGS__)) result_;        \
		if (!IS_KNOWN(name))                                         \
			return refuse() ? none : none;                       \
		if (!seep_counted_is_chosen(SEEP_CALL_##id)) {                 \
			seep_counted_note(SEEP_CALL_##id, true, -1);          \
			return seep_real_call.name(__VA_ARGS__);             \
		}                                                            \
		result_ = seep_real_call.name(__VA_ARGS__);                  \
		seep_counted_note(SEEP_CALL_##id, result_ success, -1);       \
		return result_;                                              \
	} while (0)

char *fgets(char *text, int bytes, FILE *stream)
{
	LINE(FGETS, fgets, NULL, != NULL, text, bytes, stream);
}

char *__fgets_chk(char *text, size_t room, int bytes, FILE *stream)
{
	LINE(FGETS, __fgets_chk, NULL, != NULL, text, room, bytes, stream);
}

char *fgets_unlocked(char *text, int bytes, FILE *stream)
{
	LINE(FGETS, fgets_unlocked, NULL, != NULL, text, bytes, stream);
}

char *__fgets_unlocked_chk(char *text, size_t room, int bytes, FILE *stream)
{
	LINE(FGETS, __fgets_unlocked_chk, NULL, != NULL, text, room, bytes, stream);
}

ssize_t getline(char **line, size_t *room, FILE *stream)
{
	LINE(GETLINE, getline, -1, > 0, line, room, stream);
}

ssize_t getdelim(char **line, size_t *room, int end, FILE *stream)
{
	LINE(GETLINE, getdelim, -1, > 0, line, room, end, stream);
}

ssize_t __getdelim(char **line, size_t *room, int end, FILE *stream)
{
	LINE(GETLINE, __getdelim, -1, > 0, line, room, end, stream);
}
