# SPDX-License-Identifier: GPL-3.0-or-later
# Instrumentation remembers each engine to remove its listeners one day; a job makes an engine for
# each tenant and disposes of it.
# issue: https://github.com/open-telemetry/opentelemetry-python-contrib/issues/1761
# package: python3-sqlalchemy
# events: 150
import leaks
from sqlalchemy import create_engine, event, text

instrumented = []


def trace(connection, cursor, statement, parameters, context, many):
    return statement, parameters


def instrument(engine):
    event.listen(engine, "before_cursor_execute", trace, retval=True)  # leaks
    instrumented.append((engine, trace))


def query(number):
    engine = create_engine("sqlite://")  # leaks
    instrument(engine)
    with engine.connect() as connection:
        found = connection.execute(text("select %d" % (number % 5))).scalar()  # leaks
    engine.dispose()
    return found


leaks.run(query)
