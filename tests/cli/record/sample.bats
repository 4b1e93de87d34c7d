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
	"$seep" report --json --all --at-event end t.seep > report.json
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json truth.txt
}

@test "the report says that it is a sample, first of all" {
	run "$seep" run -f -o t.seep --sample 512K -- "$SEEP_BUILD/tests/truth/sampled"
	[[ $output == *"heap sampled 1 per 512 kB"* ]]
	[ "$(grep -c 'why     sampled 1 per 512 kB: ' <<< "$output")" = 1 ]
	"$seep" report --json t.seep > report.json
	[ "$(jq .run.tracker.sample_bytes report.json)" = 512000 ]
}

@test "the page of a site says how many blocks it stands on" {
	sample --sample 64K sampled
	"$seep" report --site 1 t.seep > site.txt
	grep -q '^  sampled   1 per 64.* kB; [0-9]* of the live blocks were seen$' site.txt
	seen=$(sed -n 's/^  sampled .* kB; \([0-9]*\) of .*/\1/p' site.txt)
	live=$(jq '.sites[0].live_objects' report.json)
	[ "$seen" -gt 100 ]
	[ "$live" -gt "$seen" ]
	grep -Eq '^  allocated about [1-9][0-9]{2}0+ \(.*\), none seen freed, live about ' site.txt
	grep -q '^  freed by  not seen: no sampled block was freed$' site.txt
}

@test "a sample that could not have seen the growth is undecided, and a better one is named" {
	gcc -g -x c -I"$SEEP_SOURCE/include" - -o keeps <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		int main(void)
		{
			for (int i = 0; i < 400; i++) {
				seep_event_begin(i);
				if (!malloc(633))
					return 1;
			}
			return 0;
		}
	END
	for mean in 1TB 1.5M 128K; do
		"$seep" run -q -f -o t.seep --sample $mean -- ./keeps
		"$seep" report --json t.seep > report.json
		[ "$(jq -r .verdict.kind report.json)" != flat ]
	done
	"$seep" run -q -f -o t.seep --sample 1TB -- ./keeps
	"$seep" report t.seep | tr -s ' \n' '  ' > text.txt
	grep -q '^UNDECIDED .* the sample is too coarse to tell: 0 blocks of it are alive' text.txt
	grep -q '; use --sample 8kB or none ' text.txt
}

@test "what holds still is flat in a sample that is fine enough" {
	gcc -g -x c -I"$SEEP_SOURCE/include" - -o holds <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		int main(void)
		{
			for (int i = 0; i < 30000; i++)
				if (!malloc(1000))
					return 1;
			for (int i = 0; i < 400; i++) {
				seep_event_begin(i);
				free(malloc(500));
			}
			return 0;
		}
	END
	"$seep" run -q -f -o t.seep --sample 64K -- ./holds
	[ "$("$seep" report --json t.seep | jq -r .verdict.kind)" = flat ]
}

@test "an exact run says nothing of samples" {
	run "$seep" run -o t.seep -- "$SEEP_BUILD/tests/truth/cleaned"
	[[ $output != *sampled* ]]
	"$seep" report --json t.seep > report.json
	[ "$(jq .run.tracker.sample_bytes report.json)" = null ]
	[ "$("$dump" t.seep | grep -Ec 'SAMPLING|SITE_SAMPLES')" = 0 ]
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
	for mean in often 0 1PB ''; do
		run "$seep" run --sample "$mean" -- true
		[ "$status" = 125 ]
		[[ $output == *"--sample: '$mean' is not a size; write it as 64kB or 512kB" ]]
	done
	run "$seep" run --help
	[[ $output == *"--sample BYTES"* ]]
}

@test "the tracker keeps to its ceiling, and what it says stays right" {
	"$SEEP_BUILD/tests/truth/multitude" > bare.txt
	sample multitude
	[ "$(jq .run.tracker.bytes report.json)" -gt 16000000 ]
	sample --max-overhead 4M multitude
	cmp bare.txt truth.txt
	[ "$(jq .run.tracker.bytes report.json)" -lt 4200000 ]
	[ "$(jq .run.tracker.sample_bytes report.json)" -lt 1000000 ]
	compare
	"$seep" report t.seep | tr -s ' \n' '  ' > text.txt
	grep -q "sampled 1 per .* because the tracker's memory had reached its ceiling: " text.txt
	grep -q "note the tracker's own memory came close to its ceiling of 3906 KiB" text.txt
	"$dump" t.seep | grep -q ' SAMPLING .* reason=1$'
}

@test "a part of the memory is a ceiling as well" {
	"$seep" run -q -f -o t.seep --limit 40MB --max-overhead 10% -- \
		"$SEEP_BUILD/tests/truth/multitude" > truth.txt
	"$seep" report --json --all t.seep > report.json
	[ "$(jq .run.tracker.bytes report.json)" -lt 4200000 ]
	compare
	run "$seep" run --max-overhead 120% -- true
	[ "$status" = 125 ]
	[[ $output == *"--max-overhead: '120%' is neither a size nor a percentage"* ]]
}

@test "a ceiling that the tracker cannot keep to is refused" {
	run "$seep" run --max-overhead 999kB -- true
	[ "$status" = 125 ]
	[[ $output == *"'999kB' is too small; the tracker needs at least 1.00 MB"* ]]
	run "$seep" run --limit 1MB --max-overhead 50% -- true
	[ "$status" = 125 ]
	"$seep" run -q -o t.seep --limit 1 -- true
}

@test "blocks from before the ceiling die as one, those from after as many" {
	"$seep" run -q -f -o t.seep --max-overhead 4M -- "$SEEP_BUILD/tests/truth/multitude" half \
		> truth.txt
	"$seep" report --json --all t.seep > report.json
	# the end of the run, not the snapshot before the clean-up
	live=$("$dump" t.seep | sed -n 's/.* SNAPSHOT flags=2 .* live_bytes=\([0-9]*\) .*/\1/p')
	truth=$(sed -n 's/.* bytes //p' truth.txt)
	mean=$(jq .run.tracker.sample_bytes report.json)
	awk -v live="$live" -v truth="$truth" -v mean="$mean" 'BEGIN {
		exit !((live - truth) ^ 2 <= 25 * mean * truth) }'
}

@test "both together: the sample asked for is thinned out where it takes too much" {
	sample --sample 64 --max-overhead 2M multitude
	[ "$(jq .run.tracker.bytes report.json)" -lt 2200000 ]
	[ "$(jq .run.tracker.sample_bytes report.json)" -gt 64 ]
	compare
}

@test "a size that no block can have does not end the sampling" {
	cat > huge.c <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		void *volatile kept;
		volatile size_t huge = (size_t)0 - ((size_t)1 << 40);
		int main(void)
		{
			int i, j;
			kept = malloc(huge);
			for (i = 0; i < 300; i++) {
				seep_event_begin(i);
				for (j = 0; j < 50; j++)
					kept = malloc(4096);
				seep_event_end();
			}
		}
	END
	gcc -fno-builtin -Wno-alloc-size-larger-than -I"$SEEP_SOURCE/include" -o huge huge.c
	"$seep" run -q -f -o t.seep --sample 64K -- ./huge
	"$seep" report --json t.seep > report.json
	[ "$(jq -r .verdict.kind report.json)" = leak ]
}
