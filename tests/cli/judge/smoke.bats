#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A few programs of the zoo and of the corpus of real programs, for each run of all tests.  They
# hold on a busy machine, as only what no verdict may get wrong is asked: a program that does not
# leak is never accused, and a leak is found.  Batch jobs are left out: ten seconds of growth on
# the way to an end may look like a leak.  make zoo and make real run all programs.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
}

# passes FILTER FILE: the filter lists nothing
passes() {
	jq -c "$1" "$2" | tee wrong
	[ ! -s wrong ]
}

@test "zoo: no false leak, and no leak is missed" {
	"$SEEP_SOURCE/tests/zoo/score" --only 1,4,5,7,10,14,25,26,31,32,34,40,45 --jobs 2 \
		--json zoo.json
	jq -e '.rows | length == 18' zoo.json
	passes '.rows[] | select(.error) | [.program, .error]' zoo.json
	passes '.rows[] | select(.said.kind == "leak" and (.truth.kinds | index("leak") | not))
		| .program' zoo.json
	passes '.rows[] | select((.truth.kinds | index("leak")) and
		(.said.kind != "leak" or .right.site != true)) | [.program, .said.kind]' zoo.json
}

@test "real programs: no false leak, and no leak is missed" {
	export SEEP_CORPUS="$PWD/corpus"
	healthy='perl-words|py-sqlite|sqlite-shell|git-catfile' # two sets have a sqlite-shell
	leaks='leak-py-memo|leak-py-masked|leak-perl-cycle' # ... and a leak-perl-cycle
	# Its own status also asks for more, such as few that are undecided.
	"$SEEP_SOURCE/tests/real/corpus/run" --lengths 10 --jobs 3 \
		--only "^($healthy|$leaks)\$" --json rows.json || true
	jq -e 'length == 9' rows.json
	passes '.[] | select(.truth != "leak" and (.kind == "leak" or .check == 1))
		| [.name, .kind, .check]' rows.json
	passes '.[] | select(.truth == "leak" and .outcome != "ok") | [.name, .kind]' rows.json
	jq -e '[.[] | select(.kind)] | length == 9' rows.json
}
