#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The story of examples/hits.cc: what took four weeks, seep must tell at once.

setup_file() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE
	seep run -q -o all.seep -- "$SEEP_BUILD/examples/hits" >all.truth
	seep report all.seep >all.text
	seep report --json all.seep >all.json
}

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
}

# truth FILE KEY: what the program knows
truth() {
	awk -v key="$2" '$2 == key { print $3 }' "$1"
}

# sites FILE: "function line" of every accused site, sorted
sites() {
	jq -r '.sites[] | select(.verdict == "leak") | .stack[.own_frame] |
		"\(.function) \(.line)"' "$1" | sort
}

# true_sites FILE: the same as the program knows it
true_sites() {
	sed -n 's/^truth site \(.*\) objects .* line \([0-9]*\)$/\1 \2/p' "$1" | sort
}

@test "it is called a leak, and the rate is right" {
	[[ "$(head -n 1 all.text)" == "LEAK  "* ]]
	[ "$(jq -r .verdict.kind all.json)" = leak ]
	rate=$(truth all.truth rate_bytes_per_event)
	jq -e --argjson rate "$rate" '.verdict.rate | .low <= $rate * 1.002 and
		.high >= $rate * 0.998 and (.bytes_per_event / $rate - 1 | fabs) < 0.01' all.json
}

@test "the phase is the one that took a day to find" {
	grep -q 'phase   QSim__simulate_TAIL -> QSim__reset_HEAD ' all.text
	jq -e '.phases | max_by(.share) | .from == "QSim__simulate_TAIL" and
		.to == "QSim__reset_HEAD" and .share > 0.9' all.json
}

@test "all four sites, with function, file and line" {
	[ "$(sites all.json)" = "$(true_sites all.truth)" ]
	[ "$(sites all.json | wc -l)" -eq 4 ]
	while read -r function line; do
		grep -qE "${function//[<>]/.} +hits\.cc:$line .*/event .*never freed" all.text
	done < <(true_sites all.truth)
	jq -e '[.sites[] | select(.verdict == "leak") | .object_bytes] | sort ==
		[64, 384, 384, 384]' all.json
	jq -e '[.sites[] | select(.verdict == "leak") | .share] | add
		| . > 0.99 and . < 1.01' all.json
}

@test "every hit is counted" {
	total=$(truth all.truth hits_total)
	jq -e --argjson total "$total" '[.sites[] | select(.verdict == "leak")
		| .live_objects == $total and .born == $total and .died == 0] | all' all.json
}

@test "the driver is the number of hits, 1216 bytes each, and proportional" {
	jq -e '.drivers[0] | .counter == "numHit" and .proportional and
		(.bytes_per_unit / 1216 - 1 | fabs) < 0.005' all.json
	grep -qE 'driver  numHit: 121[0-9] B .*proportional' all.text
}

@test "a limit is given, and when it will be met" {
	grep -qE 'OOM     in (about )?[0-9]' all.text
}

@test "the last line is the next command, and it works" {
	next=$(tail -n 1 all.text)
	[[ "$next" == "next: seep report --site 1 all.seep" ]]
	run ${next#next: }
	[ "$status" -eq 0 ]
	[[ "$output" == *"hits.cc:"* ]]
}

@test "the wrong suspect is not accused, and its death is known" {
	rank=$(jq -r '.sites[] | select(.stack[.own_frame].function | test("convertHit"))
		| .rank' all.json)
	jq -e --argjson rank "$rank" '.sites[$rank - 1].verdict == "none"' all.json
	jq -e --argjson rank "$rank" '.sites[$rank - 1].freed_by[0].median_age_events == 1' all.json
	run seep report --site "$rank" all.seep
	[[ "${lines[0]}" == *"  not accused: its blocks are freed, median age 1 event" ]]
	[[ "$output" == *"freed by"*"median age 1 event"*"G4HCofThisEvent::~G4HCofThisEvent"* ]]
	[[ "$(cat all.text)" != *convertHit* ]]
}

@test "ten events name all four" {
	seep run -q -f -o ten.seep -- "$SEEP_BUILD/examples/hits" --events 10 >ten.truth
	seep report --json ten.seep >ten.json
	[ "$(sites ten.json)" = "$(true_sites ten.truth)" ]
	[ "$(jq -r .verdict.kind ten.json)" = leak ]
}

@test "a fix takes its site away and no other" {
	for fix in 1 2 3 4; do
		seep run -q -f -o fix.seep -- "$SEEP_BUILD/examples/hits" --fix $fix >fix.truth
		seep report --json fix.seep >fix.json
		[ "$(sites fix.json)" = "$(true_sites fix.truth)" ]
		[ "$(sites fix.json | wc -l)" -eq 3 ]
	done
}

@test "all fixed is flat" {
	seep run -q -f -o none.seep -- "$SEEP_BUILD/examples/hits" \
		--fix 1 --fix 2 --fix 3 --fix 4 >none.truth
	run seep report none.seep
	[[ "${lines[0]}" == "FLAT  no growth "* ]]
}

@test "seep demo finds what is planted" {
	cd "$BATS_TEST_TMPDIR"
	run seep demo
	[ "$status" -eq 0 ]
	[[ "$output" == *$'\nLEAK  '*"/event"* ]]
	[[ "$output" == *"truth site"* ]]
	[[ "$output" == *"next: seep report --site 1 seep.demo."* ]]
	run seep report
	[ "$status" -eq 0 ]
}

@test "seep demo called by its path: every command that it prints has the path" {
	cd "$BATS_TEST_TMPDIR"
	run "$SEEP_BUILD/bin/seep" demo
	[[ "$output" == *"$ $SEEP_BUILD/bin/seep run -- "* ]]
	[[ "$output" == *"next: $SEEP_BUILD/bin/seep report --site 1 seep.demo."* ]]
	[ "${lines[-1]}" = "  $SEEP_BUILD/bin/seep run -- ./program" ]
}

@test "a leak in Python, with its events and its driver" {
	cd "$BATS_TEST_TMPDIR"
	[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
	export PYTHONDONTWRITEBYTECODE=1
	seep run -q -o leak.seep -- /usr/bin/python3 "$SEEP_SOURCE/examples/leak.py"
	seep report --json leak.seep >leak.json
	jq -e '.verdict.kind == "leak" and .run.events == 200' leak.json
	jq -e '.drivers[0] | .counter == "rows" and (.bytes_per_unit - 100 | fabs) < 1' leak.json
	/usr/bin/python3 "$SEEP_SOURCE/examples/leak.py"
}
