#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What seep check writes for other programs: JUnit XML, SARIF, annotations for GitHub.
#
# shellcheck disable=SC2154 # bats sets $stderr

bats_require_minimum_version 1.5.0

setup_file() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE
	mkdir -p repo/.git repo/src
	cd repo || return
	make_program src/job.c
	gcc -g -I"$SEEP_SOURCE/include" src/job.c -o job
	seep run -q -o two.seep -- ./job 1000 200
	seep run -q -o flat.seep -- ./job 0 0
	seep run -q -o hits.seep -- "$SEEP_BUILD/examples/hits" --events 40 >/dev/null
}

# make_program FILE: keeps two blocks of the given sizes in each of 50 events
make_program() {
	cat >"$1" <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		void *kept[100];
		__attribute__((noinline)) void keep_more(int i, int n)
		{
			kept[i] = malloc(n);
		}
		__attribute__((noinline)) void keep_less(int i, int n)
		{
			kept[50 + i] = malloc(n);
		}
		int main(int argc, char **argv)
		{
			for (int i = 0; argc > 2 && i < 50; i++) {
				seep_event_begin(i);
				if (atoi(argv[1]))
					keep_more(i, atoi(argv[1]));
				if (atoi(argv[2]))
					keep_less(i, atoi(argv[2]));
				seep_event_end();
			}
			return 0;
		}
	END
}

# A site that keeps a block in 4 of 50 events is only suspect.
make_rare() {
	sed 's/if (atoi(argv\[1\]))/if (i % 12 == 5)/' src/job.c >src/rare.c
	gcc -g -I"$SEEP_SOURCE/include" src/rare.c -o rare
	seep run -q -f -o rare.seep -- ./rare 56 0
}

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR/repo" || return
	OUT="$BATS_TEST_TMPDIR"
	unset SEEP_DISABLE
}

# Prints one line per case: its name, and what became of it.
cases() {
	/usr/bin/python3 - "$1" <<-'END'
		import re, sys, xml.etree.ElementTree as tree
		root = tree.parse(sys.argv[1]).getroot()
		assert root.tag == "testsuites", root.tag
		suites = list(root)
		assert [s.tag for s in suites] == ["testsuite"]
		cases = suites[0].findall("testcase")
		for node in (root, suites[0]):
		    assert int(node.get("tests")) == len(cases)
		    assert int(node.get("failures")) == len(node.findall(".//failure"))
		    assert node.get("errors") == "0"
		    float(node.get("time"))
		assert int(suites[0].get("skipped")) == len(root.findall(".//skipped"))
		assert {c.tag for c in suites[0]} <= {"properties", "testcase"}
		for case in cases:
		    assert sorted(case.keys()) == ["classname", "name", "time"]
		    (child,) = list(case)
		    assert child.tag in ("failure", "skipped", "system-out")
		    assert child.text
		    if child.tag != "system-out":
		        assert child.get("message") == child.text
		    name = case.get("name").split(" [")[0]
		    place = re.match(r"(?:suppressed.*?; )?([^ ]+):(\d+): ", child.text)
		    print(name, child.tag, *(place.groups() if place else (None, None)))
	END
}

# The parts of SARIF 2.1.0 that its schema requires, and GitHub besides; prints
# "level rule file line fingerprint" for each result.
results() {
	/usr/bin/python3 - "$1" <<-'END'
		import json, re, sys
		with open(sys.argv[1], encoding="utf-8") as data:
		    log = json.load(data)
		assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
		(run,) = log["runs"]
		driver = run["tool"]["driver"]
		assert driver["name"] == "seep" and re.match(r"\d+\.\d+\.\d+$", driver["version"])
		rules = driver["rules"]
		assert len({rule["id"] for rule in rules}) == len(rules) > 0
		for rule in rules:
		    assert rule["shortDescription"]["text"].endswith(".") and rule["help"]["text"]
		    assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")

		def check_place(place):
		    uri = place["artifactLocation"]["uri"]
		    form = r"(file:///)?([\w\-.~/+@=,!$&'()*;]|%[0-9A-F]{2})+$"
		    assert re.match(form, uri, re.A), uri
		    assert uri.startswith("file:///") or not uri.startswith("/")
		    assert ("uriBaseId" in place["artifactLocation"]) != uri.startswith("file:")
		    assert place.get("region", {"startLine": 1})["startLine"] >= 1
		    return uri, place.get("region", {}).get("startLine")

		for result in run["results"]:
		    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
		    assert result["message"]["text"]
		    (print_,) = result["partialFingerprints"].values()
		    uri, line = check_place(result["locations"][0]["physicalLocation"])
		    for stack in result.get("stacks", []):
		        for frame in stack["frames"]:
		            if "physicalLocation" in frame["location"]:
		                check_place(frame["location"]["physicalLocation"])
		            assert frame["location"]["logicalLocations"][0]["fullyQualifiedName"]
		    state = "suppressed" if result.get("suppressions") else result["level"]
		    print(state, result["ruleId"], uri, line, print_)
	END
}

