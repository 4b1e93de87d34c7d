# SPDX-License-Identifier: GPL-3.0-or-later
# A new function class for each formula: sympy keeps all classes.
# issue: https://github.com/sympy/sympy/issues/24581
# package: python3-sympy
# events: 150
import leaks
import sympy

x = sympy.Symbol("x")


def unknown(number):
    return sympy.Function("f_%d" % number)  # leaks


def work(number):
    f = unknown(number)
    return (f(x) + x ** 2).diff(x).has(x)  # leaks


leaks.run(work)
