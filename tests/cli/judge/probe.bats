#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The allocator is asked what it can give back: retention or fragmentation, and who pins the pages.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	holes=$SEEP_BUILD/tests/truth/holes
}

# track [OPTION...] -- COMMAND...: its output is in truth.txt, seep's in report.json
track() {
	rm -f t.seep*
	timeout 600 "$SEEP_BUILD/bin/seep" run -q -o t.seep "$@" > truth.txt
	report t.seep
}

report() {
	"$SEEP_BUILD/bin/seep" report --json --all "$1" > report.json
}

is() {
	jq -e "$1" report.json > /dev/null || {
		jq -c "($1), .probe" report.json
		return 1
	}
}

# Lines of the trace ($2) of a kind.
records() {
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" "${2:-t.seep}" | grep " $1 " || true
}

library() {
	/sbin/ldconfig -p | sed -n "s/^\\s*$1\\.so\\.[0-9.]* (libc6.*x86-64.*) => //p" | head -n 1
}

# What the sites in keep_survivor pin is, to a twentieth, what the program counted.
pins_as_told() {
	local told
	told=$(awk '$2 == "pinned" { print $5 }' truth.txt)
	echo "told $told"
	[ "$told" -gt 10000000 ]
	is "[.sites[] | select(any(.stack[]; .function == \"keep_survivor\")) | .pinned_bytes] | add
		| . > .95 * $told and . < 1.05 * $told"
	is '[.sites[] | select(all(.stack[]; .function != "keep_survivor")) | .pinned_bytes] | add
		| . < 1000000'
}

@test "all is freed but the block at the top: the allocator gives it back" {
	track -- "$holes" retention
	is '.probe | .allocator == "glibc" and .event == 9 and .gain >= .9 and .gain < 1.1'
	is '.probe | .heap_resident > 40000000 and .live < 1000000'
	is '.probe | .rss_before - .rss_after > 36000000'
	is '[.sites[].pinned_bytes] | add < 1000000'
	# Slices that passed before the first event are in its number.
	first=$(records STAMP | sed -n 's/.* event=\([0-9]*\) .*/\1/p' | head -n 1)
	[ "$(records PROBE | grep -c "flags=3 .*event=$((first + 9)) allocator=1\$")" -eq 1 ]
}

@test "a survivor on each page: it gives nothing back, and the survivors are named" {
	track -- "$holes" fragmentation
	is '.probe | .gain >= -.05 and .gain <= .1 and .heap_resident > 40000000'
	pins_as_told
	[ "$(records PINS | wc -l)" -ge 1 ]
	[ "$(records PROBE | wc -l)" -eq 1 ]
}

@test "one page in five is pinned: it gives back four" {
	track -- "$holes" mixed
	is '.probe | .gain > .6 and .gain < .9'
}

@test "live blocks that were never written do not count as memory" {
	track -- "$holes" untouched
	is '.probe | .gain >= .9 and .live < 1000000 and .heap_resident < 50000000'
}

@test "a heap that is full is not asked" {
	track -- "$holes" full
	is '.probe | .gain == null and .rss_before == .rss_after and .heap_resident > 40000000'
	[ "$(records PROBE | grep -c 'flags=1 ')" -eq 1 ]
	[ -z "$(records PINS)" ]
}

@test "jemalloc and tcmalloc are asked in their own way" {
	for allocator in jemalloc tcmalloc_minimal; do
		library=$(library lib$allocator)
		[ -n "$library" ]
		LD_PRELOAD=$library track -- "$holes" retention
		# tcmalloc keeps tables of its own: 2 or 4 MB, depending on where they begin.
		is ".probe | .allocator == \"${allocator%_*}\" and .gain >= .8 and .gain < 1.1"
		is '.probe | .rss_before - .rss_after > 40000000'
		LD_PRELOAD=$library track -- "$holes" fragmentation
		is ".probe | .allocator == \"${allocator%_*}\" and .gain <= .1 and .gain >= -.1"
		pins_as_told
	done
}

