#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# seep run --event call:NAME: an event begins where a call of the C library returns with success.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	seep=$SEEP_BUILD/bin/seep
	caller=$SEEP_BUILD/tests/truth/caller
}

# field JQ: of the report on the last trace
field() {
	"$seep" report --json t.seep | jq -r "$1"
}

notes() {
	field '.run.notes | join("\n")'
}

# has_events N CALL: so many, by this source, each of which keeps 100 bytes
has_events() {
	echo "$2: $(field '[.run.events, .run.event_source, .run.event_text]' | tr -d '\n')"
	[ "$(field '.run.events')" -eq "$1" ]
	[ "$(field '.run.event_source')" = call ]
	[ "$(field '.run.event_text')" = "call:$2" ]
	[ "$(field '.verdict.kind')" = leak ]
	[ "$(field '.verdict.rate.bytes_per_event')" = 100 ]
	[ "$(field '.sites[0].stack[0].function')" = keep ]
}

# counts PROGRAM CALL...: each of these begins the events of a caller that waits in it
counts() {
	for call in "${@:2}"; do
		"$seep" run -q -f -o t.seep --event "call:$call" -- "$1" "$call" 120
		has_events 120 "$call"
	done
}

@test "reads, and connections" {
	counts "$caller" accept accept4 read readv recv recvfrom recvmsg recvmmsg
}

@test "waits for several descriptors: the event begins where the wait ends" {
	counts "$caller" poll ppoll select pselect epoll_wait epoll_pwait epoll_pwait2
}

@test "writes" {
	counts "$caller" write writev send sendto sendmsg
}

@test "lines" {
	counts "$caller" fgets getline
}

@test "semaphores and conditions" {
	counts "$caller" sem_wait sem_timedwait pthread_cond_wait pthread_cond_timedwait \
		pthread_cond_clockwait
}

@test "message queues" {
	local status=0
	"$caller" mq_receive 1 || status=$?
	[ "$status" -ne 77 ] || skip "the system has no message queues"
	counts "$caller" mq_receive mq_timedreceive
}

@test "what -D_FORTIFY_SOURCE makes of them" {
	gcc -g -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -I"$SEEP_SOURCE/tests/truth" -o fortified \
		"$SEEP_SOURCE/tests/truth/event/caller.c" -pthread
	nm -D fortified > symbols
	for symbol in __read_chk __recv_chk __recvfrom_chk __poll_chk __ppoll_chk __fgets_chk \
		__getdelim; do
		grep -q " $symbol" symbols || skip "this compiler does not call $symbol"
	done
	counts ./fortified read recv recvfrom poll ppoll fgets getline
}

@test "a buffer that is too small still ends a fortified program" {
	cat > smash.c <<-'END'
		#include <unistd.h>
		volatile size_t much = 64;
		int main(void) { char small[8]; return (int)read(0, small, much); }
	END
	gcc -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -o smash smash.c
	nm -D smash | grep -q __read_chk || skip "this compiler does not call __read_chk"
	run -134 "$seep" run -q -o t.seep --event call:read -- ./smash < /dev/null
}

@test "only one descriptor counts with :fd=" {
	cat > two.c <<-'END'
		#include <stdlib.h>
		#include <unistd.h>
		int main(void)
		{
			char letter;
			int pair[2];
			if (pipe(pair) || dup2(pair[0], 50) != 50 || dup2(pair[0], 51) != 51)
				return 3;
			for (int i = 0; i < 300; i++) {
				if (write(pair[1], "a", 1) != 1 ||
				    read(50 + i % 2, &letter, 1) != 1)
					return 3;
				*(volatile char *)malloc(100) = letter;
			}
			return 0;
		}
	END
	gcc -g -fno-builtin -o two two.c
	"$seep" run -q -o t.seep --event call:read:fd=51 -- ./two
	[ "$(field '.run.events')" -eq 150 ]
	[ "$(field '.run.event_text')" = call:read:fd=51 ]
	"$seep" run -q -f -o t.seep --event call:read:fd=7 -- ./two
	notes > said
	grep -q "read returned 300 times with success, but never for descriptor 7" said
}

@test "a child of fork has its own events" {
	"$seep" run -q -o t.seep --event call:recv -- "$caller" recv 120 0 fork
	[ "$(field .run.event_source)" != call ]
	notes | grep "no call of recv was seen in this program"
	mv t.seep.* t.seep
	has_events 120 recv
}

@test "a followed program has the same source" {
	"$seep" run -q -o t.seep --event call:recv --follow -- sh -c "$caller recv 120; :"
	mv t.seep.* t.seep
	has_events 120 recv
}

@test "the program's own marks are no events then" {
	cat > marks.c <<-'END'
		#include <seep.h>
		#include <poll.h>
		#include <stdlib.h>
		#include <unistd.h>
		int main(void)
		{
			int pair[2];
			if (pipe(pair) || write(pair[1], "a", 1) != 1)
				return 3;
			for (int i = 0; i < 120; i++) {
				struct pollfd fd = { pair[0], POLLIN, 0 };
				if (poll(&fd, 1, 0) != 1)
					return 3;
				for (int j = 0; j < 3; j++)
					seep_event_begin(j);
				*(volatile char *)malloc(100) = 1;
				seep_stamp("kept");
			}
			return 0;
		}
	END
	gcc -g -fno-builtin -I"$SEEP_SOURCE/include" -o marks marks.c
	"$seep" run -q -o t.seep --event call:poll -- ./marks
	[ "$(field .run.events)" -eq 120 ]
	[ "$(field .verdict.rate.bytes_per_event)" = 100 ]
}

