#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep run --event lines: and file:.  Events of a program that only writes a log.
#
# shellcheck disable=SC2016 # what stands in quotes is for another shell
# shellcheck disable=SC2154 # bats sets $stderr

bats_require_minimum_version 1.5.0

setup() {
	PATH="$SEEP_BUILD/bin:$SEEP_BUILD/tests/truth:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
	export TERM=xterm
	terminal=$SEEP_SOURCE/tests/cli/terminal.py
	answer=$SEEP_SOURCE/tests/cli/answer.py
	starts='^--> Event (?<event>\d+) starts with (?<tracks>\d+) tracks'
	ends='^Event (?<event>\d+) made (?<last_hits>\d+) hits'
}

# lines COMMAND...: runs it with lines that nobody writes
lines() {
	seep run -q -f -o t.seep --event 'lines:nobody writes this' -- "$@"
}

# has_driver NAME BYTES: the growth is proportional to that counter
has_driver() {
	seep report --json t.seep >report.json
	jq -e --arg name "$1" --argjson bytes "$2" '.verdict.kind == "leak" and
		.run.event_source == "lines" and
		(.drivers[0] | .counter == $name and .proportional and
		 (.bytes_per_unit - $bytes | fabs) < 1) and
		.sites[0].stack[0].function == "make_hit"' report.json
}

@test "a log gives events, their counters and a driver, without an edit" {
	"$answer" seep run -o t.seep --event "lines:$starts" -- geant -a 60 >out 2>err
	has_driver tracks 2560
	[ "$(jq .run.events report.json)" -eq 60 ]
	[ "$(grep -c '^--> Event' out)" -eq 60 ]
	# the index and the counter of each event are those of its line
	seep export --to csv t.seep | awk -F, '$4 == "\"begin\"" { print $2 }' >indices
	seq 0 59 | cmp - indices
	run -1 grep -E 'buffered|no event' err
}

@test "lines on stderr begin events as well" {
	"$answer" --err seep run -q -o t.seep --event "lines:$starts" -- geant -e -a 60 2>err
	has_driver tracks 2560
	[ "$(jq .run.events report.json)" -eq 60 ]
}

@test "last_NAME is a counter of the event that the line ends" {
	"$answer" seep run -q -o t.seep --event "lines:$ends" -- geant -a 60 >out
	has_driver hits 256
}

@test "lines of a log file begin events, and what was in it before does not" {
	printf -- '--> Event %d starts with 1 tracks\n' 900 901 >log
	mv log old.log
	seep run -q -o t.seep --event "file:$starts:log" -- geant -p -f log 100
	seep report --json t.seep >report.json
	jq -e '.run.event_source == "file" and .run.events >= 10 and .run.events <= 100 and
		.verdict.kind == "leak" and .sites[0].stack[0].function == "make_hit"' report.json
	seep export --to csv t.seep | awk -F, '$4 == "\"begin\"" { print $2 }' >indices
	sort -n indices | uniq | cmp - indices
}

# The program is what it was
@test "the output is the same, byte for byte" {
	head -c 300000 /dev/urandom >bin
	lines cat bin >out
	cmp bin out
	lines sh -c 'cat bin >&2' 2>err
	cmp bin err
	lines sh -c 'cat bin >&2; cat bin' >out 2>err
	cmp bin out
	cmp bin err
	lines sh -c 'cat bin' | cmp - bin
	geant 50 >wanted
	seep run -q -f -o t.seep --event "lines:$starts" -- geant 50 >out
	cmp wanted out
	echo before >out
	lines geant 50 >>out
	{ echo before && cat wanted; } | cmp - out
}

@test "stdout and stderr stay in order if they are one file" {
	for n in $(seq 200); do
		printf 'out %d\nerr %d\n' "$n" "$n"
	done >wanted
	script='for n in $(seq 200); do echo out $n; echo err $n >&2; done'
	lines sh -c "$script" >both 2>&1
	cmp wanted both
	lines sh -c "$script" 2>&1 | cmp wanted -
}

