# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the servers, tools and jobs of this folder that are shell scripts: what ../held/lib.sh
# has, and servers on UDP, clients in Python and other patterns of load.
# shellcheck shell=bash
# shellcheck source=/dev/null disable=SC2154
. "$(dirname "${BASH_SOURCE[0]}")/../held/lib.sh"

# free_port: a port of the loopback interface that is not in use, for TCP and UDP
free_port() {
	/usr/bin/python3 -c 'import socket
while True:
    tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
    tcp.bind(("127.0.0.1", 0))
    try:
        udp.bind(tcp.getsockname())
        break
    except OSError:
        pass
print(tcp.getsockname()[1])'
}

# wait_for COMMAND...: until it succeeds, 30 seconds at most
wait_for() {
	local try
	for ((try = 0; try < 150; try++)); do
		! "$@" > /dev/null 2>&1 || return 0
		sleep 0.2
	done
	fail "timeout: $*"
}

listens() {
	(: > "/dev/tcp/127.0.0.1/$1") 2> /dev/null
}

# client ARGUMENT...: runs client.py, which finds service_load.py
client() {
	PYTHONPATH=$folder /usr/bin/python3 -B client.py "$@" || fail "the client failed"
}

# load PATTERN RATE URL...: HTTP requests for the whole run
load() {
	/usr/bin/python3 -B "$folder/service_load.py" "$1" "$seconds" "${@:2}" || fail "the load failed"
}
