# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds, writes, reads and searches JSON in threads, and recurses.

usage: documents.py [ROUNDS]
"""
import json
import random
import re
import sys
import threading


def work(seed, rounds, results):
    dice = random.Random(seed)
    for _ in range(rounds):
        data = {str(k): [dice.random(), "x" * k, {"a": k}] for k in range(60)}
        text = json.dumps(data)
        assert json.loads(text) == data
        results[seed] += len(re.sub(r"(\d+)", lambda m: m.group(1) * 2, text))


def nest(depth):
    return [depth] + nest(depth - 1) if depth else []


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    results = [0, 0, 0]
    threads = [threading.Thread(target=work, args=(seed, rounds, results)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results)
    print(results, sum(nest(800)))


main()
