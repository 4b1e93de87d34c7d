# SPDX-License-Identifier: GPL-3.0-or-later
"""From samples to figures: medians, with the least and the largest beside them."""
import math
import statistics


def spread(values):
    values = [value for value in values if isinstance(value, (int, float))]
    if not values:
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values),
            "n": len(values)}


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def ratios(samples, base, key):
    """Each round against the bare run of the same round."""
    pairs = [(samples[i].get(key), base[i].get(key)) for i in sorted(samples.keys() & base.keys())]
    return spread([a / b for a, b in pairs if a is not None and b])


def summarise_variant(samples, bare, plain):
    """samples, bare, plain: round -> sample, for this variant and its references."""
    values = list(samples.values())
    failures = sorted({sample["failure"] for sample in values if sample["failure"]})
    reports = [sample.get("report") for sample in values]
    traces = [sample["trace"] for sample in values if sample.get("trace")]
    figures = {
        "rounds": len(values), "failures": failures,
        "said": next((s["said"] for s in values if s.get("said")), ""),
        "wall": spread([s.get("wall") for s in values]),
        "peak": spread([s.get("peak") for s in values]),
        "tree_peak": spread([s.get("tree_peak") for s in values]),
        "output": spread([s.get("output") for s in values]),
        "report": spread(reports),
        "report_failure": next((r for r in reports if isinstance(r, str)), None),
        "wall_ratio": ratios(samples, bare, "wall"),
        "cpu_ratio": ratios(samples, bare, "cpu"),
        "peak_ratio": ratios(samples, bare, "peak"),
    }
    if plain:
        figures["wall_ratio_plain"] = ratios(samples, plain, "wall")
    if traces:
        figures["complete"] = all(trace["complete"] for trace in traces)
        figures["trace"] = traces[-1]
    return figures


def summarise(samples):
    """samples: workload -> variant -> round -> sample; rounds are whole numbers."""
    figures = {}
    for workload, variants in samples.items():
        bare = variants.get("bare", {})
        figures[workload] = {
            name: summarise_variant(rounds, bare,
                                    variants.get("jemalloc") if name == "jemprof" else None)
            for name, rounds in variants.items()}
    return figures
