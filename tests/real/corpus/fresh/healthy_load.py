#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-3.0-or-later
"""healthy_load.py CENTISECONDS RATE URL...: requests at about that many per second.

Two connections, the one kept open, the other new for each request.  URLs are taken in turn.  Status 1
if an answer is missing or is an error of the server.  With a URL as http_proxy, that is asked.
"""
import http.client
import os
import sys
import time
import urllib.parse

end = time.monotonic() + float(sys.argv[1]) / 100
pause = 1 / float(sys.argv[2])
urls = sys.argv[3:]
proxy = os.environ.get("http_proxy")
kept = {}
answers = bad = 0


def ask(url, keep):
    parts = urllib.parse.urlsplit(url)
    place = urllib.parse.urlsplit(proxy).netloc if proxy else parts.netloc
    path = url if proxy else parts.path + ("?" + parts.query if parts.query else "")
    connection = kept.pop(place, None) if keep else None
    if connection is None:
        connection = http.client.HTTPConnection(place, timeout=20)
    try:
        connection.request("GET", path or "/", headers={} if keep else {"Connection": "close"})
        answer = connection.getresponse()
        body = answer.read()
    except (http.client.BadStatusLine, ConnectionError):
        # A server may close what it kept open; then it is asked anew.
        connection.close()
        if not keep:
            raise
        return ask(url, False)
    if keep and not answer.will_close:
        kept[place] = connection
    else:
        connection.close()
    return answer.status < 500 and len(body) > 0


number = 0
while time.monotonic() < end:
    begin = time.monotonic()
    if ask(urls[number % len(urls)], number % 2 == 0):
        answers += 1
    else:
        bad += 1
    number += 1
    time.sleep(max(0, pause - (time.monotonic() - begin)))
if bad or not answers:
    sys.exit(f"healthy_load.py: {answers} answers, {bad} errors")
