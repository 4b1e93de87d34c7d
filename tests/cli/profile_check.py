#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds a profile that seep exported, as its real reader shows it, against the report.

profile_check.py WHAT REPORT.json [FILE]   FILE or standard input

The report is the truth here: its sites, with their stacks and numbers.
"""
import collections
import json
import re
import sys

ALLOCATORS = {"operator new", "operator new[]", "malloc", "calloc", "realloc", "posix_memalign"}
GROWS = {"leak", "realloc-growth", "backlog"}


def safe(name):
    """As profiles show it; what JSON cannot hold is in the tests only this byte."""
    name = name.replace("\ufffd", "\\xff")
    return re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\x{ord(found.group(0)):02x}", name)


class Site:
    def __init__(self, data):
        self.kind = data["kind"]
        self.bytes = data["live_bytes"]
        self.blocks = data["live_objects"]
        self.born = data["born"]
        self.freed = data["died"]
        self.rate = data["bytes_per_event"] if data["verdict"] in GROWS else 0
        self.phase = data["phase"] and safe(data["phase"])
        self.cohorts = data["cohorts"]
        frames = list(data["stack"])
        while len(frames) > 1 and frames[0]["function"] in ALLOCATORS:
            del frames[0]
        if self.kind != "heap":
            kind = {"function": f"[{self.kind}]", "line": None, "file": None}
            frames.insert(0, dict(kind, module=None, inlined=False))
        self.frames = frames
        self.names = tuple(safe(frame["function"]) for frame in frames)

    def events(self):
        first, width = self.cohorts["first_event"], self.cohorts["events_per_bin"]
        for i, live in enumerate(self.cohorts["live_bytes"]):
            if live:
                yield first + i * width, live


def load(path):
    with open(path, encoding="utf-8") as data:
        report = json.load(data)
    assert len(report["sites"]) == report["sites_total"] > 0
    return [Site(site) for site in report["sites"]]


def same(got, expected, what):
    if got == expected:
        return
    for key in sorted(set(got) | set(expected), key=str):
        if got.get(key) != expected.get(key):
            print(f"{what} {key}: {got.get(key)}, not {expected.get(key)}")
    sys.exit(1)


def total(sites, value, key=lambda site: site.names):
    """Sums of what the sites have, by their stacks; without those that have nothing."""
    sums = collections.Counter()
    for site in sites:
        if value(site):
            sums[key(site)] += value(site)
    return dict(sums)


def check_folded(sites, text):
    got = collections.Counter()
    for line in text.splitlines():
        stack, value = line.rsplit(" ", 1)
        got[tuple(reversed(stack.split(";")))] += int(value)
    same(dict(got), total(sites, lambda site: site.bytes), "folded")


# The rules of https://www.speedscope.app/file-format-schema.json for sampled profiles.
def check_schema(file):
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert set(file) <= {"$schema", "shared", "profiles", "name", "activeProfileIndex", "exporter"}
    assert set(file["shared"]) == {"frames"}
    for frame in file["shared"]["frames"]:
        assert set(frame) <= {"name", "file", "line", "col"} and isinstance(frame["name"], str)
        assert isinstance(frame.get("file", ""), str)
        assert isinstance(frame.get("line", 1), int) and frame.get("line", 1) > 0
    assert 0 <= file["activeProfileIndex"] < len(file["profiles"])
    for profile in file["profiles"]:
        assert set(profile) == {
            "type", "name", "unit", "startValue", "endValue", "samples", "weights"}
        assert profile["type"] == "sampled"
        assert profile["unit"] in {"none", "nanoseconds", "microseconds", "milliseconds",
                                   "seconds", "bytes"}
        assert len(profile["samples"]) == len(profile["weights"]) > 0
        assert abs(profile["endValue"] - sum(profile["weights"])) <= 1e-9 * profile["endValue"]
        for stack in profile["samples"]:
            assert stack
            assert all(0 <= frame < len(file["shared"]["frames"]) for frame in stack)


def check_speedscope(sites, text):
    file = json.loads(text)
    check_schema(file)
    names = [frame["name"] for frame in file["shared"]["frames"]]
    values = {
        "live bytes": lambda site: site.bytes,
        "live blocks": lambda site: site.blocks,
        "growth in bytes per event": lambda site: site.rate,
    }
    for profile in file["profiles"]:
        got = collections.Counter()
        for stack, weight in zip(profile["samples"], profile["weights"]):
            got[tuple(names[frame] for frame in reversed(stack))] += weight
        if profile["name"] != "allocated bytes":
            value = values.pop(profile["name"])
            same(dict(got), total(sites, value), profile["name"])
    assert not any(total(sites, value) for value in values.values())
    lines = {(names[i], frame.get("line")) for i, frame in enumerate(file["shared"]["frames"])}
    assert lines >= {(f["function"], f["line"]) for site in sites for f in site.frames}


class Raw:
    """What `go tool pprof -raw` prints."""

    PLACE = re.compile(r"(?:M=\d+ )?(.*) (\S*):(\d+) s=\d+(?:\((.*)\))?$")

    def __init__(self, text):
        head, rest = text.split("\nSamples:\n")
        samples, rest = rest.split("\nLocations\n")
        locations, self.mappings = rest.split("\nMappings\n")
        self.head = head
        self.read_locations(locations)
        self.read_samples(samples)

    def read_locations(self, text):
        self.locations = {}
        for line in text.splitlines():
            found = re.match(r"\s*(\d+): 0x[0-9a-f]+ (.*)$", line)
            if found:
                names = self.locations[found.group(1)] = []
                line = found.group(2)
            place = self.PLACE.match(line.strip())
            assert place, line
            names.append(place.group(4) or place.group(1))

    def read_samples(self, text):
        lines = text.splitlines()
        self.types = lines[0].split()
        self.samples = []
        for line in lines[1:]:
            label = re.match(r"\s+(phase|event):\[(.*?)\]\s*$", line)
            if label:
                self.samples[-1][2][label.group(1)] = label.group(2)
                continue
            values, ids = line.split(": ")
            stack = tuple(name for i in ids.split() for name in self.locations[i])
            self.samples.append((stack, [int(value) for value in values.split()], {}))


def check_pprof(sites, text):
    raw = Raw(text)
    assert raw.types == ["alloc_objects/count", "alloc_space/bytes", "inuse_objects/count",
                         "inuse_space/bytes[dflt]", "leak_rate/bytes/event"], raw.types
    sums = [collections.Counter() for _ in raw.types]
    events = collections.Counter()
    phases = collections.Counter()
    for stack, values, labels in raw.samples:
        for i, value in enumerate(values):
            sums[i][stack] += value
        if "event" in labels:
            assert labels["event"].endswith(" events")
            events[int(labels["event"].split()[0])] += values[3]
        phases[labels.get("phase")] += values[3]
    sums = [{stack: value for stack, value in part.items() if value} for part in sums]
    same(sums[0], total(sites, lambda site: site.born), "alloc_objects")
    same(sums[2], total(sites, lambda site: site.blocks), "inuse_objects")
    same(sums[3], total(sites, lambda site: site.bytes), "inuse_space")
    same(sums[4], total(sites, lambda site: round(site.rate)), "leak_rate")
    if not any(site.freed for site in sites):
        same(sums[1], sums[3], "alloc_space")
    assert all(sums[1][stack] >= live for stack, live in sums[3].items())
    born = collections.Counter()
    for site in sites:
        for event, live in site.events():
            born[event] += live
    same(dict(events), dict(born), "event")
    named = {phase: live for phase, live in phases.items() if phase != "between events"}
    named[None] = phases[None] + phases["between events"]
    same({phase: live for phase, live in named.items() if live},
         total(sites, lambda site: site.bytes, lambda site: site.phase), "phase")


def plain(name):
    """As the readers in perl show a name: without arguments of templates."""
    before = None
    while before != name:
        before, name = name, re.sub(r"<[^<>]*>", "", name)
    return name


def check_perl(sites, text):
    """jeprof and google-pprof, --text --show_bytes: the total, and the program's functions."""
    heap = [site for site in sites if site.kind == "heap"]
    lines = text.splitlines()
    assert lines[0] == f"Total: {sum(site.bytes for site in heap)} B", lines[0]
    got = {}
    for line in lines[1:]:
        flat, _, _, cumulative, _, name = line.split(None, 5)
        got[name] = int(cumulative)
    modules = collections.Counter(f["module"] for site in heap for f in site.frames
                                  if f["function"] == "main")
    (program, _), = modules.most_common(1)
    expected = collections.Counter()
    for site in heap:
        for name in {plain(f["function"]) for f in site.frames
                     if f["module"] == program and not f["inlined"]}:
            expected[name] += site.bytes
    expected = {name: live for name, live in expected.items() if live}
    assert len(expected) > 1
    same({name: got.get(name) for name in expected}, expected, "function")


