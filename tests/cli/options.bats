#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The options of all commands: each is accepted, wrong ones are explained, and their place on
# the command line is free up to the command that is run.

bats_require_minimum_version 1.5.0

COMMANDS="run watch report diff check calibrate plot export pack demo doctor completion"

setup_file() {
	export SEEP="$SEEP_BUILD/bin/seep"
	export TRACE="$BATS_FILE_TMPDIR/run.seep"
	export NEWER="$BATS_FILE_TMPDIR/newer.seep"
	"$SEEP" run -q -o "$TRACE" -- "$SEEP_BUILD/examples/hits" --events 30 >/dev/null
	"$SEEP" run -q -o "$NEWER" -- "$SEEP_BUILD/examples/hits" --events 30 >/dev/null
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# fails TEXT COMMAND...: it ends with 125 and says so
fails() {
	local text=$1
	shift
	run -125 "$@"
	echo "$output"
	[[ "$output" == *"$text"* ]]
}

# options COMMAND: lines of letter (or nothing), name and argument, separated by commas
options() {
	"$SEEP" help "$1" |
		sed -nE 's/^  (-(.), |    )--([a-z-]+)(\[=[A-Z]+\]| [^ ]+)?( .*)?$/\2,\3,\4/p'
}

# value ARGUMENT: a value that the argument may have
value() {
	case $1 in
	FILE | PATH) echo file ;;
	PICTURE) echo picture.png ;;
	DIRECTORY) echo . ;;
	SOURCE) echo time:20ms ;;
	'SIZE[/event|/s]') echo 1kB/event ;;
	SIZE | BYTES) echo 64KiB ;;
	N | EVENTS) echo 3 ;;
	NAME) echo jemalloc ;;
	fn:NAME) echo fn:main ;;
	'NAME[:SIZE]' | 'NAME[:BLOCK]') echo take:1 ;;
	'[=NAMES]') echo 'worker,python3*' ;;
	TIME) echo 2s ;;
	REGEX:PATH) echo '([0-9]+):log' ;;
	FORMAT) [ "$command" = diff ] && echo json || echo csv ;;
	UNIT) echo KiB ;;
	SITE) echo 1 ;;
	REGEX) echo main ;;
	MODULE) echo libfoo.so ;;
	STAMP) echo work ;;
	PANEL) echo delta ;;
	WxH) echo 800x600 ;;
	'on|off') echo off ;;
	*)
		echo "no value is known for $1" >&2
		return 1
		;;
	esac
}

# for_all FUNCTION: FUNCTION COMMAND LETTER NAME ARGUMENT, for each option but --help
for_all() {
	local command letter name argument n=0
	for command in $COMMANDS; do
		while IFS=, read -r letter name argument <&9; do
			[ "$name" != help ] || continue
			"$1" "$command" "$letter" "$name" "${argument# }"
			n=$((n + 1))
		done 9< <(options "$command")
	done
	[ $n -gt 60 ]
}

# --help ends the reading of options, but only after those before it were accepted.
accept() {
	local value='' form
	local -a forms=("--$3")
	[ -z "$2" ] || forms+=("-$2")
	if [ "$4" = '[=NAMES]' ]; then
		run -0 "$SEEP" "$1" "--$3=$(value "$4")" --help
	elif [ -n "$4" ]; then
		value=$(value "$4")
		run -0 "$SEEP" "$1" "--$3=$value" --help
	fi
	for form in "${forms[@]}"; do
		run -0 "$SEEP" "$1" "$form" ${value:+"$value"} --help
		[[ "$output" == "usage: seep $1"* ]]
	done
}

@test "every option is accepted" {
	for_all accept
	[ -z "$(ls)" ]
}

miss() {
	if [ -z "$4" ]; then
		fails "option '--$3' does not take a value" "$SEEP" "$1" "--$3=1"
	elif [ "$4" != '[=NAMES]' ]; then
		fails "option '--$3' needs a value: $4; see $SEEP help $1" "$SEEP" "$1" "--$3"
	fi
	[ -z "$2" ] || [ -z "$4" ] || fails "option '-$2' needs a value: $4" "$SEEP" "$1" "-$2"
}

@test "a value that is missing, and one too many" {
	for_all miss
}

