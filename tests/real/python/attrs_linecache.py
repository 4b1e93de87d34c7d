# SPDX-License-Identifier: GPL-3.0-or-later
# A class for each kind of record: attrs leaves the source of its methods in linecache, even when
# the class is gone.
# issue: https://github.com/python-attrs/attrs/pull/828
# package: python3-attr
import attr
import leaks


def record_class(number):
    fields = {"field_%d_%d" % (number, k): attr.ib(default=k) for k in range(6)}
    return attr.make_class("Record%d" % number, fields)  # leaks


def work(number):
    record = record_class(number)()
    return len(attr.asdict(record))


leaks.run(work)
