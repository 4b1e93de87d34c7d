# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a JSON array for jq.  usage: make_people.py [N]"""
import json
import random
import sys

dice = random.Random(3)
count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
print(json.dumps([{"id": i, "name": "n%d" % (i * 7919 % 1000),
                   "tags": [dice.randint(0, 9) for _ in range(5)]} for i in range(count)]))
