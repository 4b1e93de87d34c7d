# SPDX-License-Identifier: GPL-3.0-or-later
"""Instructions of the tracker for each block: a figure that a busy machine does not change.

callgrind counts the instructions of libseep-heap.so and nothing else.  Each program runs with
two sizes of input, and the figures are differences: start-up and exit cancel out.  Events are
those of the program (-e api), since slices of time would pass too often in a program that
valgrind slows down.
"""
import os
import statistics
import subprocess

from .workloads import WORKLOADS, BenchError

TRACKER = "libseep-heap.so"
BIRTHS = ("malloc", "calloc")

# Two sizes: arguments of own programs, python3 and perl; scales of generated inputs.
SIZES = {
    "w1": (200000, 300000), "w2": (60000, 100000), "w3": (20, 40), "w4": (20000, 40000),
    "w5": (150000, 200000), "python3": (3000, 6000), "perl": (3000, 6000),
    "sqlite3": (0.02, 0.04), "cc1": (0.05, 0.1), "jq": (0.01, 0.02),
}
ROUNDS = 15  # of the times


class Profile:
    """What callgrind has written: instructions by function of the tracker, and calls into it."""

    def __init__(self, path):
        self.total = 0   # of the tracker
        self.own = {}    # function of the tracker -> instructions
        self.calls = {}  # function of the tracker -> calls from outside
        self.names = {}
        self.read(path)

    def name(self, kind, text):
        """Names are written in full once, (1) name, and then as (1)."""
        number, _, name = text.partition(" ")
        if name:
            self.names[kind, number] = name
        return self.names.get((kind, number), number)

    def count(self, inside, function, cost):
        if inside:
            self.total += cost
            self.own[function] = self.own.get(function, 0) + cost

    def read(self, path):
        inside = callee_inside = False
        function = callee = ""
        skip = False
        with open(path) as lines:
            for line in lines:
                key, _, value = line.rstrip("\n").partition("=")
                if key == "ob":
                    inside = callee_inside = self.name("ob", value).endswith(TRACKER)
                elif key == "fn":
                    function = self.name("fn", value).split("'")[0]
                    callee_inside = inside
                elif key == "cob":
                    callee_inside = self.name("ob", value).endswith(TRACKER)
                elif key == "cfn":
                    callee = self.name("fn", value).split("'")[0]
                elif key == "calls":
                    if callee_inside and not inside:
                        self.calls[callee] = (self.calls.get(callee, 0) +
                                              int(value.split(" ")[0]))
                    callee_inside = inside
                    skip = True  # the next line is the cost of the callee
                elif line[:1] in "0123456789+-*":
                    if not skip:
                        self.count(inside, function, int(line.rpartition(" ")[2]))
                    skip = False


class Difference:
    """The larger run minus the smaller one."""

    def __init__(self, small, large):
        self.total = large.total - small.total
        self.own = {name: cost - small.own.get(name, 0) for name, cost in large.own.items()}
        self.calls = {name: n - small.calls.get(name, 0) for name, n in large.calls.items()}

    def called(self, *names):
        return sum(self.calls.get(name, 0) for name in names)

    def figures(self):
        births, deaths = self.called(*BIRTHS), self.called("free")
        reallocs = self.called("realloc")
        pairs = births or reallocs or 1  # w4 does nothing but realloc
        # In free itself; all the rest, however rare, is charged to the births.
        in_free = self.own.get("free", 0)
        return {"births": births, "frees": deaths, "reallocs": reallocs,
                "per_pair": self.total / pairs, "per_birth": (self.total - in_free) / pairs,
                "per_free": in_free / deaths if deaths else 0}


