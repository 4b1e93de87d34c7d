#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# An array that grows and is given back, however it is reserved, leaks nothing.

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE
}

# judge RESERVATION EVENTS [ARGUMENT]: the kind of the verdict
judge() {
	local reservation=$1 events=$2
	shift 2
	RESERVATION=$reservation NEVT=$events seep run -q -f -o out.seep -- \
		"$SEEP_BUILD/examples/gensteps" "$@" >/dev/null
	seep report --json out.seep | jq -r .verdict.kind
}

for_all() {
	for reservation in -1 0 1 4000 100000; do
		kind=$(judge "$reservation" "$@")
		echo "reservation $reservation: $kind"
		[ -n "$kind" ]
		[ "$kind" != leak ]
	done
}

@test "the counts of the simulation" {
	for_all 100 npy6
}

@test "few events" {
	for_all 10 npy6
}

@test "counts that jump" {
	for_all 50 collector
}
