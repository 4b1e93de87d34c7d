# SPDX-License-Identifier: GPL-3.0-or-later
"""What is required of seep, and whether this run of the benchmark met it.

The limits are the only numbers in here; everything else is measured.  A bar whose
limit lies within the spread of the measurement is marked as close.
"""
from .summary import geometric_mean
from .workloads import WORKLOADS

MB = 1e6

EXACT_WALL = {"w1": 3.0, "w2": 1.8, "w3": 1.3, "w4": 1.5}
PYTHON_CPU = {"python3": 1.6, "pycalls": 3.2}  # over pymalloc, which bare Python has
REAL_WALL, REAL_WALL_MEAN = 1.35, 1.15
SAMPLE_WALL, SAMPLE_WALL_MEAN = 1.10, 1.03
HEAPTRACK_SHARE = 1 / 5
LSAN_WORKLOADS = ("w1", "w2", "w4")
PEAK_EXTRA = 16 * MB
PEAK = {"w1": 1.5, "w2": 1.5, "w3": 1.15}
REAL_PEAK = 1.35
TRACE = {"w3": 2 * MB, "w1": 1 * MB}
REPORT_S = 1.0
STAMP_RATIO, MARK_NS, ABSENT_NS = 1.5, 100, 2

GOAL_WALL = {"w1": 2.0}  # beyond what is required
GOAL_WALL_MEAN = 1.08

REAL = [workload.name for workload in WORKLOADS
        if workload.real and (not workload.python or workload.name == "python3")]
PYTHON = [workload.name for workload in WORKLOADS if workload.python]
REQUIRED = list(EXACT_WALL) + REAL  # w5 is only told


