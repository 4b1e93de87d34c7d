#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load in a given pattern over time.

As a module: beats(PATTERN, SECONDS, RATE) yields 0, 1, 2... at the moments when work is due.
As a program: service_load.py PATTERN SECONDS RATE URL... sends GET requests, the URLs in turn.
"""
import http.client
import sys
import time
import urllib.parse


def share(pattern, passed, seconds):
    """The part of the full rate that is due now."""
    if pattern == "constant":
        return 1
    if pattern == "bursts":
        return 1 if passed % 3 < 1 else 0
    if pattern == "ramp":
        return passed / seconds / .7 + .05 if passed < seconds * .7 else 0
    if pattern == "third":
        return 1 if passed < seconds / 3 else 0
    if pattern == "waves":
        return abs(passed / seconds * 8 % 2 - 1)
    raise ValueError(pattern)


def beats(pattern, seconds, rate):
    begin = last = time.monotonic()
    due = 1.0
    number = 0
    while (now := time.monotonic()) - begin < seconds:
        due = min(due + (now - last) * rate * share(pattern, now - begin, seconds), 20)
        last = now
        if due >= 1:
            due -= 1
            yield number
            number += 1
        else:
            time.sleep(.005)


def main():
    pattern, seconds, rate = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    urls = [urllib.parse.urlsplit(url) for url in sys.argv[4:]]
    kept = None
    answers = 0
    for number in beats(pattern, seconds, rate):
        url = urls[number % len(urls)]
        connection = kept or http.client.HTTPConnection(url.netloc, timeout=20)
        kept = None
        try:
            connection.request("GET", (url.path or "/") + (url.query and "?" + url.query))
            answer = connection.getresponse()
            body = answer.read()
        except (http.client.BadStatusLine, ConnectionError):
            # The server closed an idle connection.
            connection.close()
            continue
        if answer.status >= 400 or not body:
            sys.exit(f"service_load.py: status {answer.status}")
        answers += 1
        # A client stays for 25 requests.
        if answer.will_close or number % 25 == 24:
            connection.close()
        else:
            kept = connection
    if answers < 5:
        sys.exit(f"service_load.py: {answers} answers")


if __name__ == "__main__":
    main()
