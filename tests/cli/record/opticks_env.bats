#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The environment variables of Opticks: files at the end of seep run, the level of calibrate.
#
# shellcheck disable=SC2030,SC2031 # what a test exports is for this test
# shellcheck disable=SC2016 # what stands in quotes is for another shell

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	seep=$SEEP_BUILD/bin/seep
	hits=$SEEP_BUILD/examples/hits
	unset SProf__WRITE SProf__PATH SProf__PATH_INDEX OPTICKS_PROFILE_PATH OPTICKS_START_INDEX
}

# go: runs it for four events; try PROGRAM WORD: what must not run
go() {
	"$seep" run -q -f -o t.seep -- "$hits" --events 4 >out.txt
}

try() {
	"$seep" run -q -f -o t.seep -- "$1" "$2"
}

# fails TEXT COMMAND...
fails() {
	run "${@:2}"
	[ "$status" -eq 125 ]
	[[ $output == *"$1"* ]]
}

@test "SProf__WRITE makes the SProf.txt that seep export makes" {
	go
	SProf__WRITE=0 go
	[ ! -e SProf.txt ]
	SProf__WRITE=1 go
	"$seep" export --to sprof t.seep >export.txt
	cmp SProf.txt export.txt
	grep -q '^A000_QSim__simulate_HEAD:' SProf.txt
}

@test "SProf__PATH is a name, or a format for one number" {
	export SProf__WRITE=1 SProf__PATH_INDEX=42
	mkdir place
	SProf__PATH=place/a.txt go
	SProf__PATH=b_%d.txt go
	SProf__PATH=c_%0.5d.txt go
	SProf__PATH=d_%5d_%%.txt go
	SProf__PATH=e_%03i.txt go
	unset SProf__PATH_INDEX
	SProf__PATH=f_%0.3d.txt go
	[ -s place/a.txt ]
	[ "$(echo [b-f]_*)" = "b_42.txt c_00042.txt d_   42_%.txt e_042.txt f_000.txt" ]
}

@test "a format that is not one is refused before anything is run" {
	export SProf__WRITE=1
	for format in %s %n a%d%d %x %*d %ld %5000d %.500d %999999999999d % a% %-5d; do
		SProf__PATH=$format fails 'SProf__PATH' try touch ran
	done
	SProf__PATH_INDEX=x fails "SProf__PATH_INDEX: 'x' is not a number" try touch ran
	SProf__PATH=no/where.txt fails "'no/where.txt' could not be written" try touch ran
	OPTICKS_START_INDEX=7x fails "OPTICKS_START_INDEX: '7x'" try touch ran
	OPTICKS_PROFILE_PATH=no/where.npy fails "'no/where.npy' could not be written" try touch ran
	[ ! -e ran ]
}

@test "OPTICKS_START_INDEX is added to the indices" {
	SProf__WRITE=1 OPTICKS_START_INDEX=1000 go
	grep -q '^A1000_SEvt__setIndex:' SProf.txt
	grep -q '^A1003_SEvt__endIndex:' SProf.txt
	[ "$(grep -c '^A00' SProf.txt)" -eq 0 ]
}

@test "OPTICKS_PROFILE_PATH makes the array of old" {
	OPTICKS_PROFILE_PATH=plot.npy go
	/usr/bin/python3 - <<-'END'
		import numpy
		a = numpy.load("plot.npy")
		assert a.shape == (4, 4) and a.dtype == numpy.float32, (a.shape, a.dtype)
		assert (a[:, 1] > a[:, 2]).all() and (a[:, 2] > 1).all() and (a[:, 3] == 0).all()
	END
}

@test "what the program writes itself is left alone" {
	export SProf__WRITE=1 OPTICKS_PROFILE_PATH=plot.npy
	echo old >plot.npy
	"$seep" run -o t.seep -- sh -c 'echo mine >SProf.txt; exec "$0" --events 4' "$hits" \
		>out.txt 2>err.txt
	[ "$(cat SProf.txt)" = mine ]
	grep -q '^seep: SProf.txt was written by the program itself' err.txt
	grep -q '^seep: plot.npy was written$' err.txt
	[ "$(head -c 6 plot.npy | tail -c 5)" = NUMPY ]
}

@test "with the profiler of jemalloc, too" {
	SProf__WRITE=1 "$seep" run -q --profiler jemalloc -o t.seep -- "$hits" --events 4 >out.txt
	grep -q '^A003_QSim__reset_TAIL:' SProf.txt
}

@test "seep calibrate takes its level from ..._PROFILE_LEAK_MB, which the program does not see" {
	export G4OPTICKSTEST_PROFILE_LEAK_MB=1.5
	"$seep" calibrate --json -f -o t.seep -- sh -c \
		'env | grep -c LEAK_MB >seen.txt; exec "$0" --events 100 --hits 10' "$hits" \
		>out.json 2>err.txt || true
	jq -e '.level_bytes == 1500000' out.json
	[ "$(cat seen.txt)" = 0 ]
	"$seep" calibrate --json -f -o t.seep --level 2MB -- "$hits" --events 100 --hits 10 \
		>out.json 2>err.txt || true
	jq -e '.level_bytes == 2000000' out.json
	unset G4OPTICKSTEST_PROFILE_LEAK_MB
	export G4OKTEST_PROFILE_LEAK_MB=ten
	fails "G4OKTEST_PROFILE_LEAK_MB: 'ten' is not a number of megabytes" \
		"$seep" calibrate -f -o t.seep -- "$hits"
	export G4OKTEST_PROFILE_LEAK_MB=0.001
	fails 'less than a page' "$seep" calibrate -f -o t.seep -- "$hits"
}