@test "JUnit: one case for the whole and one for each site" {
	run -1 seep check --budget 100 --junit "$OUT/j.xml" two.seep
	run -0 cases "$OUT/j.xml"
	[ "${lines[0]}" = "memory growth failure None None" ]
	[ "${lines[1]}" = "keep_more failure src/job.c 6" ]
	[ "${lines[2]}" = "keep_less failure src/job.c 10" ]
	[ "${#lines[@]}" -eq 3 ]
	run -0 seep check --budget 2kB --junit "$OUT/j.xml" two.seep
	run -0 cases "$OUT/j.xml"
	[ "${lines[0]}" = "memory growth system-out None None" ]
	[ "${lines[1]}" = "keep_more system-out src/job.c 6" ]
	run -0 seep check --budget 0 --junit "$OUT/j.xml" flat.seep
	run -0 cases "$OUT/j.xml"
	[ "$output" = "memory growth system-out None None" ]
}

@test "JUnit: what cannot be told, and what is suppressed, is skipped" {
	run -125 seep check --budget 1 --min-events 1000 --junit "$OUT/j.xml" two.seep
	run -0 cases "$OUT/j.xml"
	[ "${lines[0]}" = "memory growth skipped None None" ]
	echo 'keep_more # because <of> "it" & so' >"$OUT/known"
	run -1 seep check --budget 1 --suppress "$OUT/known" --junit "$OUT/j.xml" two.seep
	run -0 cases "$OUT/j.xml"
	[ "${lines[1]}" = "keep_more skipped src/job.c 6" ]
	[ "${lines[2]}" = "keep_less failure src/job.c 10" ]
	grep -q 'suppressed: because &lt;of&gt; &quot;it&quot; &amp; so' "$OUT/j.xml"
}

@test "SARIF: a result for each site, with its place relative to the repository" {
	run -1 seep check --budget 100 --sarif "$OUT/s.json" two.seep
	run -0 results "$OUT/s.json"
	[[ "${lines[0]}" =~ ^error\ SEEP001\ src/job.c\ 6\ [0-9a-f]{16}:1$ ]]
	[[ "${lines[1]}" =~ ^error\ SEEP001\ src/job.c\ 10\ [0-9a-f]{16}:1$ ]]
	[ "${#lines[@]}" -eq 2 ]
	(cd src && run -1 seep check --budget 100 --sarif "$OUT/s2.json" ../two.seep)
	cmp "$OUT/s.json" "$OUT/s2.json"
	run -1 seep check --budget 100 --source-root src --sarif "$OUT/s.json" two.seep
	run -0 results "$OUT/s.json"
	[[ "${lines[0]}" == *" SEEP001 job.c 6 "* ]]
	run -1 seep check --budget 100 --source-root /usr --sarif "$OUT/s.json" two.seep
	run -0 results "$OUT/s.json"
	[[ "${lines[0]}" == *" SEEP001 file:///"*"/repo/src/job.c 6 "* ]]
}

@test "SARIF: nothing where it passes, a warning where it cannot tell" {
	run -0 seep check --budget 2kB --sarif "$OUT/s.json" two.seep
	run -0 results "$OUT/s.json"
	[ -z "$output" ]
	run -125 seep check --budget 1 --min-events 1000 --sarif "$OUT/s.json" two.seep
	run -0 results "$OUT/s.json"
	[[ "$output" == "warning SEEP003 job None job" ]]
	echo 'keep_more # for a reason' >"$OUT/known"
	run -0 seep check --budget 300 --suppress "$OUT/known" --sarif "$OUT/s.json" two.seep
	run -0 results "$OUT/s.json"
	[[ "$output" == "suppressed SEEP001 src/job.c 6 "* ]]
	jq -e '.runs[0].results[0].suppressions[0] ==
		{"kind": "external", "justification": "for a reason"}' "$OUT/s.json"
	run -1 seep check --budget 1 --strict-suppressions --suppress "$OUT/known" \
		--sarif "$OUT/s.json" flat.seep || [ "$status" -eq 1 ]
}

