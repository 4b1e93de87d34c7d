#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what seep export wrote, by the rules of those who will, and compares it with the CSV.

    read_series.py FORMAT CSV PATH...

Knows nothing of seep's sources.  Ends with a traceback at the first thing that is wrong.
"""
import csv
import json
import re
import sys
import time
from fractions import Fraction

NUMBERS = ("event", "index", "vm_bytes", "rss_bytes", "live_bytes", "live_blocks")


def as_named(cell):
    """Without the apostrophe that keeps a spreadsheet from running the text."""
    return cell[1:] if re.match(r"'\s*[=+\-@]", cell) else cell


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as data:
        text = data.read()
    assert text.endswith("\r\n") and text.count("\r\n") == text.count("\n"), "line ends"
    header, *lines = csv.reader(text.splitlines())
    assert header[:9] == ["seconds", "event", "index", "stamp", "vm_bytes", "rss_bytes",
                          "live_bytes", "live_blocks", "tracker_bytes"], header
    rows = []
    for line in lines:
        assert len(line) == len(header), line
        row = dict(zip(header[:9], line))
        row["seconds"] = Fraction(row["seconds"])
        row["stamp"] = as_named(row["stamp"])
        for key in NUMBERS:
            row[key] = int(row[key]) if row[key] else None
        row["counters"] = line[9:]
        rows.append(row)
    return [as_named(name) for name in header[9:]], rows


def measured(rows):
    return [row for row in rows if row["rss_bytes"] is not None]


def begins(rows):
    return [row for row in measured(rows) if row["stamp"] == "begin"]


def looks_like_triplet(text):
    """As Opticks tells a stamp from other values: sysrap/sprof.h."""
    others = [c for c in text if not c.isdigit() and c != " "]
    return others == [",", ","] and sum(c.isdigit() for c in text.split(",")[0]) == 16


def read_sprof(path):
    """As SProf::Read does: the first ':' ends the name, the first '#' begins the comment."""
    stamps = []
    with open(path, encoding="ascii", newline="\n") as data:
        text = data.read()
    assert text.endswith("\n") and text.isascii()
    for line in text[:-1].split("\n"):
        assert line.isprintable(), line
        name, colon, rest = line.partition(":")
        assert colon and name and "#" not in name, line
        value, sharp, meta = rest.partition("#")
        assert looks_like_triplet(value), line
        if sharp:
            assert value.endswith(" ") and meta.startswith(" "), line
            meta = dict(item.split("=") for item in meta[1:].split(","))
        stamps.append((name, tuple(int(field) for field in value.split(",")), meta or {}))
        # Written again by the same rules it is the same, to the byte.
        annotation = " # " + ",".join(f"{k}={v}" for k, v in meta.items()) if meta else ""
        triplet = ",".join(str(field) for field in stamps[-1][1])
        assert line == f"{name}:{triplet}{annotation}", line
    return stamps


def check_times(rows, times):
    """Microseconds, and the seconds of the CSV, count from the same moment."""
    assert len(rows) == len(times), (len(rows), len(times))
    starts = [us - row["seconds"] * 1000000 for row, us in zip(rows, times)]
    assert max(starts) - min(starts) <= 1, "times"
    return max(starts)


def check_sprof(table, path):
    counters, rows = table
    stamps = read_sprof(path)
    at_begin = {row["event"]: row["counters"] for row in rows if row["stamp"] == "begin"}
    rows = measured(rows)  # a slice that began while nobody looked has no RSS, and no line
    check_times(rows, [values[0] for _, values, _ in stamps])
    last = {row["event"]: i for i, row in enumerate(rows)}
    same = {}
    for i, (row, (name, (_, vm, rss), meta)) in enumerate(zip(rows, stamps)):
        assert (vm, rss) == (row["vm_bytes"] // 1024, row["rss_bytes"] // 1024)
        tag = "" if row["event"] is None else f"A{row['index']:03d}_"
        assert name.startswith(tag) and (tag or not re.match("[AB][0-9]+_", name)), name
        plain = {"begin": "SEvt__setIndex", "end": "SEvt__endIndex"}.get(row["stamp"])
        if plain:
            assert name == tag + plain, name
        same.setdefault(row["stamp"], set()).add(name[len(tag):])
        assert bool(meta) == (bool(counters) and i == last[row["event"]] and bool(tag)), name
        if meta:
            values = [float(value) for value in meta.values()]
            assert values == [float(v) for v in at_begin[row["event"]]][:len(values)], meta
    assert all(len(names) == 1 for names in same.values()), same
    print(len(stamps), "stamps;", sum(1 for stamp in stamps if stamp[2]), "with counters")


def read_array(numpy, folder, name):
    array = numpy.load(f"{folder}/{name}.npy", allow_pickle=False)
    with open(f"{folder}/{name}.npy", "rb") as data:
        head = data.read(10)
        assert head[:8] == b"\x93NUMPY\x01\x00" and (10 + head[8] + 256 * head[9]) % 64 == 0
    lines = {}
    for part in ("names", "labels", "meta"):
        with open(f"{folder}/{name}_{part}.txt", encoding="ascii") as data:
            lines[part] = data.read().split("\n")[:-1]
    assert array.dtype == numpy.dtype("<i8") and array.shape == (len(lines["names"]), 3)
    assert lines["labels"] == ["st[us]", "vm[kb]", "rs[kb]"]
    # What the arrays are made of, by the rules of NP::MakeMetaKVProfileArray.
    pairs = [line.split(":", 1) for line in lines["meta"]]
    pairs = [(key, value) for key, value in pairs if looks_like_triplet(value)]
    assert [key for key, _ in pairs] == lines["names"]
    assert [[int(v) for v in value.split(",")] for _, value in pairs] == array.tolist()
    return lines["names"], array


def find_edges(rows):
    """Begins, and what ends them: an end, or the start of the event that comes next."""
    ends = {row["event"] - 1: row for row in rows if row["stamp"] == "begin"}
    ends.update({row["event"]: row for row in rows if row["stamp"] == "end"})
    pairs = [(row, ends.get(row["event"])) for row in begins(rows)]
    pairs = [pair for pair in pairs if pair[1] and pair[1]["rss_bytes"] is not None]
    return [begin for begin, _ in pairs], [end for _, end in pairs]


def check_npy(table, folder, sprof):
    import os
    import numpy
    _, rows = table
    with open(f"{folder}/NPFold_index.txt", encoding="ascii") as data:
        index = data.read().split("\n")[:-1]
    assert sorted(index) == sorted(n for n in os.listdir(folder) if n.endswith(".npy")), index
    run = numpy.load(f"{folder}/run.npy", allow_pickle=False)
    assert run.dtype == numpy.dtype("<f4") and run.shape == (1,)
    names, array = read_array(numpy, folder, "SProf_txt")
    stamps = read_sprof(sprof)
    assert names == [name for name, _, _ in stamps]
    assert array.tolist() == [list(values) for _, values, _ in stamps]
    names, array = read_array(numpy, folder, "runprof")
    with open(f"{folder}/run_meta.txt", encoding="ascii") as data:
        meta = data.read()
    with open(f"{folder}/runprof_meta.txt", encoding="ascii") as data:
        assert meta == data.read()
    first, ends = find_edges(rows)
    tags = [f"A{row['index']:03d}" for row in first]
    assert names[0::2] == [f"SEvt__setIndex_{tag}" for tag in tags]
    assert names[1::2] == [f"SEvt__endIndex_{tag}" for tag in tags]
    assert array[0::2, 2].tolist() == [row["rss_bytes"] // 1024 for row in first]
    assert array[0::2, 1].tolist() == [row["vm_bytes"] // 1024 for row in first]
    assert array[1::2, 2].tolist() == [row["rss_bytes"] // 1024 for row in ends]
    assert (numpy.diff(array[:, 0]) >= 0).all()
    print(len(first), "events")


def check_opticks(table, path, sprof):
    import numpy
    _, rows = table
    array = numpy.load(path, allow_pickle=False)
    first = begins(rows)
    assert array.dtype == numpy.dtype("<f4") and array.shape == (len(first), 4)
    times = [v[0] for name, v, _ in read_sprof(sprof) if name.endswith("SEvt__setIndex")]
    for (seconds, vm, rss, nothing), us, row in zip(array.tolist(), times, first):
        clock = time.localtime(us // 1000000)
        expected = clock.tm_hour * 3600 + clock.tm_min * 60 + clock.tm_sec + us % 1000000 / 1e6
        assert abs(seconds - expected) <= 1 / 128, (seconds, expected)
        assert abs(vm - row["vm_bytes"] / 1024 / 1000) < 1e-6 * vm and nothing == 0
        assert abs(rss - row["rss_bytes"] / 1024 / 1000) < 1e-6 * rss
    slope, _ = numpy.polyfit(range(len(array)), array[:, 2], 1)
    print(f"{slope * 1024000:.0f} bytes per event")


def check_prmon(table, path):
    """By column name, all whole numbers: as prmon_plot.py and the pilot read it."""
    _, rows = table
    with open(path, encoding="ascii") as data:
        header, *lines = [line.split("\t") for line in data.read().split("\n")[:-1]]
    assert header[0] == "Time" and {"wtime", "vmem", "rss"} <= set(header)
    values = [dict(zip(header, map(int, line), strict=True)) for line in lines]
    times = [value["Time"] for value in values]
    assert times == sorted(set(times)) and values
    assert len({value["Time"] - value["wtime"] for value in values}) == 1
    known = {(row["vm_bytes"] // 1024, row["rss_bytes"] // 1024) for row in begins(rows)}
    assert all((value["vmem"], value["rss"]) in known for value in values)
    print(len(values), "rows")


def parse_dump(path):
    """The lines of promtool tsdb dump: {__name__="seep_rss_bytes", ...} VALUE MILLISECONDS"""
    series = {}
    with open(path, encoding="utf-8") as data:
        for line in data:
            labels, value, ms = re.fullmatch(r"\{(.*)\} (\S+) (\d+)\n", line).groups()
            items = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"(?:, |$)', labels)
            key = tuple(sorted(item for item in items if item[0] not in ("pid", "program")))
            series.setdefault(key, []).append((int(ms), float(value)))
    return series


def check_openmetrics(table, text, dump, sprof):
    counters, rows = table
    with open(text, encoding="utf-8", newline="\n") as data:
        lines = data.read().split("\n")
    assert lines[-2:] == ["# EOF", ""] and lines.count("# EOF") == 1 and "\r" not in "".join(lines)
    series = parse_dump(dump)
    times = [v[0] // 1000 for name, v, _ in read_sprof(sprof) if name.endswith("SEvt__setIndex")]
    first = begins(rows)
    assert len(first) == len(times)
    kept = [i for i, ms in enumerate(times) if i == 0 or ms > times[i - 1]]

    def expect(labels, values):
        found = sorted(series.pop(tuple(sorted(labels.items()))))
        assert found == [(times[i], values[i]) for i in kept], (labels, found)

    for name, column in (("seep_rss_bytes", "rss_bytes"), ("seep_vm_bytes", "vm_bytes"),
                         ("seep_heap_live_bytes", "live_bytes"), ("seep_event", "event"),
                         ("seep_heap_live_blocks", "live_blocks")):
        expect({"__name__": name}, [row[column] for row in first])
    assert len(series) == len(counters), series.keys()
    for key in list(series):
        labels = dict(key)
        assert labels["__name__"] in ("seep_counter", "seep_gauge_bytes")
        values = [float(row["counters"][int(labels["counter"]) - 1]) for row in first]
        expect(labels, values)
    print(len(kept), "of", len(first), "events")


def check_nesting(slices):
    """Slices of a thread lie in each other or beside each other, never across."""
    open_ends = []
    for entry in slices:
        begin = round(entry["ts"] * 1000)
        end = begin + round(entry["dur"] * 1000)
        assert end >= begin
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1], entry
        open_ends.append(end)
        assert len(open_ends) <= 2


def check_chrome(table, path):
    counters, rows = table
    with open(path, "rb") as data:
        text = data.read()
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", text)
    trace = json.loads(text.decode("utf-8"))
    entries = trace["traceEvents"]
    assert {entry["ph"] for entry in entries} <= set("XCMi")
    assert len({(entry["pid"], entry["tid"]) for entry in entries}) == 1
    slices = [entry for entry in entries if entry["ph"] == "X"]
    assert slices == sorted(slices, key=lambda entry: entry["ts"])
    check_nesting(slices)
    events = [entry for entry in slices if entry["cat"] == "event"]
    marked = [row for row in rows if row["stamp"] == "begin"]
    assert [entry["name"] for entry in events] == [f"event {row['index']}" for row in marked]
    for entry, row in zip(events, marked):
        assert abs(entry["ts"] - float(row["seconds"]) * 1e6) < 0.01
    # A phase begins at each stamp, and where an event has any, at its begin.
    stamped = [row["event"] for row in rows if row["stamp"] not in ("begin", "end")]
    stamped = [event for event in stamped if event is not None]
    assert len(slices) - len(events) == len(stamped) + len(set(stamped)), len(slices)
    curves = {}
    for entry in entries:
        if entry["ph"] == "C":
            (value,) = entry["args"].values()
            curves.setdefault(entry["name"], []).append(value)
    assert curves.pop("RSS") == [row["rss_bytes"] for row in measured(rows)]
    assert curves.pop("VM") == [row["vm_bytes"] for row in measured(rows)]
    live = [row["live_bytes"] for row in rows if row["live_bytes"] is not None]
    assert curves.pop("live heap", []) == live
    assert sorted(curves.values()) == sorted(
        [float(row["counters"][i]) for row in marked] for i in range(len(counters)))
    print(len(events), "events in", len(slices), "slices")


def check_csv(table):
    counters, rows = table
    print(json.dumps({"counters": counters, "names": sorted({row["stamp"] for row in rows}),
                      "rows": len(rows)}))


def main():
    what, path, *others = sys.argv[1:]
    globals()["check_" + what](read_csv(path), *others)


main()