@test "exit status, signals and standard input" {
	run -7 lines sh -c 'exit 7'
	run -137 lines sh -c 'kill -9 $$'
	run -143 lines sh -c 'kill -TERM $$'
	[ "$(echo hello | lines cat)" = hello ]
	[ "$(lines sh -c 'cat; echo end' </dev/null)" = end ]
	run -127 lines ./not_there
}

@test "a reader that leaves ends the program by SIGPIPE" {
	lines sh -c 'yes; echo $? >&3' 3>status 2>/dev/null | head -n 1
	[ "$(cat status)" -eq 141 ]
	# only the stream that nobody reads is closed
	lines sh -c 'trap "" PIPE; yes >&2 2>/dev/null; echo still here' \
		2> >(head -n 1 >/dev/null) >out
	[ "$(cat out)" = "still here" ]
}

@test "a full pipe on one stream does not hold up the other" {
	mkfifo out err
	lines sh -c 'head -c 200000 /dev/zero & head -c 200000 /dev/zero >&2; wait' >out 2>err &
	exec 5<out 6<err
	[ "$(head -c 200000 <&6 | wc -c)" -eq 200000 ]
	[ "$(wc -c <&5)" -eq 200000 ]
	wait $!
}

@test "what runs in the background may write after the end" {
	mkfifo go
	lines sh -c '(read -r line <go; echo late) & echo early' >out
	[ "$(cat out)" = early ]
	echo >go
	for _ in $(seq 500); do
		if grep -q late out; then
			break
		fi
		sleep 0.01
	done
	[ "$(cat out)" = "$(printf 'early\nlate')" ]
}

@test "the output survives a seep that is killed" {
	(lines sh -c 'echo one; kill -9 $PPID; echo two; echo three >&2; : >ended' >out 2>&1) ||
		true
	for _ in $(seq 500); do
		if [ -e ended ] && grep -q three out; then
			break
		fi
		sleep 0.01
	done
	[ "$(grep -xE 'one|two|three' out)" = "$(printf 'one\ntwo\nthree')" ]
}

# A terminal
@test "a terminal stays one: size, colours, changes of the window" {
	run -0 "$terminal" --columns 91 seep run -q -o t.seep --event lines:x -- \
		sh -c 'test -t 0 && test -t 1 && test -t 2 && stty size <&1'
	[ "${lines[1]}" = "left 24 91" ]
	run -0 "$terminal" seep run -q -f -o t.seep --event lines:x -- \
		sh -c 'exec 3>&1; stty cols 99 rows 31 </dev/tty
			for n in $(seq 500); do
				if [ "$(stty size <&3)" = "31 99" ]; then break; fi
			done; stty size <&3'
	[ "${lines[1]}" = "left 31 99" ]
	run -3 "$terminal" seep run -q -f -o t.seep --event lines:x -- sh -c 'exit 3'
	run -1 seep run -q -f -o t.seep --event lines:x -- sh -c 'test -t 1'
}

@test "Ctrl-C, Ctrl-Z and the keyboard reach the program" {
	run -5 "$terminal" --type ready '\x03' seep run -q -o t.seep --event lines:x -- \
		sh -c 'trap "echo stopped; exit 5" INT; echo ready; while :; do sleep 0.1; done'
	[[ "$output" == *"stopped"* ]]
	run -0 "$terminal" --type name: 'bob\n' seep run -q -f -o t.seep --event lines:x -- \
		sh -c 'printf name:; read -r name; echo "<$name>"'
	[[ "$output" == *"<bob>"* ]]
	run -0 "$terminal" --type ready '\x1a' --type "status 148" 'more\n' bash -m -c \
		'seep run -q -f -o t.seep --event lines:x -- \
			sh -c "echo ready; read -r line; echo got \$line"
		echo status $?; fg; echo status $?'
	[[ "$output" == *"left got more"*"left status 0"* ]]
}

