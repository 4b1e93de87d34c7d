# SPDX-License-Identifier: GPL-3.0-or-later
# A logger for each connection: logging keeps loggers for ever.
# issue: https://github.com/tarasko/picows/issues/72
# package: -
import io
import logging

import leaks

log = logging.getLogger("server")
log.addHandler(logging.NullHandler())
log.propagate = False


class Connection:
    def __init__(self, number):
        self.buffer = io.BytesIO(b"hello " * 200)
        self.log = log.getChild("peer%d" % number)  # leaks

    def serve(self):
        while self.buffer.read(100):
            self.log.debug("read")


def work(number):
    Connection(number).serve()


leaks.run(work)