class Bars:
    def __init__(self, figures, micro, scale):
        self.figures, self.micro, self.scale = figures, micro or {}, scale
        self.list = []

    def ran(self, workloads, *variants):
        """Those of the workloads that were run under all the variants, or should have been."""
        return [name for name in workloads if all(
            variant in self.figures.get(name, {}) for variant in variants)]

    def get(self, workload, variant, key):
        return (self.figures.get(workload, {}).get(variant) or {}).get(key)

    def add(self, text, limit, measured, low=None, high=None, unit="", why=""):
        """Not above the limit; measured is None if there is no figure."""
        status = "not measured"
        if measured is not None:
            status = "met" if measured <= limit else "missed"
        close = None not in (measured, low, high) and low <= limit <= high and low < high
        self.list.append({"bar": text, "limit": limit, "measured": measured, "unit": unit,
                          "status": status, "close": close, "why": why})

    def add_spread(self, text, limit, figure, unit="", why=""):
        if figure:
            self.add(text, limit, figure["median"], figure["min"], figure["max"], unit, why)
        else:
            self.add(text, limit, None, unit=unit, why=why)

    def why(self, workload, variant):
        """Why there is no figure."""
        failures = self.get(workload, variant, "failures")
        return f"{variant} {failures[0]}" if failures else f"{variant} not run"

    def add_wall(self, text, variant, workload, limit):
        self.add_spread(f"{text} {workload}, wall", limit,
                        self.get(workload, variant, "wall_ratio"),
                        why=self.why(workload, variant))

    def add_mean(self, text, variant, workloads, limit):
        found = [self.get(name, variant, "wall_ratio") for name in workloads]
        if not all(found):
            missing = [name for name, ratio in zip(workloads, found) if not ratio]
            why = "not run" if len(missing) == len(workloads) else f"no {', '.join(missing)}"
            self.add(text, limit, None, why=why)
            return
        mean = {key: geometric_mean([ratio[key] for ratio in found])
                for key in ("median", "min", "max")}
        self.add_spread(text, limit, mean)

    def exact(self):
        for name in self.ran(REQUIRED, "seep"):
            self.add_wall("exact", "seep", name, EXACT_WALL.get(name, REAL_WALL))
        for name in self.ran(PYTHON_CPU, "seep"):
            self.add_spread(f"exact {name}, CPU time", PYTHON_CPU[name],
                            self.get(name, "seep", "cpu_ratio"), why=self.why(name, "seep"))
        self.add_mean("exact, real programs, geometric mean", "seep", REAL, REAL_WALL_MEAN)
        for name in self.ran(GOAL_WALL, "seep"):
            self.add_wall("goal: exact", "seep", name, GOAL_WALL[name])
        self.add_mean("goal: exact, real programs, geometric mean", "seep", REAL, GOAL_WALL_MEAN)

    def against(self, peer, workload, share, text):
        """Added time, that is ratio - 1, as a part of the peer's."""
        own = self.get(workload, "seep", "wall_ratio")
        other = self.get(workload, peer, "wall_ratio")
        if not own or not other:
            self.add(text, share, None, why=self.why(workload, "seep" if other else peer))
            return
        added, theirs = own["median"] - 1, other["median"] - 1
        why = f"{added:+.2f} against {theirs:+.2f}"
        if added <= share * max(theirs, 0):
            part = added / theirs if theirs > 0 else 0.
        elif theirs > 0:
            part = added / theirs
        else:
            part = float("inf")
        self.add(text, share, max(part, 0.), why=why)

    def peers(self):
        for name in self.ran(REQUIRED, "seep", "heaptrack"):
            self.against("heaptrack", name, HEAPTRACK_SHARE,
                         f"exact {name}, added time over heaptrack's")
        for name in self.ran(LSAN_WORKLOADS, "seep", "lsan"):
            self.against("lsan", name, 1., f"exact {name}, added time over LeakSanitizer's")

    def sample(self):
        for name in self.ran(REQUIRED, "sample"):
            self.add_wall("--sample 512K", "sample", name, SAMPLE_WALL)
        self.add_mean("--sample 512K, all, geometric mean", "sample", REQUIRED, SAMPLE_WALL_MEAN)

    def peak(self):
        for name in self.ran(dict.fromkeys([*PEAK, *REAL, *PYTHON]), "seep"):
            factor = PEAK.get(name, REAL_PEAK)
            bare, own = self.get(name, "bare", "peak"), self.get(name, "seep", "peak")
            text = f"exact {name}, peak RSS, {factor:g} x bare + 16 MB"
            if not bare or not own:
                self.add(text, None, None, unit="MB", why=self.why(name, "seep"))
                continue
            self.add(text, (factor * bare["median"] + PEAK_EXTRA) / MB, own["median"] / MB,
                     own["min"] / MB, own["max"] / MB, "MB")

    def traces(self):
        for name in self.ran(TRACE, "seep"):
            limit = TRACE[name]
            text = f"trace of {name}"
            output = self.get(name, "seep", "output")
            if output and self.scale < 1:
                self.add(text, limit / MB, None, unit="MB", why="only at full size")
            elif output:
                self.add(text, limit / MB, output["median"] / MB, output["min"] / MB,
                         output["max"] / MB, "MB")
            else:
                self.add(text, limit / MB, None, unit="MB", why=self.why(name, "seep"))
            self.add_spread(f"seep report on {name}", REPORT_S, self.get(name, "seep", "report"),
                            "s", self.why(name, "seep"))

    def calls(self):
        alone, seep = self.micro.get("alone"), self.micro.get("seep")
        if not self.micro:
            return
        why = "micro benchmark failed"
        ok = seep and seep["active"]
        self.add("a stamp, over a pread of statm", STAMP_RATIO,
                 seep["stamp"] / seep["read_statm"] if ok else None, why=why)
        self.add("a counter", MARK_NS, seep["count"] if ok else None, unit="ns", why=why)
        self.add("an event mark without RSS", MARK_NS, seep["mark_event"] if ok else None,
                 unit="ns", why=why)
        slowest = max(alone[name] for name in ("stamp", "count", "mark_event")) if alone else None
        self.add("a call where there is no seep", ABSENT_NS, slowest, unit="ns", why=why)


def judge(figures, micro, scale):
    bars = Bars(figures, micro, scale)
    for part in (bars.exact, bars.peers, bars.sample, bars.peak, bars.traces, bars.calls):
        part()
    return bars.list
