# SPDX-License-Identifier: MIT
"""A data logger with a leak that Python cannot see.

    seep run -- python3 examples/h5py_logger.py

It records buffers of voltage and current into an HDF5 file and then plays them back, like
the emulator of a test bench.  Each read of a buffer leaves one dataspace behind in
libhdf5, as h5py 3.4.0 did: H5Screate_simple without H5Sclose.  seep reports a leak of
two dataspaces per event and names the function.  No Python object is lost, so
tracemalloc finds nothing:

    python3 examples/h5py_logger.py --tracemalloc

prints what tracemalloc finds per read, and how much the process has grown.  With --close the
dataspaces are closed and nothing grows.  Needs h5py (Debian: python3-h5py).
"""

import argparse
import ctypes
import os
import sys
import tempfile
import tracemalloc

import h5py
import numpy as np

try:
    import seep
except ImportError:  # not installed, or not in PYTHONPATH
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
    import seep

SAMPLES = 100
RECORDED = 20  # buffers, played back again and again
CHANNELS = ("voltage", "current")


def load_hdf5():
    """The library that h5py itself has loaded: a second copy would have its own dataspaces."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.split(None, 5)[5].strip() if line.count("/") else ""
            if os.path.basename(path).startswith("libhdf5") and "_hl" not in path:
                return ctypes.CDLL(path)
    sys.exit("h5py has loaded no libhdf5")


HDF5 = load_hdf5()
HDF5.H5Screate_simple.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_uint64), ctypes.c_void_p]
HDF5.H5Screate_simple.restype = ctypes.c_int64
HDF5.H5Sclose.argtypes = [ctypes.c_int64]

# libhdf5 keeps freed blocks in its own lists and reuses them, so malloc is not called by the code
# that keeps a block but by the code that finds the list empty.  Without the lists seep sees both.
if seep.active():
    HDF5.H5set_free_list_limits(0, 0, 0, 0, 0, 0)


class Reader:
    def __init__(self, dataset, closes):
        self.dataset = dataset
        self.closes = closes

    def read(self, first, n):
        shape = (ctypes.c_uint64 * 1)(n)
        space = HDF5.H5Screate_simple(1, shape, None)  # for the memory that is read into
        values = self.dataset[first:first + n]
        if self.closes:
            HDF5.H5Sclose(space)  # what h5py 3.4.0 forgot
        return values


def record(path):
    with h5py.File(path, "w") as file:
        for channel in CHANNELS:
            file.create_dataset(channel, (0,), "u4", maxshape=(None,), chunks=(SAMPLES,),
                                compression="lzf")
        for number in range(RECORDED):
            for channel in CHANNELS:
                dataset = file[channel]
                dataset.resize(((number + 1) * SAMPLES,))
                dataset[number * SAMPLES:] = np.arange(SAMPLES) + number


def emulate(path, buffers, closes):
    """Plays everything back; returns traced bytes at a quarter of the way and at the end."""
    traced = [0, 0]
    with h5py.File(path, "r") as file:
        readers = [Reader(file[channel], closes) for channel in CHANNELS]
        for number in range(buffers):
            with seep.event(number):
                for reader in readers:
                    values = reader.read(number % RECORDED * SAMPLES, SAMPLES)
                    if int(values[0]) != number % RECORDED:
                        sys.exit("buffer %d holds something else" % number)
            if tracemalloc.is_tracing() and number in (buffers // 4, buffers - 1):
                traced[number == buffers - 1] = tracemalloc.get_traced_memory()[0]
    return traced


def main():
    parser = argparse.ArgumentParser(description="a data logger with a native leak")
    parser.add_argument("--buffers", type=int, default=400, help="to play back (400)")
    parser.add_argument("--close", action="store_true", help="close the dataspaces: no leak")
    parser.add_argument("--tracemalloc", action="store_true", help="tell what Python sees of it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "log.h5")
        record(path)
        if options.tracemalloc:
            tracemalloc.start()
        traced = emulate(path, options.buffers, options.close)
    if options.tracemalloc:
        reads = len(CHANNELS) * (options.buffers - 1 - options.buffers // 4)
        print("tracemalloc %.1f B per read" % ((traced[1] - traced[0]) / reads))
    print("truth dataspaces %d reads %d" % (0 if options.close else 1,
                                            len(CHANNELS) * options.buffers))


main()
