# SPDX-License-Identifier: GPL-3.0-or-later
# For the scripts in this folder that are shell scripts: source it first.
# shellcheck shell=bash
set -eu -o pipefail

# shellcheck disable=SC2034 # for the script
seconds=${1:?usage: NAME SECONDS}
here=$(dirname "$(readlink -f "$0")")
read -ra traced <<< "${SEEP_RUN-}"
: "${SEEP_SOURCE:=$(readlink -f "$here/../../../..")}" "${SEEP_CORPUS_BUILD:=$PWD/build}"
export PYTHONPATH=$SEEP_SOURCE/python CPATH=$SEEP_SOURCE/include

# need COMMAND...: ends the script as skipped if one is not installed
need() {
	local command
	for command; do
		command -v "$command" > /dev/null || { echo "$command is not installed" >&2; exit 77; }
	done
}

# need_file FILE...: the same for files
need_file() {
	local file
	for file; do
		[ -e "$file" ] || { echo "$file is not installed" >&2; exit 77; }
	done
}

# Prints a port of the loopback interface that is free.
free_port() {
	/usr/bin/python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# wait_port PORT: until something listens there; fails after half a minute
wait_port() {
	local i
	for ((i = 0; i < 300; i++)); do
		(exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null && return
		sleep 0.1
	done
	echo "nothing listens on port $1" >&2
	return 1
}

# build_c NAME [FLAG...] < SOURCE: the program $SEEP_CORPUS_BUILD/NAME, built once
build_c() {
	local name=$1 source=$SEEP_CORPUS_BUILD/$1.c
	shift
	mkdir -p "$SEEP_CORPUS_BUILD"
	cat > "$source.new"
	if ! cmp -s "$source.new" "$source" || [ ! -x "$SEEP_CORPUS_BUILD/$name" ]; then
		cc -g -O2 -o "$SEEP_CORPUS_BUILD/$name" -x c "$source.new" -x none "$@" >&2 || exit 1
	fi
	mv "$source.new" "$source"
}

# start COMMAND...: the traced server, in the background; finish ends it
start() {
	"${traced[@]}" "$@" &
	server=$!
}

# SIGTERM; the server must end with 0 or by the signal.
finish() {
	local status=0
	kill -TERM "$server"
	wait "$server" || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 143 ] || {
		echo "the server ended with status $status" >&2
		return 1
	}
}

# Ends what the script left running; not the script itself.
clean_up() {
	local pids
	pids=$(jobs -p)
	# shellcheck disable=SC2086 # one word for each process
	[ -z "$pids" ] || kill $pids 2> /dev/null || true
}
trap clean_up EXIT