refuse_nonsense() {
	local -a budget=()
	[ "$1" != check ] || budget=(--budget 0)
	case $4 in
	'' | FILE | PATH | DIRECTORY | REGEX:PATH | SITE | REGEX | MODULE | STAMP) ;;
	'[=NAMES]') fails "program names without" "$SEEP" "$1" "--$3=nonsense/" -- true ;;
	'NAME[:SIZE]' | 'NAME[:BLOCK]')
		fails "nonsense/: no such function" "$SEEP" "$1" "--$3=nonsense/" -- true
		;;
	*) fails "'nonsense/'" "$SEEP" "$1" "${budget[@]}" "--$3=nonsense/" -- true ;;
	esac
}

@test "values that make no sense are refused" {
	for_all refuse_nonsense
	[ -z "$(ls)" ]
}

@test "options that do not exist" {
	for command in $COMMANDS; do
		fails "there is no option '--no-such-thing'; see $SEEP help $command" \
			"$SEEP" "$command" --no-such-thing
		fails "there is no option '-Z'; see $SEEP help $command" "$SEEP" "$command" -Z
		fails "option '--help' does not take a value" "$SEEP" "$command" --help=yes
	done
	fails "there is no option '-x'; see $SEEP help check" "$SEEP" check --strict -xb 0 t.seep
	fails "there is no option '-x'; see $SEEP help report" "$SEEP" report --json -xq t.seep
	fails "there is no option '--jsn'; did you mean '--json'?" "$SEEP" report --jsn
	fails "option '--dump' is ambiguous: it could be '--dump-from' or '--dump-until'" \
		"$SEEP" run --dump 3
	fails "unexpected argument 'more': seep demo takes no arguments" "$SEEP" demo more
}

@test "the name may be shortened, letters may stand together" {
	"$SEEP" report --js "$TRACE" | jq -e .verdict.kind
	"$SEEP" run -qfo x.seep true
	"$SEEP" run -qfox.seep true
	[ "$(ls)" = x.seep ]
}

@test "options before, between and after files" {
	expected=$("$SEEP" diff --json "$TRACE" "$NEWER")
	[ "$("$SEEP" diff "$TRACE" --json "$NEWER")" = "$expected" ]
	[ "$("$SEEP" diff "$TRACE" "$NEWER" --json)" = "$expected" ]
	[ "$("$SEEP" diff --json -- "$TRACE" "$NEWER")" = "$expected" ]
	"$SEEP" report "$TRACE" --json | jq -e .verdict.kind
	"$SEEP" export "$TRACE" --to csv | grep -q ,
	"$SEEP" plot "$TRACE" -o x.svg
	cp "$TRACE" ./--json
	"$SEEP" report -- --json | grep -q hits
}

@test "check: options on both sides of the file, none after --" {
	run -1 "$SEEP" check "$TRACE" --budget 0
	run -1 "$SEEP" check --budget 0 "$TRACE"
	run -1 "$SEEP" check --budget 0 --min-events 5 "$TRACE" --github
	cat >say <<-'END'
		#!/bin/sh
		echo "$@" >words
	END
	chmod +x say
	run "$SEEP" check --budget 1GB -- ./say --budget 1 -o x
	[ "$(cat words)" = "--budget 1 -o x" ]
	fails "there is no command after --" "$SEEP" check --budget 0 --
	fails "give either a trace or a command" "$SEEP" check --budget 0 "$TRACE" -- true
	fails "unexpected argument '$NEWER': seep check reads one trace" \
		"$SEEP" check --budget 0 "$TRACE" "$NEWER"
	fails "need a command to run" "$SEEP" check --budget 0 --event api "$TRACE"
}

@test "run and calibrate: what follows the command is its own" {
	run -0 --separate-stderr "$SEEP" run -q echo -q --output x -- -f
	[ "$output" = "-q --output x -- -f" ]
	rm -- *.seep
	run -0 --separate-stderr "$SEEP" run -q -- echo -o -- x
	[ "$output" = "-o -- x" ]
	run --separate-stderr "$SEEP" calibrate -o x.seep echo --level 3 -o y
	[ "$output" = "--level 3 -o y" ]
	[ -f x.seep ]
	fails "name the program to run" "$SEEP" run -q --
	fails "name the program to run" "$SEEP" calibrate --json
}

