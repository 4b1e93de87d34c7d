#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# seep run --sample: estimates that are right on average, and say how far they may be off.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	seep=$SEEP_BUILD/bin/seep
	dump=$SEEP_SOURCE/tests/cli/trace_dump.py
}

# sample OPTIONS... PROGRAM: runs it, and leaves truth.txt and report.json
sample() {
	"$seep" run -q -f -o t.seep "${@:1:$#-1}" -- "$SEEP_BUILD/tests/truth/${!#}" > truth.txt
	"$seep" report --json --all t.seep > report.json
}

compare() {
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare_sampled.py" report.json truth.txt
}

@test "sites and rate are within the sampling error of the truth" {
	sample --sample 64K sampled
	compare
	[ "$(jq -r .verdict.kind report.json)" = leak ]
	jq -e '[.sites[] | select(.verdict == "leak") | .stack[].function] | index("keep_small")' \
		report.json
}

@test "a finer sample is nearer, and large blocks are all in it" {
	sample --sample 4K sampled
	compare
	jq -e '[.sites[] | select(.verdict == "leak")] | length == 5' report.json
	grep -q 'truth site keep_large blocks 200 ' truth.txt
	jq -e '[.sites[] | select([.stack[].function] | index("keep_large")) | .live_objects]
		== [200]' report.json
}

@test "one sample per byte is every block" {
	sample --sample 1 sampled
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json truth.txt
}

@test "the report says that it is a sample, first of all" {
	run "$seep" run -f -o t.seep --sample 512K -- "$SEEP_BUILD/tests/truth/sampled"
	[[ $output == *"heap sampled 1 per 512 kB"* ]]
	[ "$(grep -c 'why     sampled 1 per 512 kB: ' <<< "$output")" = 1 ]
	"$seep" report --json t.seep > report.json
	[ "$(jq .run.tracker.sample_bytes report.json)" = 512000 ]
}

@test "an exact run says nothing of samples" {
	run "$seep" run -o t.seep -- "$SEEP_BUILD/tests/truth/cleaned"
	[[ $output != *sampled* ]]
	"$seep" report --json t.seep > report.json
	[ "$(jq .run.tracker.sample_bytes report.json)" = null ]
	! "$dump" t.seep | grep SAMPL
}

@test "the trace tells the mean, and how sure the survivors are" {
	sample --sample 64K sampled
	"$dump" t.seep > dump.txt
	grep -q ' SAMPLING flags=0 t_ns=[0-9]* mean_bytes=64000 event=0 reason=0$' dump.txt
	grep -q ' SITE_SAMPLES .*(site=[0-9]* samples=[0-9]*:[0-9/,]*)' dump.txt
	grep -q 'END damaged=0 unknown=0 cut=no' dump.txt
}

@test "what a sampled program does is its own" {
	"$SEEP_BUILD/tests/truth/errno_kept" > bare.txt
	"$seep" run -q -o t.seep --sample 1K -- "$SEEP_BUILD/tests/truth/errno_kept" > sampled.txt
	cmp bare.txt sampled.txt
}

@test "a mean that is no size is refused" {
	run "$seep" run --sample often -- true
	[ "$status" = 125 ]
	[[ $output == *"is not a size"* ]]
	run "$seep" run --help
	[[ $output == *"--sample BYTES"* ]]
}
