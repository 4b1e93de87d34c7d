# SPDX-License-Identifier: GPL-3.0-or-later
"""dns-load PORT SECONDS NAMES: asks a name server for addresses of NAMES different names."""
import random
import socket
import struct
import sys
import time

port, seconds, names = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.settimeout(1)
link.connect(("127.0.0.1", port))
end = time.time() + seconds
answers = 0
while time.time() < end:
    name = f"host{random.randrange(names)}"
    query = struct.pack(">6H", random.getrandbits(16), 0x100, 1, 0, 0, 0)
    query += bytes([len(name)]) + name.encode() + b"\4test\0" + struct.pack(">2H", 1, 1)
    link.send(query)
    try:
        answers += len(link.recv(4096)) > 12
    except (socket.timeout, ConnectionRefusedError):
        pass
    if answers % 2000 == 0:
        time.sleep(0.2)
sys.exit(0 if answers else 1)
