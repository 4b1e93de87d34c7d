# SPDX-License-Identifier: GPL-3.0-or-later
# For tests with real programs.
# shellcheck shell=bash

# need COMMAND...: skips the test, and says why, where one is not installed
need() {
	local command
	for command; do
		command -v "$command" > /dev/null || skip "$command is not installed"
	done
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
	local i j
	export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_CONFIG_NOSYSTEM=1
	export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org GIT_CONFIG_GLOBAL=/dev/null
	git init -q -b main "$1"
	for ((i = 0; i < 12; i++)); do
		for ((j = 0; j < 8; j++)); do
			seq $((i * j)) $((i * j + 200)) > "$1/file$j"
		done
		git -C "$1" add .
		git -C "$1" commit -q -m "number $i"
	done
}