@test "an allocator that is linked to the program is asked as well" {
	gcc -O1 -g -fno-builtin -I"$SEEP_SOURCE/include" -I"$SEEP_SOURCE/tests/truth" -o linked \
		"$SEEP_SOURCE/tests/truth/heap/holes.c" -pthread -Wl,--no-as-needed \
		"$(library libjemalloc)"
	track -- ./linked retention
	is '.probe | .allocator == "jemalloc" and .gain >= .9'
}

@test "an allocator that nobody knows how to ask has no probe" {
	library=$(library libmimalloc)
	[ -n "$library" ]
	LD_PRELOAD=$library track -- "$holes" retention
	is '.probe == null'
	is .run.complete
}

@test "--probe-event asks behind that event, once" {
	track -e api --probe-event 3 -- "$holes" retention
	is '.probe | .event == 2 and .gain >= .9'
	[ "$(records PROBE | wc -l)" -eq 1 ]
	[ "$(records PROBE | grep -c 'flags=2 .*event=3 ')" -eq 1 ]
	# Memory has fallen by the next event.
	records STAMP |
		sed -n 's/.* flags=25 .* rss_bytes=\([0-9]*\) .* event=\([0-9]*\) .*/\2 \1/p' |
		awk '$1 == 3 { before = $2 } $1 == 4 { after = $2 }
			END { exit !(before - after > 36000000) }'
	track --probe-event 1000 -- "$holes" retention
	is '.probe | .event == 9 and .gain >= .9'
}

@test "--probe-event counts time slices where there are no events" {
	track --event time:10ms --probe-event 2 -- sh -c "exec '$holes' fragmentation"
	is '.probe | .event >= 1 and .event <= 9'
	[ "$(records PROBE | wc -l)" -eq 1 ]
}

@test "--probe-event means the program's own events, however long it takes to begin them" {
	cat > late.py <<- 'END'
		import seep, time
		ready = time.monotonic() + .5
		while time.monotonic() < ready: # the events until then are time slices
		    junk = [bytes(1000) for i in range(1000)]
		kept = []
		for step in range(10):
		    seep.event_begin(step)
		    some = [bytes([step, i % 251]) * 60 for i in range(40000)]
		    kept.append(some[::40])
		    del some
		    seep.event_end()
	END
	python=(env "PYTHONPATH=$SEEP_SOURCE/python" /usr/bin/python3)
	track --probe-event 3 -- "${python[@]}" late.py
	is '.probe | .event == 2 and .gain != null'
	track --probe-event 1000 -- "${python[@]}" late.py
	is '.probe | .event == 9 and .gain != null'
}

@test "--no-probe asks nothing" {
	track --no-probe -- "$holes" retention
	is '.probe == null and .run.complete'
	[ -z "$(records PROBE)$(records PINS)" ]
	run "$SEEP_BUILD/bin/seep" run --no-probe --probe-event 3 -- true
	[ "$status" -eq 125 ]
	run "$SEEP_BUILD/bin/seep" run --probe-event 0 -- true
	[ "$status" -eq 125 ]
	[[ "$output" == *"'0' is not a valid event number; it must be 1 or more"* ]]
}

@test "what a program prints, before the probe and after it, is what it prints without seep" {
	cat > job.py <<- 'END'
		import seep, zlib
		kept, check = [], 0
		for step in range(10):
		    seep.event_begin(step)
		    some = [bytes([step, i % 251]) * 60 for i in range(40000)]
		    kept.append(some[::40])
		    check = zlib.crc32(b"".join(some), check)
		    del some
		    print(step, check)
		    seep.event_end()
		print(zlib.crc32(b"".join(map(b"".join, kept))))
	END
	export PYTHONPATH=$SEEP_SOURCE/python
	/usr/bin/python3 job.py > bare.txt
	for option in "" --no-probe "--probe-event 3"; do
		# shellcheck disable=SC2086 # no word, one or two
		track $option -- /usr/bin/python3 job.py
		cmp bare.txt truth.txt
		is .run.complete
	done
	is '.probe | .event == 2 and .gain != null'
}