@test "SARIF: new and known sites are told apart with a baseline" {
	seep run -q -o "$OUT/one.seep" -- ./job 1000 0
	run -1 seep check --budget 10 --baseline "$OUT/one.seep" --sarif "$OUT/s.json" two.seep
	jq -e '[.runs[0].results[] | .baselineState] == ["new"]' "$OUT/s.json"
	run -0 results "$OUT/s.json"
	[[ "$output" == "error SEEP001 src/job.c 10 "* ]]
}

@test "fingerprints: other lines, addresses and optimisation, the same code" {
	mkdir "$OUT/there"
	cd "$OUT/there"
	make_program job.c
	{ printf '\n/* moved */\n\n\nint pad(void) { return 3; }\n'; cat job.c; } >other.c
	gcc -g -O1 -fno-builtin -fno-pie -no-pie -I"$SEEP_SOURCE/include" other.c -o job
	seep run -q -o two.seep -- ./job 1000 200
	run -1 seep check --budget 100 --sarif there.json two.seep
	run -0 results there.json
	there=$(awk '{ print $5 }' <<<"$output")
	[[ "${lines[0]}" == *" other.c 11 "* ]]
	cd "$BATS_FILE_TMPDIR/repo"
	run -1 seep check --budget 100 --sarif "$OUT/s.json" two.seep
	run -0 results "$OUT/s.json"
	[ "$there" = "$(awk '{ print $5 }' <<<"$output")" ]
}

@test "fingerprints: two lines of one function are two" {
	run -1 seep check --budget 0 --sarif "$OUT/s.json" hits.seep
	run -0 results "$OUT/s.json"
	[ "${#lines[@]}" -eq 4 ]
	[ "$(awk '{ print $5 }' <<<"$output" | sort -u | wc -l)" -eq 4 ]
	[ "$(awk '{ print $5 }' <<<"$output" | cut -d: -f2 | sort | tr -d '\n')" = 1112 ]
}

@test "GitHub: annotations behind the text, escaped" {
	run -1 --separate-stderr seep check --budget 100 --github two.seep
	[[ "${lines[0]}" == FAIL* ]]
	total='::error title=seep check%3A FAIL::job: the rate is 1200 B/event (95 %25: '
	[[ "$output" == *$'\n'"$total"* ]]
	site='::error file=src/job.c,line=6,title=keep_more::memory allocated in keep_more '
	[[ "$output" == *$'\n'"$site"* ]]
	[[ "${lines[-1]}" == "::error file=src/job.c,line=10,title=keep_less::"* ]]
	run -0 seep check --budget 2kB --github two.seep
	[[ "${lines[-1]}" == "::notice title=seep check%3A PASS::"* ]]
	run -125 seep check --budget 2kB --min-events 1000 --github two.seep
	[[ "${lines[-1]}" == "::warning title=seep check%3A CANNOT TELL::"* ]]
	run -0 seep check --budget 2kB two.seep
	[[ "$output" != *::* ]]
	run -1 seep check --budget 0 --github hits.seep
	[[ "$output" == *",title=Tran<double>%3A%3AInvert::"* ]]
}

@test "hostile names: XML stays XML, JSON stays JSON, a line stays a line" {
	cd "$OUT"
	dir=$'d<&">\'%0A,:;#\xc3\xa9\x01\xff\n::error::x'
	mkdir "$dir"
	make_program "$dir/job.c"
	program=$dir/$'job<&">%\x01\xff::'
	(cd "$dir" && gcc -g -I"$SEEP_SOURCE/include" job.c -o prog && mv prog "${program##*/}")
	seep run -q -o t.seep -- "$program" 1000 200
	run -1 seep check --budget 100 --github --junit j.xml --sarif s.json t.seep
	[ "$(grep -c '^::' <<<"$output")" -eq 3 ]
	[ -z "$(tr -d '\n[:print:]' <<<"$output" | tr -d '\200-\377')" ]
	iconv -f UTF-8 -t UTF-8 j.xml >/dev/null
	iconv -f UTF-8 -t UTF-8 s.json >/dev/null
	run -0 cases j.xml
	[ "${#lines[@]}" -ge 3 ]
	run -0 results s.json
	[ "${#lines[@]}" -eq 2 ]
}

