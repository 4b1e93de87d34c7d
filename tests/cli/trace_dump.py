#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a trace, one line per record.

Written from docs/trace-format.md alone, to see that the document suffices and
that writer and reader keep to it.  A line is

    OFFSET KIND flags=F field=value ...

and the last one tells how the trace ended.  Exit status: 0 if all was read,
1 if there was damage or a cut, 2 if the file is no trace.
"""

import struct
import sys

MAGIC = b"SEEPTRC\0"
HEAD = 16
RECORD_MAX = 65536
MASK = (1 << 64) - 1

# name, then the fields of fixed size: name:letter of the struct module
KINDS = {
    1: ("RUN", "argc:I bytes:I"),
    2: ("NAME", "id:I bytes:I"),
    3: ("MODULE", "start:Q end:Q bias:Q id:I build_id_bytes:I path_bytes:I pad:I"),
    4: ("NODES", "first:I count:I"),
    5: ("SITES", "first:I count:I"),
    6: ("STAMP", "t_ns:q vm_bytes:q rss_bytes:q live_bytes:q live_blocks:q "
                 "tracker_bytes:q index:q event:I name:I"),
    7: ("COUNT", "value:d event:I name:I"),
    8: ("GAUGE", "bytes:q t_ns:q event:I name:I"),
    9: ("SNAPSHOT", "t_ns:q ordinal:Q live_blocks:q live_bytes:q missed:Q dropped:Q "
                    "tracker_bytes:Q lost_walks:Q event:I first_event:I events_per_bin:I pad:I"),
    10: ("SITE_STATES", "ordinal:Q count:I bytes:I"),
    11: ("FREE_SITES", "ordinal:Q count:I bytes:I"),
    12: ("SNAPSHOT_END", "ordinal:Q sites:Q"),
    13: ("LIMIT", "bytes:q source_bytes:I counts:I"),
    14: ("NOTE", "t_ns:q bytes:I pad:I"),
    15: ("EXIT", "t_ns:q code:i signal:i"),
    16: ("RESTART", "t_ns:q"),
    18: ("ANCHOR", "t_ns:q rss_anon_bytes:q rss_file_bytes:q rss_shmem_bytes:q swap_bytes:q "
                   "live_bytes:q allocator_bytes:q allocator_used_bytes:q allocator_free_bytes:q "
                   "non_heap_bytes:q non_heap_resident_bytes:q tracker_bytes:q event:I pad:I "
                   "descriptors:I threads:I"),
    20: ("THIN", "t_ns:q event:I stride:I"),
    17: ("SAMPLING", "t_ns:q mean_bytes:Q event:I reason:I"),
    21: ("SITE_SAMPLES", "ordinal:Q count:I bytes:I"),
    22: ("PROBE", "t_ns:q took_ns:q rss_before_bytes:q rss_after_bytes:q heap_resident_bytes:q "
                  "live_bytes:q event:I allocator:I"),
    23: ("PINS", "ordinal:Q count:I bytes:I"),
    24: ("SITE_MOVES", "ordinal:Q count:I bytes:I"),
    25: ("FRAME", "pc:Q line:I function_bytes:I file_bytes:I module_bytes:I"),
    26: ("LEVELS", "ordinal:Q count:I bytes:I t_ns:q event:I pad:I"),
    27: ("SAMPLES", "count:I pad:I"),
    28: ("FUNCTION", "id:I first_line:I name_bytes:I file_bytes:I"),
    29: ("LINES", "first:I count:I"),
    40: ("TEXTS", "first:I count:I bytes:I pad:I"),
    41: ("ADDRESSES", "module:I count:I bytes:I pad:I"),
}
SAMPLE_FIELDS = ("t_ns vm_bytes rss_anon_bytes rss_file_bytes rss_shmem_bytes swap_bytes "
                 "tracker_bytes event threads descriptors flags").split()
STATE_FIELDS = ("site born_blocks born_bytes died_blocks died_bytes moved_blocks early_blocks "
                "early_bytes").split()
MOVES_FIELDS = ("site chains growths moves replaced copied_bytes unit_bytes first_bytes "
                "grown_bytes last_event live_chains live_bytes").split()
HEX_FIELDS = {"start", "end", "bias"}
STATES = {0: "created", 1: "attached", 2: "finished", 3: "stopped"}


class Damage(Exception):
    """A record that does not have the shape of its kind."""


def checksum(data, order):
    h = 0x5365657054726163 ^ len(data)
    padded = data + bytes(-len(data) % 8)
    for (word,) in struct.iter_unpack(order + "Q", padded):
        h = (h ^ word) * 0x9E3779B97F4A7C15 & MASK
        h ^= h >> 29
    return (h ^ h >> 32) & 0xFFFFFFFF


def quote(raw):
    return '"' + raw.decode("utf-8", "backslashreplace").encode("unicode_escape").decode() + '"'


def show(name, value):
    if name in HEX_FIELDS:
        return f"{name}=0x{value:x}"
    return f"{name}={value:.17g}" if isinstance(value, float) else f"{name}={value}"


class Payload:
    """Takes a payload apart from front to back."""

    def __init__(self, data, order):
        self.data, self.order, self.at = data, order, 0

    def take(self, n):
        if n > len(self.data) - self.at:
            raise Damage
        self.at += n
        return self.data[self.at - n:self.at]

    def numbers(self, letters):
        size = struct.calcsize("=" + letters)
        return struct.unpack(self.order + letters, self.take(size))

    def packed(self):
        """One unsigned LEB128."""
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        if number > MASK or shift > 63:
            raise Damage
        return number

    def packed_list(self, most):
        n = self.packed()
        if n > most:
            raise Damage
        return [self.packed() for _ in range(n)]

    def many(self, n, letters):
        if n * struct.calcsize("=" + letters) > len(self.data):
            raise Damage
        return [self.numbers(letters) for _ in range(n)]


def dump_bins(packed):
    first, bins = packed.packed(), packed.packed()
    if first + bins > 64:
        raise Damage
    return f"{first}:" + ",".join(f"{packed.packed()}/{packed.packed()}" for _ in range(bins))


def dump_state(packed):
    state = " ".join(f"{name}={packed.packed()}" for name in STATE_FIELDS)
    deaths = ",".join(map(str, packed.packed_list(32)))
    return f"({state} deaths={deaths} survivors={dump_bins(packed)})"


def dump_frees(packed):
    site, node = packed.packed(), packed.packed()
    return f"(site={site} node={node} deaths={','.join(map(str, packed.packed_list(32)))})"


def dump_samples(packed):
    return f"(site={packed.packed()} samples={dump_bins(packed)})"


def dump_pins(packed):
    site, pinned, blocks = packed.packed(), packed.packed(), packed.packed()
    return f"(site={site} bytes={pinned} blocks={blocks})"


def dump_moves(packed):
    moves = " ".join(f"{name}={packed.packed()}" for name in MOVES_FIELDS)
    first, bins = packed.packed(), packed.packed()
    if first + bins > 36:
        raise Damage
    sizes = ",".join("/".join(str(packed.packed()) for _ in range(7)) for _ in range(bins))
    shift = packed.packed()
    if shift > 32:
        raise Damage
    peaks = ",".join(map(str, packed.packed_list(32)))
    return f"({moves} sizes={first}:{sizes} peaks={shift}:{peaks})"


def dump_level(packed):
    site, blocks, size, error = (packed.packed() for _ in range(4))
    return f"(site={site} blocks={blocks} bytes={size} error={error})"


def dump_address(packed):
    pc, n = packed.packed(), packed.packed()
    frames = (":".join(str(packed.packed()) for _ in range(4)) for _ in range(n))
    return f"(pc=0x{pc:x} frames={','.join(frames)})"


PACKED = {10: dump_state, 11: dump_frees, 21: dump_samples, 23: dump_pins,
          24: dump_moves, 26: dump_level, 41: dump_address}


def dump_tail(kind, flags, field, payload):
    if kind == 1:
        strings = payload.take(field["bytes"]).split(b"\0")
        yield "exe=" + quote(strings[0])
        yield "directory=" + quote(strings[1] if len(strings) > 1 else b"")
        yield "command=[" + " ".join(map(quote, strings[2:2 + field["argc"]])) + "]"
    elif kind == 2 or kind == 14:
        yield "text=" + quote(payload.take(field["bytes"]))
    elif kind == 3:
        yield "build_id=" + payload.take(field["build_id_bytes"]).hex()
        yield "path=" + quote(payload.take(field["path_bytes"]))
    elif kind == 25:
        yield from (part + "=" + quote(payload.take(field[part + "_bytes"]))
                    for part in ("function", "file", "module"))
    elif kind == 4:
        yield from (f"({field['first'] + i} pc=0x{pc:x} parent={parent} module={module})"
                    for i, (pc, parent, module) in enumerate(payload.many(field["count"], "QII")))
    elif kind == 5:
        yield from (f"({field['first'] + i} node={node} phase={phase} kind={site_kind})"
                    for i, (node, phase, site_kind, _)
                    in enumerate(payload.many(field["count"], "IIII")))
    elif kind == 27:
        yield from ("(" + " ".join(map(show, SAMPLE_FIELDS, sample)) + ")"
                    for sample in payload.many(field["count"], "7q4I"))
    elif kind == 28:
        yield from (part + "=" + quote(payload.take(field[part + "_bytes"]))
                    for part in ("name", "file"))
    elif kind == 29:
        yield from (f"({field['first'] + i} function={function} line={line})"
                    for i, (function, line) in enumerate(payload.many(field["count"], "II")))
    elif kind == 40:
        texts = payload.take(field["bytes"]).split(b"\0")
        if len(texts) != field["count"] + 1:
            raise Damage
        yield from (f"({field['first'] + i} {quote(text)})" for i, text in enumerate(texts[:-1]))
    elif kind in PACKED:
        packed = Payload(payload.take(field["bytes"]), payload.order)
        for _ in range(field["count"]):
            yield PACKED[kind](packed)
    elif kind == 13:
        yield "source=" + quote(payload.take(field["source_bytes"]))
        if flags & 1:
            payload.take(-field["source_bytes"] % 8)
            yield f"others={payload.numbers('q')[0]}"


def dump_record(kind, flags, data, order):
    name, layout = KINDS[kind]
    fields = [item.split(":") for item in layout.split()]
    payload = Payload(data, order)
    field = {}
    for key, letter in fields:
        field[key] = payload.numbers(letter)[0]
    shown = [show(key, value) for key, value in field.items() if key != "pad"]
    return " ".join([name, f"flags={flags}", *shown, *dump_tail(kind, flags, field, payload)])


class Trace:
    def __init__(self, data):
        self.data = data
        self.damaged = self.unknown = 0
        self.cut = False
        if data[:8] != MAGIC or len(data) < 96:
            raise ValueError("no trace")
        self.order = "<" if data[12:16] == b"\4\3\2\1" else ">"
        (self.version, order, self.first, self.page, self.pid) = self.unpack("5I", 8)
        if order != 0x01020304 or self.version != 1:
            raise ValueError("a version or byte order that is not known")
        if self.unpack("I", 52)[0] != checksum(data[:52], self.order):
            raise ValueError("the header is damaged")
        if self.first < 96 or self.first % 8 or self.first > len(data):
            raise ValueError("the header is damaged or cut")
        self.started_ns = self.unpack("q", 32)[0]
        self.state = self.unpack("I", 56)[0]

    def unpack(self, letters, at):
        return struct.unpack_from(self.order + letters, self.data, at)

    def good_record(self, at):
        """The size of the good record at this offset, or 0."""
        if at + HEAD > len(self.data):
            return 0
        size, check, kind = self.unpack("IIH", at)
        if size < HEAD or size > RECORD_MAX or size % 8 or size > len(self.data) - at:
            return 0
        return size if checksum(self.data[at + 8:at + size], self.order) == check else 0

    def find_record(self, at):
        for at in range(at, len(self.data) - HEAD + 1, 8):
            size, _, kind = self.unpack("IIH", at)
            if size and 0 < kind < 256 and self.good_record(at):
                return at
        return len(self.data)

    def skip(self, at):
        """From a place without a good record to the next one, or to the end."""
        if not any(self.data[at:]):
            return len(self.data)
        size = self.unpack("I", at)[0] if at + HEAD <= len(self.data) else 0
        cut = size == 0 or (size % 8 == 0 and HEAD <= size <= RECORD_MAX and
                            size > len(self.data) - at)
        found = self.find_record(at + 8)
        if found == len(self.data) and cut:
            self.cut = True
        else:
            self.damaged += 1
        return found

    def records(self):
        at = self.first
        while at < len(self.data):
            size = self.good_record(at)
            if not size:
                at = self.skip(at)
                continue
            kind, flags = self.unpack("HH", at + 8)
            yield at, kind, flags, self.data[at + HEAD:at + size]
            at += size


def main(path):
    with open(path, "rb") as file:
        data = file.read()
    try:
        trace = Trace(data)
    except ValueError as reason:
        print(f"{path}: {reason}", file=sys.stderr)
        return 2
    print(f"0 HEADER version={trace.version} pid={trace.pid} page_bytes={trace.page} "
          f"started_real_ns={trace.started_ns} state={STATES.get(trace.state, trace.state)}")
    for at, kind, flags, payload in trace.records():
        if kind not in KINDS:
            trace.unknown += 1
            print(f"{at} kind-{kind} flags={flags} bytes={len(payload)}")
            continue
        try:
            print(f"{at} {dump_record(kind, flags, payload, trace.order)}")
        except Damage:
            trace.damaged += 1
            print(f"{at} damaged kind-{kind}")
    print(f"{len(data)} END damaged={trace.damaged} unknown={trace.unknown} "
          f"cut={'yes' if trace.cut else 'no'}")
    return 1 if trace.damaged or trace.cut else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: trace_dump.py FILE")
    try:
        sys.exit(main(sys.argv[1]))
    except BrokenPipeError:
        sys.exit(0)