@test "the status line and the program's lines do not mix" {
	run -0 "$terminal" --frames 4 seen \
		seep run -o t.seep --event 'lines:^step (?<event>\d+)' -- sh -c 'n=0
			until [ -e seen ]; do
				n=$((n + 1))
				echo step $n
				sleep 0.01
				printf "half a "
				sleep 0.01
				echo line
			done'
	echo "$output" >screen
	grep '^drawn ' screen >drawn
	[ "$(wc -l <drawn)" -ge 2 ]
	run -1 grep -v '^drawn seep: [^ ]* .*RSS [0-9.]* [kM]B$' drawn
	grep '^left step\|^left half' screen >written
	run -1 grep -vE '^left (step [0-9]+|half a line)$' written
	[ "$(wc -l <written)" -ge 20 ]
}

# What goes wrong
@test "output that is buffered is noticed, at once and in the report" {
	seep run -o t.seep --event "lines:$starts" -- geant -b 2000 >out 2>err
	geant -b 2000 | cmp - out
	grep -q '^  note    the output is buffered, so events came in bursts of about ' err
	seep report t.seep | tr -s ' \n' ' ' |
		grep -q 'run the program with stdbuf -oL (Python: python3 -u)'
	seep run -f -o t.seep --event "lines:$starts" -- geant -b -p 60 >out 2>err
	grep -q 'all 60 lines that are events were written at once' err
	seep run -f -o t.seep --event "lines:$starts" -- stdbuf -oL geant -b -p 60 >out 2>err
	run -1 grep -q buffered err
	# what is written line by line is no burst, however fast
	seep run -f -o t.seep --event "lines:$starts" -- geant -e 2000 >out 2>err
	run -1 grep -q 'bursts' err
}

@test "if no line matches, the last ones are shown, and the slices of time are judged" {
	run -0 --separate-stderr seep run -o t.seep --event 'lines:^event (?<event>\d+)' -- \
		printf 'one\ntwo \033[31mred\nthree\nEvent 5\n'
	[[ "$stderr" == *"no event: none of the 4 lines in the output matches "* ]]
	[[ "$stderr" == *"matches '^event (?<event>\d+)'; the last are:"* ]]
	[[ "$stderr" == *'  | two \x1b[31mred'*'  | Event 5'* ]]
	[[ "$stderr" == *"note    no line matched: events are time slices"* ]]
	run -0 --separate-stderr seep run -f -o t.seep --event 'lines:x' -- echo one
	[[ "$stderr" == *"no event: the only line in the output does not match 'x':"*"  | one"* ]]
	run -0 --separate-stderr seep run -f -o t.seep --event 'lines:x' -- true
	[[ "$stderr" == *"no event: the program wrote no line to the output"* ]]
	run -0 --separate-stderr seep run -f -o t.seep --event 'file:x:not.there' -- true
	[[ "$stderr" == *"no event: the program wrote no line to not.there"* ]]
}

@test "a value that is no number is left out" {
	run -0 --separate-stderr seep run -o t.seep --event 'lines:hits (?<hits>\w+)' -- \
		printf 'hits 1\nhits none\nhits 3\n'
	[[ "$stderr" == *"1 value in the lines was left out because it is not a number"* ]]
}

@test "an expression that takes for ever is given up" {
	run -0 --separate-stderr seep run -o t.seep --event 'lines:^(a+)+$' -- \
		printf '%s\n' aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! aa
	[[ "$stderr" == *"1 line took too many steps to match and was left out"* ]]
}

@test "what cannot be used is refused before the program starts" {
	for event in 'lines:' 'lines:(' 'lines:(?<a>x)(?<a>y)' 'file:x' 'file:x:' \
		'file:x:no/where' 'file:x:.'; do
		run -125 --separate-stderr seep run -o t.seep --event "$event" -- touch started
		[ -n "$stderr" ]
		[ ! -e started ]
	done
	run -125 --separate-stderr seep run --event 'lines:(?<a>x' -- true
	[[ "$stderr" == *"missing closing parenthesis at position 6"* ]]
	run -125 --separate-stderr seep calibrate --event lines:x -- true
	[[ "$stderr" == *"cannot take events from lines"* ]]
	run -125 sh -c 'seep run --event lines:x -- touch started >&- 2>&-'
	[ ! -e started ]
}
