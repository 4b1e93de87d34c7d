#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tools/skipped, which tools/test and tools/test-real call at their end: no skipped test is lost.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_REQUIRE_TESTS
	# An @ at the start of a line here would make a test of this file.
	printf '@test "%s" { %s; }\n' "runs" true "has a # in its name" 'skip "no right; none"' \
		"says nothing" skip >a.bats
	printf '%s\n' '3/9 Testing: unit.a' '3/9 Test: unit.a' '[ RUN      ] a_thing' \
		'[  SKIPPED ] a_thing' '[  SKIPPED ] 1 test(s), listed below:' \
		'[  SKIPPED ] a_thing' '4/9 Test: cli.a' >ctest.log
	bats --tap a.bats >>ctest.log
}

@test "every skipped test is listed with its reason" {
	run -0 "$SEEP_SOURCE/tools/skipped" ctest.log
	[ "${lines[0]}" = "skipped:" ]
	[ "${lines[1]}" = "  unit.a: a_thing" ]
	[ "${lines[2]}" = "  cli.a: has a # in its name: no right; none" ]
	[ "${lines[3]}" = "  cli.a: says nothing" ]
	[ "${#lines[@]}" -eq 4 ]
}

@test "they fail if tests are required" {
	SEEP_REQUIRE_TESTS=1 run -1 "$SEEP_SOURCE/tools/skipped" ctest.log
	[[ "${lines[-1]}" == *"3 of the tests"* ]]
	sed -i '/SKIPPED/d; / # skip/d' ctest.log
	SEEP_REQUIRE_TESTS=1 run -0 "$SEEP_SOURCE/tools/skipped" ctest.log
	[ -z "$output" ]
}