def number(text):
    return int(text.replace(",", ""))


def check_massif(sites, text):
    """ms_print: the total and what is right below it."""
    heap = [site for site in sites if site.kind == "heap"]
    live = sum(site.bytes for site in heap)
    top = re.search(r"^100\.00% \(([\d,]+)B\) \(heap allocation functions\)", text, re.M)
    assert number(top.group(1)) == live, top.group(0)
    expected = total(heap, lambda site: site.bytes,
                     lambda site: (site.names[0], site.frames[0]["line"]))
    below = sum(part for part in expected.values() if part * 100 < live)
    expected = {place: part for place, part in expected.items() if part * 100 >= live}
    got = {}
    for line in text[top.end():].splitlines():
        found = re.match(r"->\d+\.\d+% \(([\d,]+)B\) 0x[0-9A-F]+: (.*) "
                         r"\((?:in .*|[^:]+:(\d+))\)$", line)
        if found:
            line_number = int(found.group(3)) if found.group(3) else None
            got[found.group(2), line_number] = number(found.group(1))
        found = re.match(r"->\d+\.\d+% \(([\d,]+)B\) in \d+\+ places", line)
        below -= number(found.group(1)) if found else 0
    same(got, expected, "node")
    assert below == 0, below


def read_annotated(text):
    rows = collections.Counter()
    for line in text.splitlines():
        found = re.match(r" *([\d,]+) *\( *\d+\.\d+%\) +([\d,]+) *\( *\d+\.\d+%\) +"
                         r"([\d,]+)(?: *\( *\d+\.\d+%\))? +(\S.*)$", line)
        if found:
            name = re.sub(r" \[.*\]$", "", found.group(4))
            name = name if name == "PROGRAM TOTALS" else name.split(":", 1)[1]
            rows[name] += number(found.group(1))
    return dict(rows)


def check_callgrind(sites, text):
    """callgrind_annotate: what each function has itself."""
    expected = total(sites, lambda site: site.bytes, lambda site: site.names[0])
    expected["PROGRAM TOTALS"] = sum(site.bytes for site in sites)
    got = {name: live for name, live in read_annotated(text).items() if live}
    same(got, expected, "function")


def check_callgrind_inclusive(sites, text):
    """The same with --inclusive=yes: whatever leads there; a second turn is another function."""
    expected = collections.Counter()
    for site in sites:
        turns = collections.Counter()
        for name in reversed(site.names):
            turns[name] += 1
            if turns[name] <= 32:
                shown = name if turns[name] == 1 else f"{name}'{turns[name]}"
                expected[shown] += site.bytes
    expected["PROGRAM TOTALS"] = sum(site.bytes for site in sites)
    same(read_annotated(text), {name: live for name, live in expected.items() if live}, "function")


def main():
    check = globals()["check_" + sys.argv[1]]
    sites = load(sys.argv[2])
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding="utf-8") as file:
            check(sites, file.read())
    else:
        check(sites, sys.stdin.read())


main()
