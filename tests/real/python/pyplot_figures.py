# SPDX-License-Identifier: GPL-3.0-or-later
# Figures are saved but not closed: pyplot keeps them.
# issue: https://github.com/quantopian/pyfolio/issues/503
# package: python3-matplotlib
# events: 60
# truth: part
import io

import leaks
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

pyplot.rcParams["figure.max_open_warning"] = 0


def tear_sheet(number):
    figure, axes = pyplot.subplots(figsize=(2, 1), dpi=40)  # leaks
    axes.plot([number, 2, 3])
    page = io.BytesIO()
    figure.savefig(page)  # leaks
    return page.getvalue()


def work(number):
    return len(tear_sheet(number))


leaks.run(work)
