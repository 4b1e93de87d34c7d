# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the entries of this folder that are shell scripts.
# shellcheck shell=bash
set -euo pipefail

seconds=$1
folder=$(cd "$(dirname "$0")" && pwd)
server=
somebody=()
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

# need COMMAND...: status 77 if one of these commands or files is not installed
need() {
	local command
	for command; do
		[ -e "$command" ] || command -v "$command" > /dev/null ||
			{ echo "${0##*/}: $command is not installed" >&2; exit 77; }
	done
}

# trace COMMAND...: the one command that is traced
trace() {
	"${somebody[@]}" "${tracer[@]}" "$@"
}

# not_root: what follows is run under another name of the same user, for programs that refuse to
# be run by root
not_root() {
	need unshare
	somebody=(unshare -U --map-user=1000 --map-group=1000 --)
}

# bare COMMAND...: not traced
bare() {
	"${somebody[@]}" "$@"
}

# part PERCENT: so much of the run, in seconds, at least one
part() {
	local share=$((seconds * $1 / 100))
	echo $((share > 0 ? share : 1))
}

# free_port: a port of the loopback interface that nobody uses
free_port() {
	/usr/bin/python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# wait_port PORT: until something listens there, 20 seconds at most
wait_port() {
	local try
	for ((try = 0; try < 200; try++)); do
		! (: > "/dev/tcp/127.0.0.1/$1") 2> /dev/null || return 0
		sleep 0.1
	done
	fail "nothing listens on port $1"
}

# serve PORT COMMAND...: starts the traced server; PORT - if it does not listen on TCP
serve() {
	local port=$1
	shift
	"${somebody[@]}" "${tracer[@]}" "$@" &
	server=$!
	if [ "$port" = - ]; then sleep 1; else wait_port "$port"; fi
}

# finish [STATUS]: ends the server with SIGTERM; STATUS is another exit status that is all right
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

# load URL SECONDS CONNECTIONS: HTTP requests with wrk; fails if none was answered
load() {
	wrk -t 1 -c "$3" -d "$2s" --timeout 5s "$1" > wrk.out 2>&1 || fail "wrk failed"
	grep -Eq '^ +[1-9][0-9]* requests in' wrk.out || fail "no request was answered"
}

# phases URL: busy, then idle, then calm
phases() {
	load "$1" "$(part 40)" 8
	sleep "$(part 20)"
	load "$1" "$(part 40)" 2
}

# while_time COMMAND...: again and again until the time is over
while_time() {
	local end=$((SECONDS + seconds))
	while [ $SECONDS -lt $end ]; do "$@"; done
}

# source_of PACKAGE FAULT: unpacks the distribution's source of it, goes there, and plants
# faults/FAULT, a sed script that names its file
source_of() {
	local file fault=$folder/faults/$2 place=$SEEP_CORPUS_BUILD/$1
	rm -rf "$place"
	mkdir -p "$place/apt/lists"
	printf 'deb-src [signed-by=%s] http://deb.debian.org/debian bookworm main\n' \
		/usr/share/keyrings/debian-archive-keyring.gpg > "$place/apt/sources.list"
	local options=(-qq -o Dir::Etc::SourceList="$place/apt/sources.list"
		-o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$place/apt/lists"
		-o Dir::Cache::pkgcache='' -o Dir::Cache::srcpkgcache=''
		-o APT::Sandbox::User=root)
	cd "$place" || exit
	{ apt-get "${options[@]}" update &&
		apt-get "${options[@]}" source --only-source "$1"; } > apt.log 2>&1 ||
		{ echo "${0##*/}: no source of $1" >&2; exit 77; }
	cd ./*-*/ || exit
	file=$(sed -n 's/^# file: //p' "$fault")
	cp "$file" "$file.sound"
	sed -i -E -f "$fault" "$file"
	! cmp -s "$file" "$file.sound" || fail "the fault does not fit $file"
}
