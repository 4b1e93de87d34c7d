#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-3.0-or-later
"""dns_questions.py PORT SECONDS NAME...: asks a DNS server for A records, idle in the third quarter."""
import itertools
import socket
import struct
import sys
import time

port, seconds, names = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
begin = time.monotonic()
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.settimeout(3)
answers = lost = 0
for number, name in enumerate(itertools.cycle(names)):
    passed = (time.monotonic() - begin) / seconds
    if passed >= 1:
        break
    if .5 < passed < .75:
        time.sleep(.1)
        continue
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    sock.sendto(struct.pack(">6H", number & 0xffff, 0x100, 1, 0, 0, 0) + labels + b"\0\0\1\0\1",
                ("127.0.0.1", port))
    try:
        answers += struct.unpack(">H", sock.recv(1500)[6:8])[0] > 0
    except socket.timeout:
        lost += 1
    time.sleep(.002)
sys.exit(answers == 0 or lost > answers)
