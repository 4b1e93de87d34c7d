# SPDX-License-Identifier: GPL-3.0-or-later
# A mock in place of the real sender, in a simulation that runs for long: it keeps every call.
# issue: https://github.com/python/cpython/issues/106823
# package: -
from unittest import mock

import leaks

sender = mock.MagicMock(name="sender")


def message(number):
    return {"id": number, "body": "x" * 500, "to": ["a", "b"]}


def deliver(number):
    letters = [message(number * 3 + k) for k in range(3)]
    if number % 2:
        sender.send(letters[0], urgent=False)  # leaks
    else:
        sender.send(letters[1], urgent=True)  # leaks
    return sum(len(letter["body"]) for letter in letters)


leaks.run(deliver)