@test "under a seccomp filter that allows only what the program does" {
	cat > confined.c <<-'END'
		#include <stdlib.h>
		#include <linux/seccomp.h>
		#include <sys/prctl.h>
		#include <unistd.h>
		#include <sys/syscall.h>
		int main(void)
		{
			for (int i = 0; i < 120; i++) {
				if (i == 40 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
					return 3;
				if (write(1, "a", 1) != 1)
					return 3;
				*(volatile char *)malloc(100) = 1;
			}
			syscall(SYS_exit, 0);
		}
	END
	gcc -g -fno-builtin -o confined confined.c
	"$seep" run -q -o t.seep --event call:write -- ./confined > out
	[ "$(wc -c < out)" -eq 120 ]
	[ "$(field .run.events)" -eq 120 ]
}

@test "a call that was never made: the report says which ones were" {
	run --separate-stderr "$seep" run -o t.seep --event call:accept -- "$caller" recv 120
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154 # bats sets it
	tr -s '\n ' ' ' <<< "$stderr" > said
	grep "no call of accept was seen in this program, so events are slices of time" said
	grep "it called recv 240 times" said
	[ "$(field .run.event_source)" != call ]
	[ "$(field .run.event_text)" = call:accept ]
}

@test "a call that never succeeded" {
	cat > fails.c <<-'END'
		#include <sys/socket.h>
		int main(void)
		{
			for (int i = 0; i < 5; i++)
				if (accept(-1, 0, 0) != -1)
					return 3;
			return 0;
		}
	END
	gcc -o fails fails.c
	"$seep" run -q -o t.seep --event call:accept -- ./fails
	notes | grep "accept was called 5 times and never returned with success"
	"$seep" run -q -f -o t.seep --event call:accept -- true
	notes | grep "no call of accept was seen in this program.* it made no call that could"
}

@test "the counts are there after a kill, too" {
	cat > killed.c <<-'END'
		#include <stdlib.h>
		#include <signal.h>
		#include <unistd.h>
		int main(void)
		{
			int pair[2];
			char letter;
			if (pipe(pair))
				return 3;
			for (int i = 0; i < 300; i++) {
				if (write(pair[1], "a", 1) != 1 || read(pair[0], &letter, 1) != 1)
					return 3;
				*(volatile char *)malloc(100) = letter;
				usleep(1000);
			}
			return raise(SIGKILL);
		}
	END
	gcc -fno-builtin -o killed killed.c
	run -137 "$seep" run -q -o t.seep --event call:accept -- ./killed
	notes | grep -E "it called (read|write) [1-9][0-9]* times and (read|write) [1-9]"
}

@test "what cannot begin events is refused" {
	run -125 "$seep" run --event call:fopen -- true
	[[ "$output" == *"call:fopen is not a call that seep can see; "* ]]
	[[ "$output" == *"it can see accept, "*"mq_receive"* ]]
	run -125 "$seep" run --event call:poll:fd=3 -- true
	[[ "$output" == *"poll does not take one descriptor; write call:poll"* ]]
	run -125 "$seep" run --event call:read:fd=x -- true
	[[ "$output" == *"write call:read:fd=0"* ]]
	run -125 "$seep" run --event call:read:3 -- true
	[[ "$output" == *"write call:read:fd=0"* ]]
	run -125 "$seep" run --event call: -- true
	[[ "$output" == *"names nothing after the colon"* ]]
	[ -z "$(ls)" ]
}

@test "a program that marks nothing: the call that recurs is proposed" {
	run --separate-stderr "$seep" run -f -o t.seep -- "$caller" epoll_wait 700 3
	proposed="next: for growth per return of epoll_wait (700 of them): $seep run --event "
	proposed+="call:epoll_wait -f -o t.seep -- $caller epoll_wait 700 3"
	[[ "$stderr" == *"$proposed"* ]]
	# Not if the user has chosen, nor if all calls were made at once.
	run --separate-stderr "$seep" run -f -o t.seep --event time:10ms -- "$caller" poll 700 1
	[[ "$stderr" != *"--event call:"* ]]
	cat > burst.c <<-'END'
		#include <fcntl.h>
		#include <stdlib.h>
		#include <unistd.h>
		int main(void)
		{
			char letter;
			int fd = open("/dev/zero", O_RDONLY);
			for (int i = 0; i < 1000; i++)
				if (read(fd, &letter, 1) != 1)
					return 3;
			for (int i = 0; i < 500; i++) {
				*(volatile char *)malloc(1000) = 1;
				usleep(1000);
			}
			return 0;
		}
	END
	gcc -fno-builtin -o burst burst.c
	run --separate-stderr "$seep" run -f -o t.seep -- ./burst
	[[ "$stderr" == *"next: "* ]]
	[[ "$stderr" != *"--event call:"* ]]
}
