# SPDX-License-Identifier: GPL-3.0-or-later
# Buffers of many sizes are read through pointers to arrays; ctypes keeps each pointer type.
# issue: https://github.com/python/cpython/issues/100926
# package: -
import ctypes

import leaks

source = ctypes.create_string_buffer(b"data" * 4000)


def read_block(size):
    array = ctypes.cast(source, ctypes.POINTER(ctypes.c_ubyte * size))  # leaks
    return bytes(array.contents)


def work(number):
    parts = [read_block(1000 + 3 * number + k) for k in range(3)]
    return sum(len(part) for part in parts)


leaks.run(work)
