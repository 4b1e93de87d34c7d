#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Live blocks and bytes per site equal what the programs say of themselves, to the block.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# check PROGRAM ARGUMENT...: what it says of its end, against the report on that
check() {
	local program=$1
	shift
	"$SEEP_BUILD/bin/seep" run -q -o t.seep -- "$SEEP_BUILD/tests/truth/$program" "$@" \
		> truth.txt
	"$SEEP_BUILD/bin/seep" report --json --all --at-event end t.seep > report.json
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json truth.txt
}

@test "the whole malloc family" {
	check family
}

@test "threads that come and go and free each other's blocks" {
	check threads
}

@test "mappings: whole, piecewise, replaced, moved, reserved and opened; the break" {
	check maps
}

@test "the stacks of threads: joined, detached, cancelled, forgotten" {
	check zombies
}

@test "mappings with another allocator, whose own are not the program's" {
	for allocator in libjemalloc.so.2 libtcmalloc.so.4 libmimalloc.so.2; do
		library=$(find /usr/lib -name "$allocator" | head -n 1)
		[ -n "$library" ] || continue
		rm -f t.seep
		LD_PRELOAD=$library check maps
		rm -f t.seep
		LD_PRELOAD=$library "$SEEP_BUILD/bin/seep" run -q -o t.seep -- \
			"$SEEP_BUILD/examples/hits" --events 20 > /dev/null
		"$SEEP_BUILD/bin/seep" report --json --all t.seep > report.json
		jq -e '[.sites[] | select(.kind != "heap")] == []' report.json
	done
}

# For longer: make soak
@test "three seconds of everything at once lose and double no block" {
	check stress 3
}

@test "fork, vfork and posix_spawn leave the parent's books alone" {
	check forks
	[ "$(ls t.seep*)" = t.seep ]
}

@test "objects loaded in turn at the same address keep their names apart" {
	check plugins
}

@test "exceptions, longjmp, deep recursion, static constructors" {
	check jumps
}

@test "a leak that is freed before the program ends is found, with who freed it" {
	"$SEEP_BUILD/bin/seep" run -q -o t.seep -- "$SEEP_BUILD/tests/truth/cleaned" > truth.txt
	"$SEEP_BUILD/bin/seep" report --json t.seep > report.json
	grep -qx 'truth bytes_per_event 192' truth.txt
	[ "$(jq -r .verdict.kind report.json)" = leak ]
	[ "$(jq ".verdict.rate.bytes_per_event * 1000 | round" report.json)" = 192000 ]
	[ "$(jq -r '[.sites[] | select(.verdict == "leak")] | length' report.json)" = 1 ]
	jq -e '.sites[0].stack[.sites[0].own_frame // 0].function == "remember_event"' report.json
	jq -e '.sites[0].freed_by[0].stack | map(.function) | index("forget_all")' report.json
}

@test "stacks whose frames differ as their return addresses do are two" {
	check alike
}

@test "aligned new of every allocator is counted once" {
	check aligned_new
	for allocator in libjemalloc.so.2 libtcmalloc.so.4 libmimalloc.so.2; do
		library=$(find /usr/lib -name "$allocator" | head -n 1)
		[ -n "$library" ] || continue
		rm -f t.seep
		LD_PRELOAD=$library check aligned_new
	done
}

# milliseconds COMMAND...: the CPU time that it takes, in ms
milliseconds() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%d\n", ($1 + $2) * 1000 }'
}

@test "a million different stacks: bounded time and memory, and no block is lost" {
	local forest="$SEEP_BUILD/tests/truth/forest" alone tracked report
	alone=$(milliseconds "$forest")
	tracked=$(milliseconds "$SEEP_BUILD/bin/seep" run -q -o t.seep -- "$forest")
	report=$(milliseconds "$SEEP_BUILD/bin/seep" report t.seep)
	echo "alone $alone, tracked $tracked, report $report ms"
	[ "$tracked" -lt $((8 * alone)) ] # 3 times on a calm machine
	[ "$report" -lt 3000 ]
	rm t.seep
	check forest
	jq -e '.run.tracker | .bytes < 256e6 and .missed == 0 and .dropped == 0' report.json
	[ "$(jq .sites_total report.json)" -lt 100000 ]
	jq -r '.run.notes[]' report.json |
		grep -q '^[0-9]* allocations came after there were too many different'
	# The blocks of sites that have no survivors, too.
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep >dump.txt
	last=$(grep ' SNAPSHOT ' dump.txt | tail -n 1 | grep -o 'ordinal=[0-9]*')
	grep " SITE_STATES .* $last " dump.txt | grep -oE '(born|died)_blocks=[0-9]+' | awk -F= '
		{ sum[$1] += $2 }
		END { print "truth born", sum["born_blocks"], "died", sum["died_blocks"] }' >sum.txt
	read -r _ _ born _ died <sum.txt
	read -r _ _ all _ freed < <(grep '^truth born' truth.txt)
	[ "$((born - died))" -ge "$((all - freed))" ] # the C library's own blocks, too
	[ "$born" -ge "$all" ]
	[ "$((born - all))" -lt 50 ]
}

# counts: of all snapshots in the trace
counts() {
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep |
		/usr/bin/python3 "$SEEP_SOURCE/tests/cli/check_counts.py" | tail -n 3 >counts.txt
	cat counts.txt
	grep -q ' 0 wrong$' counts.txt
}

@test "born minus died is live, while 64 threads run and after that" {
	check stress 2 64
	counts
	[ "$(cut -d ' ' -f 4 counts.txt)" -gt 1 ]
	rm t.seep
	check threads
	counts
	rm t.seep
	"$SEEP_BUILD/bin/seep" run -q -o t.seep -- "$SEEP_BUILD/tests/truth/unjoined"
	counts
}
