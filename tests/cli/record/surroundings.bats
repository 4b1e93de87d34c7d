#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that are hard on a tracker run as they do without it.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

track() {
	timeout 600 "$SEEP_BUILD/bin/seep" run -q -o t.seep -- "$@"
}

@test "a forked child with threads of its own has a trace that is right to the block" {
	track "$SEEP_BUILD/tests/truth/forked_threads" > truth.txt
	child=$(ls t.seep.*)
	"$SEEP_BUILD/bin/seep" report --json --all --at-event end "$child" > report.json
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json truth.txt
}

@test "a signal handler may end the program inside the recorder" {
	for _ in 1 2 3 4 5; do
		rm -f t.seep
		status=0
		track "$SEEP_BUILD/tests/truth/handler_exit" || status=$?
		[ "$status" -eq 7 ]
	done
}

@test "errno is kept when threads meet inside the tracker" {
	track "$SEEP_BUILD/tests/truth/errno_kept"
}

@test "a program with a malloc of its own is not called flat" {
	cat > own.c <<'C'
#include <stddef.h>
#include <string.h>
#include <unistd.h>
static char pool[64 << 20];
static size_t used;
void *malloc(size_t n)
{
	void *p = pool + used;
	used += (n + 31) & ~(size_t)15;
	return p;
}
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t m) { return memset(malloc(n * m), 0, n * m); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }
int main(void)
{
	for (int i = 0; i < 20; i++) {
		memset(malloc(50000), 1, 50000);
		usleep(20000);
	}
	return 0;
}
C
	gcc -O1 -fno-builtin -o own own.c
	track ./own
	"$SEEP_BUILD/bin/seep" report --json t.seep > report.json
	[ "$(jq -r .verdict.series report.json)" = rss ]
	[ "$(jq -r .verdict.kind report.json)" != leak ]
	jq -r '.run.notes[]?, .notes[]?' report.json | grep -q 'its own malloc'
}

@test "an allocator of the program's own may map memory while it starts" {
	cat > own.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *pool;
static size_t used;
void *malloc(size_t n)
{
	void *p;
	pthread_mutex_lock(&lock);
	if (!pool)
		pool = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p = pool + used;
	used += (n + 31) & ~(size_t)15;
	pthread_mutex_unlock(&lock);
	return p;
}
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t m) { return memset(malloc(n * m), 0, n * m); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }
void early(void);
int main(void) { early(); puts("done"); return 0; }
C
	# A library whose constructor allocates before any other.
	cat > early.c <<'C'
#include <stdlib.h>
static void *volatile kept;
__attribute__((constructor)) static void start(void) { kept = malloc(100); }
void early(void) { }
C
	gcc -O1 -shared -fPIC -o libearly.so early.c
	gcc -O1 -fno-builtin -o own own.c -L. -learly -Wl,-rpath,"$PWD"
	run timeout 60 "$SEEP_BUILD/bin/seep" run -q -o t.seep -- ./own
	[ "$status" -eq 0 ]
	[ "$output" = "done" ]
}

@test "a program that exits without the C library is judged" {
	cat > raw.c <<'C'
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *volatile kept;
int main(void)
{
	for (int i = 0; i < 1500; i++) {
		kept = malloc(5000);
		usleep(1000);
	}
	syscall(SYS_exit_group, 3);
}
C
	gcc -O1 -o raw raw.c
	run track ./raw
	[ "$status" -eq 3 ]
	run "$SEEP_BUILD/bin/seep" check --budget 0 t.seep
	[ "$status" -eq 1 ]
	"$SEEP_BUILD/bin/seep" report t.seep | grep -q 'it exited by a direct system call'
}

@test "a script's programs are named as not tracked" {
	printf '#!/bin/sh\n/bin/true\n/bin/true\n' > job
	chmod +x job
	track ./job
	"$SEEP_BUILD/bin/seep" report --json t.seep |
		jq -r '.run.notes[]?, .notes[]?' |
		grep -q '2 other programs were started and not tracked (true'
}

@test "a program that is not position independent has no malloc of its own" {
	cat > fixed.c <<'C'
#include <stdlib.h>
#include <unistd.h>
void *(*volatile allocate)(size_t) = malloc;
static void *kept[20];
int main(void)
{
	for (int i = 0; i < 20; i++) {
		kept[i] = allocate(5000);
		usleep(20000);
	}
	return kept[0] == NULL;
}
C
	gcc -O1 -fno-pie -no-pie -fno-builtin -o fixed fixed.c
	track ./fixed
	"$SEEP_BUILD/bin/seep" report --json --all t.seep > report.json
	[ "$(jq '[.sites[].live_objects] | add' report.json)" = 20 ]
}

@test "a leak in Python is found, and sited in the interpreter" {
	track /usr/bin/python3 "$SEEP_SOURCE/examples/leak.py" > out.txt
	"$SEEP_BUILD/bin/seep" report --json t.seep > report.json
	[ "$(jq -r .verdict.kind report.json)" = leak ]
	[ "$(jq -r .verdict.series report.json)" = heap ]
}

@test "a program with libseep inside hands its events to the tracker" {
	cat > inside.c <<'C'
#include <seep.h>
#include <stdlib.h>
static void *kept[50];
int main(void)
{
	for (int i = 0; i < 50; i++) {
		seep_event_begin(i);
		kept[i] = malloc(1000);
		seep_event_end();
	}
	return kept[0] == NULL;
}
C
	gcc -O1 -DSEEP_LINK -I"$SEEP_SOURCE/include" -o inside inside.c \
		"$SEEP_BUILD/lib/libseep.a" -pthread
	track ./inside
	"$SEEP_BUILD/bin/seep" report --json t.seep > report.json
	[ "$(jq -r .verdict.kind report.json)" = leak ]
	[ "$(jq .run.events report.json)" = 50 ]
	rm t.seep
	./inside
	"$SEEP_BUILD/bin/seep" report --json seep.inside.*.seep | jq -e '.run.events == 50'
}
