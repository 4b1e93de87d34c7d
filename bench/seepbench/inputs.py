# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that the real programs read.  The same bytes on every machine and every day."""
import json
import random

WORDS = ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi "
         "omicron pi rho sigma tau upsilon phi chi psi omega").split()

PYTHON = '''\
import json
import sys

def churn(n):
    live = {}
    state = 12345
    for i in range(n):
        state = (state * 1103515245 + 12345) % 2147483648
        key = "k%d" % (state % 50000)
        live[key] = {"id": i, "name": key * 2, "tags": [key, str(i), i / 7], "next": None}
        if state % 3 == 0:
            live.pop("k%d" % (state // 7 % 50000), None)
    return live

def convert(live, times):
    total = 0
    for _ in range(times):
        text = json.dumps(live)
        total += len(json.loads(text))
    return total

n = int(sys.argv[1])
print(convert(churn(n), 2))
'''

PYTHON_CALLS = '''\
import sys

def leaf(i):
    return [i, str(i), {"a": i}]

def middle(i):
    return leaf(i)[1], leaf(i + 1)

class Point:
    __slots__ = ("x", "y")

    def __init__(self, i):
        self.x = [i]
        self.y = str(i)

def run(n):
    kept = []
    total = 0
    for i in range(n):
        kept.append((middle(i), middle(i + 1)))
        kept.append(Point(i))
        if len(kept) > 5000:
            total += len(kept)
            kept = []
    return total

print(run(int(sys.argv[1])))
'''

PYTHON_FLASK = '''\
import sys
import flask

app = flask.Flask("app")

@app.route("/hello/<name>")
def hello(name):
    return flask.render_template_string("<p>Hello {{ name }}, {{ n }}", name=name, n=len(name))

@app.route("/data")
def data():
    return flask.jsonify(values=list(range(200)))

client = app.test_client()
total = 0
for i in range(int(sys.argv[1])):
    total += len(client.get("/hello/n%d" % i).data) + len(client.get("/data").data)
print(total)
'''

PYTHON_H5PY = '''\
import os
import sys
import h5py
import numpy

total = 0
with h5py.File("memory.h5", "w", driver="core", backing_store=False) as store:
    for i in range(int(sys.argv[1])):
        store["d%d" % i] = numpy.arange(100) + i
        total += int(store["d%d" % i][:].sum())
print(total)
'''

PYTHON_PANDAS = '''\
import sys
import pandas

total = 0
for i in range(int(sys.argv[1])):
    frame = pandas.DataFrame({"key": [j % 7 for j in range(500)], "value": range(500)})
    total += int(frame.groupby("key").sum()["value"].sum())
print(total)
'''

PERL = '''\
use strict;
use warnings;

my $n = shift;
my (%live, $state);
$state = 12345;
for my $i (1 .. $n) {
    $state = ($state * 1103515245 + 12345) % 2147483648;
    my $key = sprintf("key%05d", $state % 40000);
    my @parts = map { $key . $_ } (1 .. 4);
    $live{$key} = { id => $i, text => join(",", @parts), parts => \\@parts };
    if ($state % 3 == 0) {
        delete $live{sprintf("key%05d", ($state >> 7) % 40000)};
    }
    if ($i % 16 == 0) {
        (my $text = $live{$key}{text} // "") =~ s/key(\\d+)/<$1>/g;
        $live{$key}{text} = $text;
    }
}
my $length = 0;
$length += length($live{$_}{text}) for sort keys %live;
print "$length\\n";
'''

JQ = ('[.[] | select(.active) | {id, name: (.name | ascii_upcase), '
      'total: ([.items[].price] | add), tags: (.tags | join(","))}] '
      '| group_by(.id % 100) '
      '| map({key: .[0].id, n: length, sum: (map(.total) | add), '
      'names: ([.[].name | split(" ")[0]] | unique)})')