class Meter:
    def __init__(self, shop, builds, sampled):
        self.shop = shop
        self.builds = builds  # name -> build tree
        self.options = ["--sample", "512K"] if sampled else []

    def prepare(self, workload, size):
        """The command for this size, and what it reads from standard input."""
        if workload.write and isinstance(size, float):
            path = self.shop.path(f"{size}-{workload.input}")
            if not path.exists():
                workload.write(path, size)
        else:
            path = self.shop.path(workload.input) if workload.write else None
            if path and not path.exists():
                workload.write(path, 1)
        if workload.source:
            return [self.shop.program(workload, "plain"), str(size)], None
        command = self.shop.command(workload, "plain")
        command = [str(path) if word == str(self.shop.path(workload.input)) else word
                   for word in command]
        if "#" in workload.command:
            command[workload.command.index("#")] = str(size)
        return command, str(path) if workload.stdin else None

    def run(self, build, workload, size, wrapper=()):
        command, stdin = self.prepare(workload, size)
        trace = str(self.shop.path("instructions.seep"))
        tool = [f"{build}/bin/seep", "run", "-q", "-f", "-o", trace, "-e", "api", *self.options,
                "--"] if build else []
        with open(stdin or os.devnull, "rb") as source:
            done = subprocess.run([*tool, *wrapper, *command], stdin=source,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, **workload.env}, check=False)
        if done.returncode:
            raise BenchError(f"{workload.name}: status {done.returncode}: {done.stderr[-300:]}")

    def profile(self, build, workload, size):
        out = self.shop.path("callgrind.out")
        self.run(build, workload, size, ["valgrind", "-q", "--tool=callgrind",
                                         f"--callgrind-out-file={out}"])
        profile = Profile(out)
        if not profile.total:
            raise BenchError(f"{workload.name}: no instruction of {TRACKER} was counted")
        return profile

    def measure(self, workload):
        """build -> figures"""
        small, large = SIZES[workload.name]
        result = {}
        for name, build in self.builds.items():
            difference = Difference(self.profile(build, workload, small),
                                    self.profile(build, workload, large))
            result[name] = difference.figures()
            result[name]["functions"] = dict(sorted(difference.own.items(),
                                                    key=lambda item: -item[1])[:12])
        return result

    def seconds(self, build, workload, size):
        before = os.times()
        self.run(build, workload, size)
        after = os.times()
        return (after.children_user + after.children_system -
                before.children_user - before.children_system)

    def time(self, workload, rounds):
        """build -> ratios of processor time to that of the program alone, for each round.

        A round runs every build once with either size, on one CPU, one after the other.  The
        figure of a build is its least difference between the sizes over that of the program
        alone: a chunk of work that nothing disturbed.
        """
        builds = {"bare": None, **self.builds}
        kept = os.sched_getaffinity(0)
        chunks = {name: [] for name in builds}
        os.sched_setaffinity(0, {max(kept)})
        try:
            for number in range(rounds):
                names = list(builds)
                for name in names[number % len(names):] + names[:number % len(names)]:
                    small, large = (self.seconds(builds[name], workload, size * 10)
                                    for size in SIZES[workload.name])
                    chunks[name].append(large - small)
        finally:
            os.sched_setaffinity(0, kept)
        return {name: spread(values, chunks["bare"]) for name, values in chunks.items()}


def spread(values, bare):
    """The least chunk over the least of the bare program; the median and quarters of ratios."""
    ratios = sorted(value / other for value, other in zip(values, bare) if other > 0)
    if not ratios or min(bare) <= 0:
        return None
    quarters = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else [ratios[0]] * 3
    return {"least": min(values) / min(bare), "median": statistics.median(ratios),
            "low": quarters[0], "high": quarters[2]}


def measurable(names):
    return [workload for workload in WORKLOADS if workload.name in SIZES and
            (not names or workload.name in names) and not workload.missing()]


def heading(sampled):
    columns = ["", "build", "mallocs", "frees", "reallocs"]
    columns += ["per malloc", "per free"] if sampled else ["per pair"]
    return "  ".join(f"{text:>10}" for text in columns)


def rows(workload, builds, sampled):
    """A line of text for each build."""
    for name, figures in builds.items():
        cells = [workload, name, *(figures[key] for key in ("births", "frees", "reallocs"))]
        keys = ("per_birth", "per_free") if sampled else ("per_pair",)
        cells += [f"{figures[key]:.1f}" for key in keys]
        yield "  ".join(f"{cell!s:>10}" for cell in cells)


TIME_HEADING = "  ".join(f"{text:>10}" for text in ("", "build", "least", "median", "quarters"))


def time_rows(workload, builds):
    for name, figures in builds.items():
        if figures:
            yield (f"{workload:>10}  {name:>10}  {figures['least']:>10.2f}  "
                   f"{figures['median']:>10.2f}  {figures['low']:.2f}..{figures['high']:.2f}")
