# SPDX-License-Identifier: GPL-3.0-or-later
# lru_cache on a method keeps every object that the method was called on.
# issue: https://github.com/PyCQA/flake8/pull/1573
# package: -
import functools

import leaks


class Document:
    def __init__(self, number):
        self.lines = ["%d %d" % (number, k) for k in range(50)]  # leaks

    @functools.lru_cache(maxsize=None)
    def numbers(self, base):
        return [int(line.split()[1], base) for line in self.lines]


def work(number):
    document = Document(number)
    return sum(document.numbers(10)) + max(len(line) for line in document.lines)


leaks.run(work)