@test "watch: options after a process, none after a command" {
	sleep 100 3>&- &
	pid=$!
	run -0 "$SEEP" watch $pid --for 200ms --interval 20ms -q -o x.seep
	[ -f x.seep ]
	run -0 "$SEEP" watch --for 200ms $pid -f -o x.seep -q
	kill $pid
	cat >job <<-'END'
		#!/bin/sh
		echo "$@"
	END
	chmod +x job
	run -0 --separate-stderr "$SEEP" watch --for 2s -q -- ./job --for 3s -o y
	[ "$output" = "--for 3s -o y" ]
	run -0 --separate-stderr "$SEEP" watch -q ./job 4 --for 3s
	[ "$output" = "4 --for 3s" ]
	# a number after -- is a program
	cp job 4131
	run -0 --separate-stderr env PATH="$PWD:$PATH" "$SEEP" watch -q -- 4131 --for
	[ "$output" = "--for" ]
}

@test "-o -: standard output, or a reason why not" {
	for command in run watch calibrate; do
		fails "-o -: a trace cannot be written to standard output; name a file" \
			"$SEEP" "$command" -o - -- true
	done
	fails "-o -: a trace cannot be written to standard output" \
		"$SEEP" check --budget 0 --output=- -- true
	fails "-o -: a picture cannot be written to standard output" "$SEEP" plot -o - "$TRACE"
	[ "$("$SEEP" diff -o - "$TRACE" "$NEWER")" = "$("$SEEP" diff "$TRACE" "$NEWER")" ]
	[ "$("$SEEP" export --to csv -o - "$TRACE")" = "$("$SEEP" export --to csv "$TRACE")" ]
	fails "npy is a folder of files; name it with -o FOLDER" \
		"$SEEP" export --to npy -o - "$TRACE"
	fails "cannot go to standard output" "$SEEP" check --budget 0 --junit - "$TRACE"
	fails "cannot go to standard output" "$SEEP" check --budget 0 --sarif - "$TRACE"
	fails "cannot go to standard output" "$SEEP" run --run-info - -- true
	[ -z "$(ls)" ]
}

@test "-f: a trace is replaced with it, and kept without" {
	echo old >x
	sleep 100 3>&- &
	pid=$!
	for words in "run -q" "watch -q" "calibrate" "check --budget 0"; do
		# shellcheck disable=SC2086
		fails "'x' exists; replace it with -f" "$SEEP" $words -o x -- true
		[ "$(cat x)" = old ]
	done
	fails "'x' exists; replace it with -f" "$SEEP" watch $pid -o x
	"$SEEP" watch $pid --for 100ms --interval 10ms -q -o x -f
	"$SEEP" report x >/dev/null
	kill $pid
	for words in "run -q" "calibrate" "check --budget 0"; do
		echo old >x
		# shellcheck disable=SC2086
		run "$SEEP" $words -f -o x -- "$SEEP_BUILD/examples/hits" --events 20
		"$SEEP" report x >/dev/null
	done
}

@test "-f: other files are replaced with it and without" {
	for force in -f --force ''; do
		echo old | tee a b c d e >/dev/null
		cp a a.svg
		"$SEEP" diff $force -o a "$TRACE" "$NEWER"
		"$SEEP" export $force --to csv -o b "$TRACE"
		"$SEEP" plot $force -o a.svg "$TRACE"
		run -1 "$SEEP" check $force --budget 0 --junit c --sarif d "$TRACE"
		"$SEEP" run -q $force -o e.seep --run-info e -- true
		rm e.seep
		for file in a b c d e a.svg; do
			[ "$(cat $file)" != old ]
		done
	done
}

@test "-f: a folder is replaced if nothing else is in it" {
	"$SEEP" export --to npy -o folder "$TRACE"
	echo old >folder/run_meta.txt
	fails "'folder' exists; replace it with -f" "$SEEP" export --to npy -o folder "$TRACE"
	[ "$(cat folder/run_meta.txt)" = old ]
	"$SEEP" export --to npy -f -o folder "$TRACE"
	[ "$(cat folder/run_meta.txt)" != old ]
	echo mine >folder/thesis.tex
	fails "it contains 'thesis.tex', which is not part of this export" \
		"$SEEP" export --to npy -f -o folder "$TRACE"
	[ "$(cat folder/thesis.tex)" = mine ]
	[ "$(ls)" = folder ]
	echo mine >file
	fails "'file' exists; it is not a folder" "$SEEP" export --to npy -f -o file "$TRACE"
	[ "$(cat file)" = mine ]
}

@test "help fits the terminal, and names each option once" {
	for command in $COMMANDS; do
		text=$("$SEEP" help "$command")
		[ "$(wc -L <<<"$text")" -le 84 ]
		grep -q "^usage: seep $command" <<<"$text"
		grep -q '^  -h, --help ' <<<"$text"
		[ -z "$(options "$command" | sort | uniq -d)" ]
	done
}
