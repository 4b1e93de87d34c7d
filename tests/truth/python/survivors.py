# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps objects of some types in each event; ends as the argument says: exit, or os._exit."""
import os
import sys

import seep

EVENTS = 100


class Order:
    def __init__(self, number):
        self.number = number


class Slot:
    __slots__ = ("data",)


def make():
    class Local:
        pass
    return Local


class Meta(type):
    pass


class Made(metaclass=Meta):
    pass


kept, gone = [], []


def handle(i):
    global gone
    for _ in range(3):
        kept.append(Order(i))
    kept.append(Slot())
    kept.append(make()())
    kept.append(Made())
    kept.append({i: bytearray(100)})
    gone = [Order(i) for _ in range(50)]


for event in range(EVENTS):
    with seep.event():
        handle(event)
gone = []
if sys.argv[1] == "at-once":
    os._exit(0)
