#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""compare.py TRUTH TRACE: the stacks that the programs saw against those in the trace.

A stack is equal if it has the same Python frames (file, line, function), the same native ones, and
as many groups of Python frames as the native stack has frames of the evaluator, at the same
places.  A greenlet's ends where it was started."""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cli"))
import trace_dump

NAMED = 1 << 63
LEAST = 0.999
SHOWN = 3


class Stacks:
    """What a trace has."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.trace = trace_dump.Trace(file.read())
        self.nodes, self.modules, self.sites, self.born = {}, {}, {}, collections.Counter()
        self.functions, self.lines = {}, {}
        for _, kind, _, data in self.trace.records():
            payload = trace_dump.Payload(data, self.trace.order)
            take = getattr(self, f"take_{kind}", None)
            if take:
                take(payload)

    def take_3(self, payload):
        start, end, bias, number, build_id, path, _ = payload.numbers("QQQIIII")
        payload.take(build_id)
        self.modules[number] = payload.take(path).decode()

    def take_4(self, payload):
        first, count = payload.numbers("II")
        for i, node in enumerate(payload.many(count, "QII")):
            self.nodes[first + i] = node

    def take_5(self, payload):
        first, count = payload.numbers("II")
        for i, site in enumerate(payload.many(count, "IIII")):
            self.sites[first + i] = site

    def take_10(self, payload):
        _, count, size = payload.numbers("QII")
        packed = trace_dump.Payload(payload.take(size), payload.order)
        for _ in range(count):
            state = trace_dump.dump_state(packed)
            site, born = map(int, re.match(r"\(site=(\d+) born_blocks=(\d+)", state).groups())
            self.born[site] = max(self.born[site], born)

    def take_28(self, payload):
        number, _, name, file = payload.numbers("IIII")
        self.functions[number] = (payload.take(name).decode(), payload.take(file).decode())

    def take_29(self, payload):
        first, count = payload.numbers("II")
        for i, line in enumerate(payload.many(count, "II")):
            self.lines[first + i] = line

    def frames(self, node):
        """From the inside out: an int, or (file, line, function)."""
        while node:
            pc, node, _ = self.nodes[node]
            if pc < NAMED:
                yield pc
            else:
                function, line = self.lines[pc - NAMED]
                name, file = self.functions[function]
                yield file, line, name.rpartition(".")[2]

    def probes(self):
        """The stacks of probe(), and how often."""
        for site, (node, _, _, _) in self.sites.items():
            module = self.modules.get(self.nodes[node][2], "")
            if os.path.basename(module) == "lib_probe.so" and self.born[site]:
                yield list(self.frames(node)), self.born[site]


def evaluator(head):
    """The address ranges of the evaluator's code, from the symbols of its object."""
    at = head["evaluator"]
    for line in head["maps"].splitlines():
        low, high = (int(x, 16) for x in line.split()[0].split("-"))
        if low <= at < high:
            path = line.split()[5]
    ranges = []
    bias = None
    for options in (["-D"], []):
        out = subprocess.run(["nm", "-S", *options, path], capture_output=True, text=True).stdout
        for start, size, name in re.findall(r"^(\w+) (\w+) \w (_PyEval_EvalFrameDefault\S*)", out,
                                            re.M):
            if name == "_PyEval_EvalFrameDefault":
                bias = at - int(start, 16)
            ranges.append((int(start, 16), int(size, 16)))
    return [(start + bias, start + bias + size) for start, size in ranges]


def merge_key(frames):
    """Native frames, Python frames, and how many native ones come before each group of these."""
    native, python, groups = [], [], []
    inside = False
    for frame in frames:
        if isinstance(frame, tuple):
            if not inside:
                groups.append(len(native))
            python.append(frame)
        else:
            native.append(frame)
        inside = isinstance(frame, tuple)
    return tuple(native), tuple(python), tuple(groups)


def truth_keys(path):
    with open(path, encoding="utf-8") as lines:
        head = json.loads(next(lines))
        ranges = evaluator(head)
        for line in lines:
            n, kind, python, native = json.loads(line)
            plain, groups = [], []
            for pc in native:
                if any(low < pc <= high for low, high in ranges):
                    groups.append(len(plain))
                else:
                    plain.append(pc)
            yield n, kind, (tuple(plain), tuple(map(tuple, python)), tuple(groups))


def main(truth_path, trace_path):
    stacks = Stacks(trace_path)
    seen, seen_cut = collections.Counter(), collections.Counter()
    for frames, n in stacks.probes():
        # Without the probe itself, which is on another line in each.
        native, python, groups = merge_key(frames[1:])
        seen[native, python[1:], groups] += n
        seen_cut[python[1:]] += n
    total = equal = shown = 0
    for n, kind, key in truth_keys(truth_path):
        total += n
        if kind == "greenlet":
            found = min(n, seen_cut[key[1]])
            seen_cut[key[1]] -= found
        else:
            found = min(n, seen[key])
            seen[key] -= found
        equal += found
        if found < n and shown < SHOWN:
            shown += 1
            print(f"# {n - found} of {n} not found: {kind}")
            print("#   ", *key[1][:6], sep="\n#      ")
            near = [other for other in seen if other[1] == key[1] and seen[other]]
            print(f"#    {len(near)} with the same Python frames; the groups are {key[2]}, "
                  f"and {[other[2] for other in near[:3]]}")
    print(f"{equal} of {total} stacks are equal")
    return 0 if total and equal >= LEAST * total else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
