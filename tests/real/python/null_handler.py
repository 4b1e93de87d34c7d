# SPDX-License-Identifier: GPL-3.0-or-later
# Each client adds a handler to the same logger.
# issue: https://github.com/PaddleHQ/paddle-python-sdk/issues/144
# package: -
import json
import logging

import leaks


class Client:
    def __init__(self, key):
        self.key = key
        self.log = logging.getLogger("client.quiet")
        self.log.addHandler(logging.NullHandler())  # leaks

    def prices(self, number):
        return json.loads(json.dumps([{"id": k, "price": number + k} for k in range(40)]))


def work(number):
    client = Client("key%d" % number)
    return sum(price["price"] for price in client.prices(number))


leaks.run(work)
