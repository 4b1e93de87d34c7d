#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the report says in one place must not be denied in another.

setup() {
	bats_require_minimum_version 1.5.0
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE
}

# trace HOW [EVENTS]: leaves t.seep, report.txt and report.json
trace() {
	seep run -q -f -o t.seep -- "$SEEP_BUILD/tests/truth/odd_growth" "$@" >/dev/null
	seep report t.seep > report.txt
	seep report --json t.seep > report.json
	cat report.txt
}

@test "a sawtooth down to nothing does not grow at all, in the headline as well" {
	trace teeth
	head -n 1 report.txt | grep -q '^SAWTOOTH  no growth at all  over '
	jq -e '.verdict.rate.high == 0' report.json
}

@test "... nor are teeth measured that are shorter than what was written" {
	trace teeth 100000
	head -n 1 report.txt | grep -q '^SAWTOOTH  '
	jq -r .verdict.sentence report.json > sentence.txt
	grep -Eq 'sampled every [0-9]+ events, it fell [0-9]+ times' sentence.txt
	run ! grep -Eq 'falls by|-0 B' sentence.txt
}

@test "memory that is not touched does not fill the RAM" {
	trace untouched
	jq -e '.verdict.kind == "leak" and .verdict.rate.bytes_per_event == 1e9' report.json
	# 300 GB have leaked by now, and RSS shows nothing of it
	jq -e '.verdict.oom | .seconds == null or .bytes_per_event < 1e6' report.json
}

@test "ever larger blocks of one site are all of the growth" {
	trace larger
	jq -e '.verdict.kind == "leak"' report.json
	jq -e '.sites[0].share > .95 and .sites[0].share < 1.05' report.json
	# size x number of the list is the rate, too: the last quarter has 2260 to 3000 B each
	line='^  sites   1   get   odd_growth.c:[0-9]+   2[3-9][0-9]{2} B x 1/event   100 %'
	grep -Eq "$line" report.txt
}

@test "an array that grows has a rate, and not no blocks per event" {
	trace array
	grep -Eq '^  sites   1   get   odd_growth.c:[0-9]+   1000 B/event   100 %' report.txt
	[[ "$(seep report --site 1 t.seep)" != *" x 0/event"* ]]
}
