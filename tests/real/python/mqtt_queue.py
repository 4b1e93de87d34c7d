# SPDX-License-Identifier: GPL-3.0-or-later
# Measurements are published though the broker cannot be reached: the client keeps them all.
# issue: https://github.com/eclipse-paho/paho.mqtt.python/issues/225
# package: python3-paho-mqtt
import json

import leaks
import paho.mqtt.client as mqtt

client = mqtt.Client("station")


def measure(number):
    return [{"sensor": k, "value": (number * 37 + k) % 100} for k in range(20)]


def publish(values):
    payload = json.dumps(values)  # leaks
    client.publish("station/values", payload, qos=1)  # leaks


def work(number):
    publish(measure(number))


leaks.run(work)