C_FUNCTION = '''
struct node_{k} {{ struct node_{k} *next; int key, value[{n}]; double weight; }};

static int step_{k}(struct node_{k} *p, int n)
{{
	int i, sum = {a};

	for (i = 0; i < n; i++) {{
		p->value[i % {n}] += sum ^ (i * {b});
		p->weight = p->weight * {c}.5 + p->value[(i + {a}) % {n}];
		if (p->weight > {b}{a}.0)
			p->weight /= 3;
		sum += (int)p->weight;
	}}
	return sum;
}}

int work_{k}(struct node_{k} *list, int key)
{{
	struct node_{k} *p;
	int sum = 0;

	for (p = list; p; p = p->next) {{
		switch ((p->key + key) % 7) {{
		case 0: sum += step_{k}(p, {n}); break;
		case 1: sum -= step_{k}(p, {a}); break;
		case 2: sum ^= p->value[{m}]; break;
		case 3: p->key += sum; break;
		case 4: sum += p->next ? step_{k}(p->next, {c}) : {b}; break;
		case 5: sum <<= 1; break;
		default: p->value[0] = sum; break;
		}}
	}}
	return sum + call_{k}(sum);
}}
'''


def scaled(number, scale):
    return max(1, int(number * scale))


def write_python(path, _):
    path.write_text(PYTHON)


def writer(text):
    def write(path, _):
        path.write_text(text)
    return write


def write_perl(path, _):
    path.write_text(PERL)


def write_c(path, scale):
    """A preprocessed C file: no directive in it."""
    rng = random.Random(3)
    parts = []
    for k in range(scaled(80, scale)):
        numbers = {name: rng.randint(2, 40) for name in "abc"}
        n = rng.randint(4, 64)
        parts.append(f"extern int call_{k}(int);\n")
        parts.append(C_FUNCTION.format(k=k, n=n, m=rng.randrange(n), **numbers))
    path.write_text("".join(parts))


def write_json(path, scale):
    rng = random.Random(5)

    def item():
        return {"sku": f"{rng.choice(WORDS)}-{rng.randrange(10000)}",
                "price": rng.randrange(100000) / 100, "count": rng.randrange(20)}

    def entry(i):
        return {"id": i, "active": rng.random() < 0.7,
                "name": " ".join(rng.choice(WORDS) for _ in range(3)),
                "tags": [rng.choice(WORDS) for _ in range(rng.randrange(6))],
                "items": [item() for _ in range(rng.randrange(1, 8))],
                "place": {"x": rng.random(), "y": rng.random(), "note": None}}

    with path.open("w") as out:
        out.write("[\n")
        for i in range(scaled(32000, scale)):
            out.write(("," if i else "") + json.dumps(entry(i)) + "\n")
        out.write("]\n")


def write_sql(path, scale):
    """Half of the time goes into statements that are parsed, half into rows."""
    rng = random.Random(7)
    rows = scaled(45000, scale)

    def text():
        return " ".join(rng.choice(WORDS) for _ in range(4))

    with path.open("w") as out:
        out.write("CREATE TABLE part (id INTEGER PRIMARY KEY, kind INT, name TEXT, weight REAL);\n"
                  "CREATE TABLE sale (id INTEGER PRIMARY KEY, part INT, n INT, note TEXT);\n"
                  "BEGIN;\n")
        for i in range(rows):
            out.write(f"INSERT INTO part VALUES ({i}, {rng.randrange(50)}, '{text()}', "
                      f"{rng.random():.6f});\n")
        out.write("COMMIT;\nCREATE INDEX part_kind ON part (kind, name);\n"
                  "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c "
                  f"WHERE x < {4 * rows}) INSERT INTO sale SELECT x, x * 7919 % {rows}, x % 13, "
                  "'note ' || x || hex(x * 31) FROM c;\n"
                  "CREATE INDEX sale_part ON sale (part);\n")
        for i in range(rows // 3):
            out.write(f"SELECT p.name, sum(s.n) FROM part p JOIN sale s ON s.part = p.id "
                      f"WHERE p.id = {rng.randrange(rows)} GROUP BY p.name;\n")
            if i % 4 == 0:
                out.write(f"UPDATE part SET name = '{text()}' WHERE id = {rng.randrange(rows)};\n")
        out.write("SELECT kind, count(*), avg(weight), group_concat(DISTINCT substr(name, 1, 3)) "
                  "FROM part GROUP BY kind ORDER BY 2 DESC;\n"
                  "SELECT note FROM sale ORDER BY note DESC LIMIT 10;\n")
