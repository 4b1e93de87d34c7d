# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the healthy entries of this folder that are shell scripts.
# shellcheck shell=bash
set -euo pipefail

seconds=$1
folder=$(cd "$(dirname "$0")" && pwd)
server=
read -ra tracer <<< "${SEEP_RUN-}"
: "${SEEP_CORPUS_BUILD:=$PWD/corpus-build}"
mkdir -p "$SEEP_CORPUS_BUILD"

# Ends what this script has started and still runs.
cleanup() {
	local left
	left=$(jobs -p)
	# shellcheck disable=SC2086 # a list
	[ -z "$left" ] || kill $left 2> /dev/null || true
}
trap cleanup EXIT

fail() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# need COMMAND...: status 77 where one is not installed
need() {
	local command
	for command; do
		[ -e "$command" ] || command -v "$command" > /dev/null ||
			{ echo "${0##*/}: $command is not installed" >&2; exit 77; }
	done
}

# need_python MODULE...: status 77 where one is not installed
need_python() {
	local module
	for module; do
		/usr/bin/python3 -c "import $module" 2> /dev/null ||
			{ echo "${0##*/}: $module is not installed" >&2; exit 77; }
	done
}

# trace COMMAND...: the one command that is traced
trace() {
	"${tracer[@]}" "$@"
}

# free_port: a port of the loopback interface that nobody uses
free_port() {
	/usr/bin/python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# wait_for COMMAND...: until it succeeds, 30 seconds at most
wait_for() {
	local try
	for ((try = 0; try < 150; try++)); do
		! "$@" > /dev/null 2>&1 || return 0
		sleep 0.2
	done
	fail "in vain: $*"
}

listens() {
	(: > "/dev/tcp/127.0.0.1/$1") 2> /dev/null
}

# serve PORT COMMAND...: starts the traced server; PORT - if it does not listen on TCP
serve() {
	local port=$1
	shift
	"${tracer[@]}" "$@" &
	server=$!
	if [ "$port" = - ]; then sleep 1; else wait_for listens "$port"; fi
}

# finish [STATUS]: ends the server as an administrator would; STATUS is what it says then
finish() {
	local status=0
	kill -TERM "$server" || fail "the server has died"
	wait "$server" || status=$?
	server=
	case $status in
	0 | 143 | "${1-0}") ;;
	*) fail "the server ended with status $status" ;;
	esac
}

# load PERCENT RATE URL...: requests at that rate for this part of the run
load() {
	local share=$1 rate=$2
	shift 2
	/usr/bin/python3 "$folder/healthy_load.py" "$((seconds * share))" "$rate" "$@" ||
		fail "the load failed"
}

# rest PERCENT: idle for this part of the run
rest() {
	sleep "$(((seconds * $1 + 99) / 100))"
}

# day URL...: busy, idle, calm, busy once more, idle
day() {
	load 35 120 "$@"
	rest 15
	load 15 15 "$@"
	load 25 70 "$@"
	rest 10
}
