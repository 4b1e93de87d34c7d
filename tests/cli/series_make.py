#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of other programs, out of the figures that the authors of a detector simulation published.

    series_make.py KIND FILE

The truth of each kind is said where it is made."""
import re
import struct
import sys
from pathlib import Path

T0 = 1706856261841716  # us
NAMES = ["QSim__simulate_HEAD", "QSim__simulate_PREL", "QSim__simulate_POST",
         "QSim__simulate_DOWN", "QSim__simulate_TAIL", "QSim__reset_HEAD", "QSim__reset_TAIL"]

# RSS since the first stamp of the event, in kB, of all seven; 26 events.
SEVEN = """0 204 2380 4440 4484 6852 6860; 0 32 32 32 132 2200 2264; 0 0 0 0 0 2160 2168;
0 0 0 0 100 2304 2316; 0 0 0 0 0 1944 2136; 0 0 0 0 92 2116 2208; 0 0 0 0 0 2048 2160;
0 0 0 0 92 2152 2216; 0 0 0 0 96 2188 2232; 0 0 0 0 0 2084 2204; 0 0 0 0 0 2076 2156;
0 0 0 0 92 2200 2228; 0 0 0 0 0 2108 2196; 0 4 4 4 4 2108 2160; 0 0 0 0 92 1932 2188;
0 0 0 0 88 1928 2088; 0 0 0 0 88 1932 2144; 0 0 0 0 92 2200 2220; 0 0 0 0 88 1932 2156;
0 0 0 0 92 2200 2232; 0 0 0 0 0 2104 2200; 0 0 0 0 0 2108 2180; 0 0 0 0 92 2200 2228;
0 0 0 0 0 2104 2164; 0 0 0 0 92 1936 2192; 0 0 0 0 0 2108 2164"""


def steps():
    """RSS from event to event, in kB, 128 of them; the first pays for initialisation."""
    header = Path(__file__).parent.parent / "unit" / "seed_steps.h"
    body = header.read_text(encoding="ascii").split("{", 1)[1]
    return [int(n) for n in re.findall(r"\d+", body)]


def levels():
    rss = 3563396
    yield rss
    for step in steps():
        rss += step
        yield rss


def line(name, t, vm, rss, comment=""):
    return f"{name}:{t},{vm},{rss}{comment}\n"


def sprof_steps():
    """One stamp an event, untagged: 2196..2199 kB/event."""
    out = [line("CSGOptiX__Create_HEAD", T0 - 9000000, 1344488, 702820),
           line("CSGOptiX__Create_TAIL", T0 - 7000000, 8005220, 1152840)]
    for i, rss in enumerate(levels()):
        out.append(line(NAMES[0], T0 + i * 41290, rss + 7145440, rss))
        out.append(line(NAMES[4], T0 + i * 41290 + 11000, rss + 7145440, rss + 16))
    return "".join(out[:-1])  # the last stamp misses the file


def sprof_whole():
    """The ends of the whole run of 1000 events, a line between them: 2196.34 kB/event."""
    out = [line(NAMES[0], T0, 10408836, 3563396)]
    for i in range(999):
        vm, rss = (first + (last - first) * i // 998 // 4 * 4
                   for first, last in ((10707320, 12899444), (3570280, 5762232)))
        out.append(line(NAMES[0], T0 + 66037 + i * 41247, vm, rss))
    return "".join(out)


def sprof_seven():
    """Seven stamps an event: TAIL -> reset_HEAD adds 93 %; the event numbers are in the names."""
    out, rss = [], 3563396
    for i, row in enumerate(SEVEN.split(";")):
        row = [int(n) for n in row.split()]
        for j, name in enumerate(NAMES):
            out.append(line(f"A{i:03d}_{name}", T0 + i * 41290 + j * 1000, 10707320, rss + row[j]))
        rss += row[-1]
    return "".join(out)


def sprof_flat():
    """The suspect switched off: 8 kB/event at most, and it comes to rest."""
    rss = [3563396, 3570200, 3579000] + [3581820, 3581828, 3581832] + [3581832] * 60
    return "".join(line(NAMES[0], T0 + i * 41290, 10707320, kb) for i, kb in enumerate(rss))


def hits(i):
    return 1600 + (i * 7919) % 301


def sprof_hits():
    """1280 bytes for each hit; the comment tells how many there are."""
    out, rss = [], 3563396 * 1024
    for i in range(200):
        t = T0 + i * 41290
        out.append(line(f"A{i:03d}_{NAMES[0]}", t, 10707320, rss // 4096 * 4))
        rss += hits(i) * 1280
        out.append(line(f"A{i:03d}_{NAMES[4]}", t + 9000, 10707320, rss // 4096 * 4,
                        f" # numGenstep={i % 3},numPhoton=1000000,numHit={hits(i)}"))
    return "".join(out)


def run_meta():
    """Two stamps an event with the number behind, among other keys."""
    out = ["OPTICKS_EVENT_MODE:Hit\n", "GPUMeta:1:NVIDIA_TITAN_RTX\n",
           "CMDLINE:/opt/opticks/lib/CSGOptiXSMTest --events 129\n",
           line("SEvt__BeginOfRun", T0 - 300, 10408748, 3563392),
           line("_SEvt__hidden_A000", T0 - 200, 1, 1)]
    for i, rss in enumerate(levels()):
        t = T0 + i * 41290
        out.append(line(f"SEvt__setIndex_A{i:03d}", t, rss + 7145440, rss))
        out.append(line(f"SEvt__endIndex_A{i:03d}", t + 30000, rss + 7145440, rss + 60))
    return "".join(out)


def prmon():
    """pss + swap grows by 200 kB/s, while pages go to swap and rss falls."""
    out = ["Time\twtime\tnprocs\tswap\trss\tvmem\tpss\tutime\n"]
    for i in range(240):
        used, swap = 500000 + i * 6000 + (i * 37) % 11 * 40, i * 7000
        out.append(f"{1706856261 + i * 30}\t{i * 30}\t3\t{swap}\t{used - swap + 90000}\t"
                   f"{used + 900000}\t{used - swap}\t{i * 29}\n")
    return "".join(out)


def mprof():
    """A function that is called 60 times, and 0.5 MiB stay each time."""
    out = ["CMDLINE python job.py --n 60\n"]
    calls = []
    for i in range(60):
        t, mem = 1706856261.5 + i * 2, 40 + 0.5 * i + 0.01 * (i * 7 % 5)
        out += [f"MEM {mem:.6f} {t:.4f}\n", f"MEM {mem + 3:.6f} {t + 1:.4f}\n"]
        calls.append(f"FUNC __main__.turn {mem:.4f} {t + .1:.4f} {mem + .5:.4f} {t + 1.9:.4f} 1\n")
        calls.append(f"FUNC __main__.part {mem:.4f} {t + .2:.4f} {mem + .4:.4f} {t + 0.9:.4f} 2\n")
    return "".join(out + calls[::-1])


def mprof_samples():
    """0.25 MiB/s, and no function that was watched."""
    return "CMDLINE ./job 'a b'\n" + "".join(
        f"MEM {40 + .025 * i + .002 * (i * 7 % 5):.6f} {1706856261 + .1 * i:.4f}\n"
        for i in range(600))


def psrecord():
    """1 MiB a second."""
    out = ["# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"]
    for i in range(300):
        out.append(f"{i * .5:12.3f} {99.1:12.3f} {30 + .5 * i + .01 * (i * 7 % 5):12.3f} "
                   f"{100 + .5 * i:12.3f}\n")
    return "".join(out)


def psrecord_csv():
    out = ["elapsed_time,nproc,cpu,mem_real,mem_virtual\n"]
    for i in range(300):
        out.append(f"{i * .5:.3f},1,99.1,{30 + .5 * i + .01 * (i * 7 % 5):.3f},{100 + .5 * i}\n")
    return "".join(out)


def npy(descr, shape, data):
    dims = ", ".join(str(n) for n in shape) + ("," if len(shape) == 1 else "")
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}"
    head += " " * (118 - 1 - len(head)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def runprof(path):
    """What Opticks makes of run_meta.txt: an array with the names beside it."""
    names, rows = [], []
    for text in run_meta().splitlines():
        name, value = text.split(":", 1)
        if "Index" in name and not name.startswith("_"):
            names.append(name)
            rows.append([int(n) for n in value.split(",")])
    stem = str(path)[:-len(".npy")]
    Path(stem + "_names.txt").write_text("\n".join(names) + "\n", encoding="ascii")
    Path(stem + "_labels.txt").write_text("st[us]\nvm[kb]\nrs[kb]\n", encoding="ascii")
    return npy("<i8", (len(rows), 3), b"".join(struct.pack("<3q", *row) for row in rows))


def subprofile(path):
    """Events by stamps by three."""
    rows = [(T0 + i * 41290 + j * 30000, rss + 7145440, rss + 60 * j)
            for i, rss in enumerate(levels()) for j in range(2)]
    return npy("<i8", (len(rows) // 2, 2, 3), b"".join(struct.pack("<3q", *r) for r in rows))


def plot(path):
    """3.62 "MB" of VmSize an event, over midnight, RSS not measured."""
    rows = [((86390 + i * .25) % 86400, 21284.92 + 3.62 * i, 0, 0) for i in range(200)]
    return npy("<f4", (len(rows), 4), b"".join(struct.pack("<4f", *row) for row in rows))


def smonitor(path):
    """14336 bytes of the device a sample."""
    rows = [(T0 + i * 100000, 0, 1 << 34, 1 << 35, (1 << 30) + i * 14336, 77, 1 << 29, 1)
            for i in range(300)]
    return npy("<u8", (len(rows), 8), b"".join(struct.pack("<8Q", *row) for row in rows))


def main():
    kind, path = sys.argv[1], Path(sys.argv[2])
    make = globals()[kind]
    if kind in ("runprof", "subprofile", "plot", "smonitor"):
        path.write_bytes(make(path))
    else:
        path.write_text(make(), encoding="ascii")


main()
