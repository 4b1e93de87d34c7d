# SPDX-License-Identifier: MIT
"""A small shop on Flask, for docs/python.md.  It leaks.

    python3 orders.py --requests 400     serve that many requests from inside the process

Each request is an event for seep.  Needs the Debian package python3-flask.
"""
import argparse
import itertools

import flask
import seep

app = flask.Flask("orders")
number = itertools.count()
prices = {"tea": 4, "coffee": 6, "sugar": 1}
pages = {}


@app.before_request
def begin():
    seep.event_begin(next(number))


@app.after_request
def end(response):
    seep.count("bytes", response.calculate_content_length() or 0)
    return response


def load(order_id):
    items = [{"name": name, "count": order_id % 3 + 1} for name in prices]
    return {"id": order_id, "items": items, "notes": "by hand " * 200}


def render(order):
    rows = ["%(count)d x %(name)s" % item for item in order["items"]]
    return "Order %d\n" % order["id"] + "\n".join(rows) + "\n" + order["notes"]


@app.route("/orders/<int:order_id>")
def show(order_id):
    url = flask.request.full_path
    if url not in pages:
        pages[url] = render(load(order_id))
    return pages[url]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=400)
    client = app.test_client()
    for i in range(parser.parse_args().requests):
        # A tracking number makes every URL new, though there are only 50 orders.
        client.get("/orders/%d?track=%d" % (i % 50, i))


if __name__ == "__main__":
    main()
