# SPDX-License-Identifier: GPL-3.0-or-later
# The identifier of a session is a label: the metric keeps a child for each.
# issue: https://github.com/BerriAI/litellm/issues/12159
# package: python3-prometheus-client
import leaks
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

registry = CollectorRegistry()
requests = Counter("requests", "requests", ["method"], registry=registry)
seconds = Histogram("seconds", "time of a session", ["session"], registry=registry)


def observe(session, duration):
    requests.labels("GET").inc()
    seconds.labels(session).observe(duration)  # leaks


def work(number):
    observe("session-%08d" % number, number % 7)
    if number % 100 == 0:
        generate_latest(registry)


leaks.run(work)
