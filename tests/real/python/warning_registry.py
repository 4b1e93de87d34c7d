# SPDX-License-Identifier: GPL-3.0-or-later
# The text of each warning differs, and the module's registry keeps them all.
# issue: https://github.com/python/cpython/issues/97557
# package: -
import sys
import warnings

import leaks

warnings.simplefilter("default")
warnings.showwarning = lambda *rest: None


def parse(row):
    name, value = row.split("=")
    if not value.isdigit():
        warnings.warn("row %s: %r is not a number" % (name, value * 20))  # leaks
        return 0
    return int(value)


def work(number):
    rows = ["row%d_%d=%d" % (number, k, k) for k in range(30)] + ["row%d=bad%d" % (number, number)]
    return sum(parse(row) for row in rows)


if sys.warnoptions:
    sys.exit("run me without -W")
leaks.run(work)
