# SPDX-License-Identifier: GPL-3.0-or-later
"""Load for an HTTP server on the loopback interface.

load.py PORT PATTERN PATH...: PATTERN is a list of SECONDSxCLIENTS, such as 3x4,2x0,3x1.
Prints how many requests were answered; fails if there were none.
"""
import http.client
import sys
import threading
import time


def client(port, paths, end, counts, me):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    number = me
    while time.monotonic() < end:
        try:
            connection.request("GET", paths[number % len(paths)].replace("%d", str(number)))
            if connection.getresponse().read() is not None:
                counts[me] += 1
        except (OSError, http.client.HTTPException):
            connection.close()
        number += 7
    connection.close()


def main(port, pattern, *paths):
    total = 0
    for phase in pattern.split(","):
        seconds, clients = phase.split("x")
        end = time.monotonic() + float(seconds)
        counts = [0] * int(clients)
        threads = [threading.Thread(target=client, args=(int(port), paths, end, counts, i))
                   for i in range(int(clients))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(max(0, end - time.monotonic()))
        total += sum(counts)
    print(total, "requests answered")
    return 0 if total > 0 else 1


sys.exit(main(*sys.argv[1:]))
