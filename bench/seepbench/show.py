# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables, for a terminal and for a README.  Both read nothing but the result."""

CLOSE = "  (the limit lies within the spread)"
BUSY = 0.25  # load per core before the start

LABELS = {"sample": "seep --sample 512K", "lsan": "LeakSanitizer", "jemprof": "jemalloc prof",
          "jemalloc": "(jemalloc)", "gperf": "gperftools"}


def grid(rows, left=1):
    """Aligned columns; the first `left` ones to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [cell.ljust(width) if i < left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        yield "  ".join(cells).rstrip()


def ratio(figure):
    if not figure:
        return "-"
    median = figure["median"]
    digits = 2 if median < 9.995 else 1 if median < 99.95 else 0
    return f"{median:.{digits}f}"


def with_spread(figure):
    if not figure:
        return "-"
    if figure["n"] < 2:
        return f"{ratio(figure)} (once)"
    low, high = ({"median": figure[key]} for key in ("min", "max"))
    return f"{ratio(figure)} ({ratio(low)}..{ratio(high)})"


def size(figure):
    if not figure or not figure["median"]:
        return "-"
    value = figure["median"]
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= factor:
            return f"{value / factor:.1f} {unit}"
    return f"{value:.0f} B"


def seconds(figure):
    return f"{figure['median']:.3f} s" if figure else "-"


def is_busy(machine):
    return machine["load"][0] > BUSY * machine["cores"]


def machine_lines(result):
    machine = result["machine"]
    yield (f"machine   {machine['cpu']}, {machine['cores']} cores, "
           f"{machine['memory'] / 1e9:.1f} GB")
    yield (f"system    {machine['system']}, kernel {machine['kernel']}, {machine['libc']}, "
           f"{machine['compiler']}")
    yield (f"run       {machine['started']}, {result['rounds']} rounds, scale "
           f"{result['scale']:g}, load {machine['load'][0]:.1f} before, "
           f"{result['load_after'][0]:.1f} after")
    for name, version in machine["tools"].items():
        yield f"  {name:10}{version}"
    for text in result["skipped"]:
        yield f"left out  {text}"
    if is_busy(machine):
        yield "busy      other programs ran beside: mind the spread, and the lines of control"


def variant_row(name, figures):
    if not figures["wall_ratio"] and not (name == "bare" and figures["wall"]):
        return None
    report = figures["report_failure"] or seconds(figures["report"])
    return [name, "1" if name == "bare" else with_spread(figures["wall_ratio"]),
            ratio(figures["cpu_ratio"]), ratio(figures["peak_ratio"]), seconds(figures["wall"]),
            size(figures["peak"]), size(figures["output"]), report]


def variant_notes(name, figures):
    for failure in figures["failures"]:
        said = f": {figures['said']}" if figures["said"] else ""
        yield f"  {name}: {failure}{said}"
    if figures.get("complete") is False:
        yield f"  {name}: the trace says that it is not complete"
    plain = figures.get("wall_ratio_plain")
    if plain:
        yield f"  {name}: {with_spread(plain)} times plain jemalloc"
    tree = figures["tree_peak"]
    if name == "heaptrack" and tree and figures["peak"]:
        yield f"  {name}: peak of its interpreter {size(tree)}"


def workload_lines(name, title, variants):
    yield ""
    yield f"{name}: {title}"
    rows = [["", "wall / bare", "cpu", "peak", "wall", "peak RSS", "output", "report"]]
    notes = []
    for variant, figures in variants.items():
        row = variant_row(variant, figures)
        if row:
            rows.append(row)
        notes.extend(variant_notes(variant, figures))
    yield from ("  " + line for line in grid(rows))
    yield from notes


def cell(figures):
    if figures is None:
        return ""
    if figures["wall_ratio"]:
        return ratio(figures["wall_ratio"]) + ("*" if figures["failures"] else "")
    return figures["failures"][0].removeprefix("failed: ") if figures["failures"] else ""


def overview_rows(result, value):
    names = [name for name in result["variants"] if name != "bare"]
    yield ["", *names]
    for workload, variants in result["figures"].items():
        yield [workload, *(value(variants.get(name)) for name in names)]


def overview_lines(result):
    yield ""
    yield "wall time over bare, medians"
    yield from ("  " + line for line in grid(list(overview_rows(result, cell))))
    yield ""
    yield "peak RSS over bare, medians"
    peak = lambda figures: ratio(figures["peak_ratio"]) if figures else ""
    yield from ("  " + line for line in grid(list(overview_rows(result, peak))))


def amount(value, unit):
    if value is None:
        return "-"
    digits = 3 if unit == "s" or (unit == "" and value < 0.3) else 2 if value < 1000 else 0
    return f"{value:.{digits}f}{' ' + unit if unit else ''}"


def bar_lines(result):
    yield ""
    yield "bars"
    rows = [["", "limit", "measured", ""]]
    for bar in result["bars"]:
        note = CLOSE if bar["close"] else f"  {bar['why']}" if bar["why"] and (
            bar["measured"] is None or "against" in bar["why"]) else ""
        rows.append([bar["bar"], amount(bar["limit"], bar["unit"]),
                     amount(bar["measured"], bar["unit"]), bar["status"] + note])
    width = [max(len(row[i]) for row in rows) for i in range(3)]
    for row in rows:
        yield (f"  {row[0]:{width[0]}}  {row[1]:>{width[1]}}  {row[2]:>{width[2]}}  "
               f"{row[3]}").rstrip()
    required = [bar for bar in result["bars"] if not bar["bar"].startswith("goal")]
    count = {status: sum(bar["status"] == status for bar in required)
             for status in ("met", "missed", "not measured")}
    yield f"  {count['met']} met, {count['missed']} missed, {count['not measured']} not measured"


def micro_lines(result):
    if not result["micro"]:
        return
    yield ""
    yield "calls of seep.h, nanoseconds"
    rows = [["", "stamp", "count", "event mark", "pread of statm", "empty loop"]]
    for name, figures in result["micro"].items():
        if figures:
            rows.append(["no seep" if name == "alone" else "seep run",
                         *(f"{figures[key]:.1f}" for key in
                           ("stamp", "count", "mark_event", "read_statm", "nothing"))])
    yield from ("  " + line for line in grid(rows))


def text_lines(result):
    yield from machine_lines(result)
    for name, variants in result["figures"].items():
        yield from workload_lines(name, result["titles"][name], variants)
    yield from overview_lines(result)
    yield from micro_lines(result)
    yield from bar_lines(result)


def markdown_table(rows):
    rows = [[text.replace("|", "\\|") for text in row] for row in rows]
    yield "| " + " | ".join(rows[0]) + " |"
    yield "|" + "---|" * len(rows[0])
    for row in rows[1:]:
        yield "| " + " | ".join(row) + " |"


def markdown_lines(result):
    """The table of bench/README.md."""
    machine = result["machine"]
    figures = result["figures"]
    names = [name for name in result["variants"] if name not in ("bare", "control")]
    yield (f"Wall time over the bare run of the same round, medians of {result['rounds']} rounds "
           f"(`make bench`; {machine['cpu']}, {machine['cores']} cores, {machine['system']}, "
           f"kernel {machine['kernel']}):")
    if result["scale"] != 1 or is_busy(machine):
        yield ""
        yield (f"*Not for publication: scale {result['scale']:g}, load {machine['load'][0]:.1f} "
               "before the start.*")
    yield ""
    labels = [LABELS.get(name, name) for name in names]
    rows = [["", "bare", *labels]]
    for workload, variants in figures.items():
        rows.append([workload, seconds(variants["bare"]["wall"]),
                     *(cell(variants.get(name)) for name in names)])
    yield from markdown_table(rows)
    yield ""
    yield "Peak RSS over bare, size of the trace and time of `seep report`:"
    yield ""
    rows = [["", "bare", *labels, "trace of seep", "report"]]
    for workload, variants in figures.items():
        own = variants.get("seep")
        rows.append([workload, size(variants["bare"]["peak"]),
                     *(ratio(variants[name]["peak_ratio"]) if name in variants else ""
                       for name in names),
                     size(own["output"]) if own else "", seconds(own["report"]) if own else ""])
    yield from markdown_table(rows)
