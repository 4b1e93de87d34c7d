# SPDX-License-Identifier: GPL-3.0-or-later
# Names of elements that come from data: libxml2 keeps each name that it has seen.
# issue: https://github.com/tkuester/taky/issues/40
# package: python3-lxml
# truth: none
import leaks
from lxml import etree


def parse(text):
    return etree.fromstring(text)  # leaks


def work(number):
    names = ["device_%d_%d_with_a_long_name" % (number, k) for k in range(40)]
    tree = parse("<all>%s</all>" % "".join("<%s v='1'/>" % name for name in names))
    return len(tree)


leaks.run(work)
