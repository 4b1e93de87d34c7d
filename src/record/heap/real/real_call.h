/* SPDX-License-Identifier: MIT */
/*
 * The calls of the C library that may begin events, as the program would have made them without us.
 * Known once seep_real_ready() is true.
 *
 * With _FORTIFY_SOURCE, programs call variants that know the size of the buffer.  getline() is
 * often __getdelim(), by an inline function.
 */
#ifndef SEEP_RECORD_HEAP_REAL_REAL_CALL_H
#define SEEP_RECORD_HEAP_REAL_REAL_CALL_H

#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room);
ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t room, int flags,
		       __SOCKADDR_ARG from, socklen_t *from_bytes);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t room);
char *__fgets_chk(char *text, size_t room, int bytes, FILE *stream);
char *__fgets_unlocked_chk(char *text, size_t room, int bytes, FILE *stream);
ssize_t __getdelim(char **line, size_t *room, int end, FILE *stream);

#define SEEP_REAL_CALLS(CALL)                                                                \
	CALL(accept) CALL(accept4) CALL(read) CALL(__read_chk) CALL(readv)                   \
	CALL(recv) CALL(__recv_chk) CALL(recvfrom) CALL(__recvfrom_chk) CALL(recvmsg)        \
	CALL(recvmmsg) CALL(poll) CALL(__poll_chk) CALL(ppoll) CALL(__ppoll_chk)             \
	CALL(select) CALL(pselect) CALL(epoll_wait) CALL(epoll_pwait) CALL(epoll_pwait2)     \
	CALL(write) CALL(writev) CALL(send) CALL(sendto) CALL(sendmsg)                       \
	CALL(fgets) CALL(__fgets_chk) CALL(fgets_unlocked) CALL(__fgets_unlocked_chk)        \
	CALL(getline) CALL(getdelim) CALL(__getdelim) CALL(sem_wait) CALL(sem_timedwait)     \
	CALL(pthread_cond_wait) CALL(pthread_cond_timedwait) CALL(pthread_cond_clockwait)    \
	CALL(mq_receive) CALL(mq_timedreceive)

#define SEEP_REAL_CALL_(name) __typeof__(name) *name;

struct seep_real_call {
	SEEP_REAL_CALLS(SEEP_REAL_CALL_)
};

#undef SEEP_REAL_CALL_

extern struct seep_real_call seep_real_call;

void seep_real_call_look_up(void);

#endif
