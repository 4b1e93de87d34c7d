# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions in memory: each visitor without a cookie gets one, with its lock, and it stays for an
# hour at least.
# issue: https://github.com/cherrypy/cherrypy/issues/838
# package: python3-cherrypy3
import cherrypy
import leaks
from cherrypy.lib.sessions import RamSession


def visit(number):
    session = RamSession(None, clean_freq=0)
    session.acquire_lock()  # leaks
    session["cart"] = ["item %d" % (number + k) for k in range(10)]  # leaks
    total = len(session["cart"])
    session.save()
    return total


def work(number):
    cherrypy.request.headers = {"Host": "shop"}
    visit(number)


leaks.run(work)
