# SPDX-License-Identifier: GPL-3.0-or-later
# For tests that run real programs with and without the tracker.
# shellcheck shell=bash

# need COMMAND...: skips the test, and says why, where one is not installed
need() {
	local command
	for command; do
		command -v "$command" > /dev/null || skip "$command is not installed"
	done
}

# readable TRACE...: each can be read to its end, and reported as JSON; so can those of forked
# children, which are beside it
readable() {
	local trace
	for trace; do
		"$SEEP_BUILD/bin/seep" report --json "$trace" > report.json ||
			{ echo "no report of $trace"; return 1; }
		jq -e '.schema == "seep-report/1" and .run.damaged == 0' report.json > /dev/null ||
			{ echo "$trace:"; head -c 2000 report.json; return 1; }
	done
}

# in_place DIRECTORY COMMAND...: runs it there; keeps its output, errors and exit status
in_place() {
	local place=$1 status=0
	shift
	mkdir -p "$place"
	(cd "$place" && "$@") > "$place.out" 2> "$place.err" < "${input:-/dev/null}" || status=$?
	echo $status > "$place.status"
}

# Fails where bare and tracked have left different things.  What differs from run to run in any
# case goes through the sed script $normalise first; a test that sets it says what that is.
compare_places() {
	local kind
	for kind in out err; do
		sed -E -i "${normalise-}" "bare.$kind" "tracked.$kind"
		diff -a "bare.$kind" "tracked.$kind" | head -n 20
		cmp "bare.$kind" "tracked.$kind"
	done
	diff bare.status tracked.status
	diff -r bare tracked
}

# same COMMAND...: bare and tracked it does the same: output, errors, exit status, files that it
# leaves in its directory; and the trace can be read.  ${input} is its standard input.
same() {
	rm -rf bare* tracked*
	in_place bare "$@"
	case $(cat bare.status) in
	126 | 127) skip "cannot be run here: $*" ;;
	esac
	in_place tracked "$SEEP_BUILD/bin/seep" run -q -o "$PWD/tracked.seep" -- "$@"
	compare_places
	readable tracked.seep*
}

# same_script SCRIPT: the same for a shell script in which each command behind $TRACK is tracked
same_script() {
	rm -rf bare* tracked* traces
	mkdir traces
	TRACK='' in_place bare sh -eu "$1"
	[ "$(cat bare.status)" -eq 0 ] || skip "fails without the tracker: $(tail -n 1 bare.err)"
	cat > tracked.sh <<-END
		#!/bin/sh
		exec "$SEEP_BUILD/bin/seep" run -q -o "$PWD/traces/\$\$.seep" -- "\$@"
	END
	chmod +x tracked.sh
	TRACK=$PWD/tracked.sh in_place tracked sh -eu "$1"
	compare_places
	readable traces/*
}

# A port of the loopback interface that nobody uses.
free_port() {
	/usr/bin/python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# wait_until COMMAND...: tries until it works; gives up after many tries
wait_until() {
	local i
	for ((i = 0; i < 600; i++)); do
		"$@" > /dev/null 2>&1 && return
		sleep 0.1
	done
	echo "gave up waiting for: $*"
	return 1
}

# make_repository DIR: a git repository that is the same each time, to the byte
make_repository() {
	mkdir -p "$1"
	(cd "$1" && TRACK='' sh -eu "$SEEP_SOURCE/tests/real/work/history.sh" > /dev/null)
}