@test "a signal handler that ends the program is not kept waiting, nor asks" {
	for _ in 1 2 3 4 5 6 7 8; do
		rm -f t.seep
		run timeout 600 "$SEEP_BUILD/bin/seep" run -q -o t.seep -- \
			"$holes" retention handler
		[ "$status" -eq 7 ]
		[ -z "$(records PROBE)" ]
		report t.seep
	done
}

@test "a signal handler that marks events while malloc is at work is not kept waiting" {
	track --probe-event 20 -- "$holes" retention events
	is '.run.events > 10 and .run.complete'
	[ "$(records PROBE | grep -c 'flags=3 ')" -eq 1 ] # in the handler it was not asked
}

@test "what is not the allocator's does not count" {
	cat > others.c <<- 'END'
		#include <pthread.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>
		static char data[32 << 20];
		static pthread_barrier_t used;
		static void *use_stack(void *stays)
		{
			char much[6 << 20];
			memset(much, 1, sizeof(much));
			pthread_barrier_wait(&used);
			while (stays)
				pause();
			return much[1000] == 1 ? stays : NULL;
		}
		int main(void)
		{
			char *map = mmap(NULL, 32 << 20, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			char *blocks[20000];
			pthread_t thread;

			memset(map, 1, 32 << 20);
			memset(data, 1, sizeof(data));
			for (int i = 0; i < 20000; i++)
				memset(blocks[i] = malloc(200), 1, 200);
			for (int i = 0; i < 19999; i++)
				free(blocks[i]);
			pthread_barrier_init(&used, NULL, 2);
			pthread_create(&thread, NULL, use_stack, data);
			pthread_create(&thread, NULL, use_stack, NULL);
			pthread_join(thread, NULL);
			return data[77] - map[77];
		}
	END
	gcc -O0 -fno-builtin -o others others.c -pthread
	# Where each block is known, and where not.
	for option in --sample=64kB --max-overhead=100MB; do
		track $option -- ./others
		is '.probe | .heap_resident > 4000000 and .heap_resident < 5000000'
		is '.probe | .rss_before > 75000000 and .gain >= .9'
	done
}

@test "threads in malloc at the end, and in a process that forks" {
	for _ in 1 2 3 4; do
		track -- "$holes" retention busy
		is '.probe.gain >= .8 and .run.complete'
	done
	track -- "$holes" retention fork
	is '.probe.gain >= .8'
	child=$(echo t.seep.*)
	[ "$(records PROBE "$child" | wc -l)" -eq 1 ]
	report "$child"
	is '.probe | .event == 9 and .gain >= .8'
}

@test "a child that the C library does not know does not ask" {
	for _ in 1 2 3 4 5 6; do
		track -- "$holes" retention bare-fork
		child=$(echo t.seep.*)
		[ -z "$(records PROBE "$child")" ]
		report "$child"
		is '.run.events == 10'
	done
}

@test "a sample is asked, but blames nobody" {
	track --sample 64kB -- "$holes" fragmentation
	is '.probe.gain <= .1'
	is '[.sites[].pinned_bytes] | add == 0'
	[ -z "$(records PINS)" ]
}

@test "memory that cannot be given back is no fragmentation" {
	gcc -shared -fPIC -o locked.so -xc - <<- 'END'
		#include <sys/mman.h>
		#include <unistd.h>
		__attribute__((constructor)) static void lock(void)
		{
			if (mlockall(MCL_FUTURE))
				_exit(77);
		}
	END
	LD_PRELOAD=./locked.so "$holes" full > /dev/null || skip "no right to lock memory"
	LD_PRELOAD=./locked.so track -- "$holes" retention
	is '.probe == null and .run.complete'
}
