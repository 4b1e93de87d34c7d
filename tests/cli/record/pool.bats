#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --alloc-fn and --free-fn: the blocks of a program's own pool.

bats_require_minimum_version 1.5.0

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
	pool=$SEEP_BUILD/tests/truth/own_pool
}

record() {
	seep run -q -f -o t.seep "$@" >out
}

both=(--alloc-fn take_single --free-fn give_single --alloc-fn pool_take:2)

@test "what a pool returns is a block of its caller; its pages do not count" {
	"$pool" 100 >plain
	record "${both[@]}" -- "$pool" 100
	cmp plain out
	seep report --json --all t.seep >page
	[ "$(jq -r .verdict.kind page)" = leak ]
	# Each event keeps 20 hits of 104 bytes, 10 pieces of 48 and 1 block of 32.
	[ "$(jq '.verdict.rate.bytes_per_event | round' page)" -eq 2592 ]
	jq -r '.sites[] | select(.verdict == "leak") | .stack[0].function, .object_bytes,
		.objects_per_event' page | paste - - - | sort >sites
	printf '%s\t%s\t%s\n' lose_hit 104 20 lose_piece 48 10 lose_plain 32 1 >truth
	diff truth sites
	# What is given back is freed.
	[ "$(jq '[.sites[] | select(.stack[0].function == "use_hits" and .object_bytes == 104)][0] |
		.born - .died' page)" -le 600 ]
	# The pages of neither pool.
	jq -r '.sites[].stack[].function' page >functions
	[ "$(grep -c "Allocator<Hit>::grow" functions)" -eq 0 ]
}

@test "without these options, the growth of the pool is accused" {
	record -- "$pool" 100
	[ "$(seep report --json t.seep | jq -r '.sites[0].stack[].function' | grep -c grow)" -ge 1 ]
}

@test "four threads: every block counts once" {
	record "${both[@]}" -- "$pool" 500 4
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep | grep " SNAPSHOT " |
		tail -n 1 >last
	# 40000 hits, 20000 pieces, 2000 blocks of 32; 300 hits and a vector of each thread.
	live=$(sed 's/.* live_blocks=\([0-9]*\) .*/\1/' last)
	[ "$live" -ge 63200 ]
	[ "$live" -le 63300 ]
}

@test "the size may be typed as well, and what cannot be right is refused" {
	record --alloc-fn take_single:=104 --free-fn give_single:2 -- "$pool" 100
	[ "$(seep report --json t.seep | jq -r '.sites[0].stack[0].function')" = lose_hit ]
	while IFS='|' read -r option words; do
		rm -f t.seep
		run -125 seep run -q -o t.seep "$option" "${words%%|*}" -- "$pool" 10
		echo "$output"
		[[ "$output" == *"${words#*|}"* ]]
		[ ! -e t.seep ]
	done <<-'END'
		--alloc-fn|take_single:1|argument 1 of the function is no integer, so not a size
		--alloc-fn|take_single:2|the function has 1 argument, not 2
		--alloc-fn|take_single:=8|at least 16 bytes
		--alloc-fn|take_single:=x|is not valid
		--alloc-fn|take_single:7|arguments are 1 to 6
		--alloc-fn|take_singel|no such function
		--alloc-fn|pool_take|write which argument is the size
		--free-fn|pool_take:1|argument 1 of the function is no pointer
		--free-fn|give_single:=64|which argument is the block
	END
}
