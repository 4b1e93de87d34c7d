#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory that the program gets without its allocator: the verdict, the sites, the sum.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	PATH="$SEEP_BUILD/bin:$PATH"
}

# mapper MODE EVENTS
mapper() {
	rm -f t.seep*
	seep run -q -o t.seep -- "$SEEP_BUILD/tests/truth/mapper" "$@" > truth.txt
	seep report --json t.seep > report.json
}

is() {
	jq -e "$1" report.json > /dev/null || {
		jq -c "$1, .verdict, .sum" report.json
		return 1
	}
}

@test "64 KiB mapped and touched per event: the right site, the rate, a closed sum" {
	mapper leak 200
	grep -qx 'truth bytes_per_event 65536' truth.txt
	is '.verdict.kind == "non-heap"'
	is '.verdict.rate | .low <= 65536 and .high >= 65536 and .high - .low < 6553'
	is '.sites[0] | .kind == "mmap" and .verdict == "leak" and .bytes_per_event == 65536'
	is '.sites[0].stack[.sites[0].own_frame].function == "forget_chunk"'
	is '.sites[0].stack[.sites[0].own_frame].file | endswith("mapper.c")'
	is '(.sum.non_heap - 65536 | fabs) < 1'
	is '.sum.residual | fabs < 655'
	is '(.sum.rss - .sum.heap_live - .sum.allocator_slack - .sum.non_heap - .sum.tracker
		- .sum.residual) | fabs < 0.001'
	run seep report t.seep
	[[ "$output" == "NON-HEAP "*"/event"* ]]
	[[ "$output" == *"forget_chunk"*"mmap, never unmapped"* ]]
	[[ "$output" == *"RSS "*" = heap 0.0 + non-heap 65.5 "* ]]
	[[ "$output" != *[Ll]eak* ]]
	run seep report --site 1 t.seep
	[[ "${lines[0]}" == *"  NON-HEAP  65.5 kB/event  [65.5, 65.5] of address space  100 %"* ]]
	[[ "$output" == *"  memory    mmap, never unmapped"* ]]
	[[ "$output" == *"  unmapped by  nothing in this run"* ]]
	[[ "$output" != *freed* ]]
}

@test "a sample is one of the heap: maps and stacks are counted in full" {
	mapper threads 200
	seep run -q -f -o s.seep --sample 512kB -- "$SEEP_BUILD/tests/truth/mapper" threads 200
	run seep report s.seep
	[[ "$output" == *"thread stack, never joined"* ]]
	rank=$(seep report --json s.seep | jq '.sites[] | select(.kind == "thread stack") | .rank')
	run seep report --site "$rank" s.seep
	[[ "${lines[0]}" == *" NON-HEAP "*" of address space"* ]]
	[[ "$output" == *"  memory    thread stack, never joined"* ]]
	[[ "$output" == *"  allocated 200 (1.68 GB), joined 0 "* ]]
	[[ "$output" == *"  joined by  nothing in this run"* ]]
	[[ "$output" != *sampled* ]]
}

@test "it is found as well if everything is unmapped before the program ends" {
	mapper cleaned 200
	is '.verdict.kind == "non-heap"'
	is '.sites[0].bytes_per_event == 65536'
	is '.sites[0].freed_by[0].stack | map(.function) | index("unmap_chunk")'
	run seep report --site 1 t.seep
	[[ "$output" == *"  memory    mmap, unmapped only at the end"* ]]
	[[ "$output" =~ '  unmapped by (at the end)  '[0-9]+' of '[0-9]+' sampled frees' ]]
}

@test "what is unmapped in the next event is flat" {
	mapper flat 200
	is '.verdict.kind == "flat"'
	is '.sum.non_heap | fabs < 655'
	is '[.sites[] | select(.verdict == "leak")] == []'
}

@test "what is reserved without access is no memory" {
	mapper reserve 200
	is '.verdict.kind == "flat"'
	is '[.sites[] | select(.kind == "mmap")] == []'
}

@test "what is mapped and never touched is flat, and told" {
	mapper untouched 200
	is '.verdict.kind == "flat"'
	is '.verdict.sentence | contains("keeps 1.05 MB per event of address space")'
	run seep report t.seep
	[[ "$output" == *"map_untouched"*"mmap, never unmapped"* ]]
}

@test "threads that nobody joins" {
	mapper threads 200
	is '[.sites[] | select(.kind == "thread stack")][0] |
		.live_objects == 200 and .verdict == "leak" and
		.stack[.own_frame].function == "forget_thread"'
	is '.verdict.sentence | contains("1 site outside the heap (thread stack)")'
	run seep report t.seep
	[[ "$output" == *"forget_thread"*"thread stack, never joined"* ]]
}

@test "the heap's growth closes with the allocator's slack" {
	seep run -q -o t.seep -- "$SEEP_BUILD/examples/hits" > /dev/null
	seep report --json t.seep > report.json
	is '.verdict.kind == "leak"'
	is '.sum.allocator_slack > 0'
	is '.sum | (.residual | fabs) < 0.05 * .rss'
}

@test "anchors take a bounded part of the trace" {
	mapper flat 20000
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep > dump.txt
	[ "$(grep -c ' ANCHOR ' dump.txt)" -ge 10 ]
	[ "$(grep -c ' ANCHOR ' dump.txt)" -le 500 ]
}