@test "files are whole or not there, and errors leave none" {
	run -125 --separate-stderr seep check --budget 0 --junit nowhere/j.xml two.seep
	[ -z "$output" ]
	run -125 seep check --budget 0 --junit "$OUT" two.seep
	run -125 seep check --budget 0 --sarif '' two.seep
	run -125 seep check --budget 0 --junit "$OUT/j.xml" --sarif nowhere/s.json two.seep
	[ ! -e "$OUT/j.xml" ]
	if [ -w /dev/full ]; then
		run -125 --separate-stderr seep check --budget 0 --junit "$OUT/j.xml" \
			--sarif /dev/full two.seep
		[ -z "$output" ]
		[ ! -e "$OUT/j.xml" ]
	fi
	run -1 seep check --budget 0 --junit /dev/null --sarif "$OUT/s.json" two.seep
	[ -c /dev/null ]
	(umask 022 && run -1 seep check --budget 0 --junit "$OUT/j.xml" two.seep)
	[ "$(stat -c %a "$OUT/j.xml")" = 644 ]
	ln -s j.xml "$OUT/link.xml"
	run -0 seep check --budget 1MB --junit "$OUT/link.xml" two.seep
	[ -L "$OUT/link.xml" ]
	grep -q 'failures="0"' "$OUT/j.xml"
	[ -z "$(find "$OUT" -maxdepth 1 -name '*.xml.*' -o -maxdepth 1 -name '*.json.*')" ]
}

@test "a place that cannot be written is told before the command runs" {
	run -125 seep check --budget 0 --junit nowhere/j.xml -- touch "$OUT/ran"
	[ ! -e "$OUT/ran" ]
	run -125 seep check --budget 0 --baseline nowhere -- touch "$OUT/ran"
	run -125 seep check --budget 0 --suppress nowhere -- touch "$OUT/ran"
	[ ! -e "$OUT/ran" ]
}

@test "nothing that is read is written over, nor one output over the other" {
	cd "$BATS_FILE_TMPDIR/repo"
	cp two.seep "$BATS_TEST_TMPDIR/t.seep"
	cd "$BATS_TEST_TMPDIR"
	echo nobody > known
	seep report --json t.seep > base.json
	ln -s t.seep link
	sha256sum t.seep known base.json > sums
	for file in t.seep ./t.seep link known base.json; do
		for format in junit sarif; do
			run -125 seep check --budget 0 --suppress known --baseline base.json \
				"--$format" "$file" t.seep
			[[ $output == *"would overwrite the "* ]]
		done
	done
	run -125 seep check --budget 0 --junit t.seep
	run -125 seep check --budget 0 --junit new --sarif ./new t.seep
	[[ $output == *"would overwrite the file that --junit writes"* ]]
	[ ! -e new ]
	run -125 seep check --budget 0 -o new.seep --sarif new.seep -- ../repo/job 10 10
	[ ! -e new.seep ]
	run -1 seep check --budget 0 --junit /dev/null --sarif /dev/null t.seep
	sha256sum -c sums
}

@test "suspects are warnings at most, and only with --strict" {
	make_rare
	run -0 seep check --budget 0 --github --junit "$OUT/x.xml" --sarif "$OUT/x.sarif" rare.seep
	[[ "$output" != *"::warning"* && "$output" != *"::error"* ]]
	[ "$(cases "$OUT/x.xml" | wc -l)" -eq 1 ]
	jq -e '.runs[0].results == []' "$OUT/x.sarif"
	run -1 seep check --budget 0 --strict --github --junit "$OUT/x.xml" \
		--sarif "$OUT/x.sarif" rare.seep
	[[ "$output" == *"::error title=seep check%3A FAIL::"*"1 site is suspect (--strict); "* ]]
	[[ "$output" == *$'\n::warning file=src/rare.c,line=6,title=keep_more::'* ]]
	[[ "$output" == *" is suspect: 56 B x "* ]]
	run cases "$OUT/x.xml"
	[[ "${lines[0]}" == *"memory growth"*failure* ]]
	[[ "${lines[1]}" == *keep_more*skipped* ]]
	jq -e '.runs[0].results | length == 1 and .[0].ruleId == "SEEP004" and
		.[0].level == "warning" and (.[0].message.text | test("keep_more is suspect"))' \
		"$OUT/x.sarif"
}
