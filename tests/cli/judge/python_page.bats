#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/python.md: every command of the page does what the page says, in the order of the page.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	/usr/bin/python3 -W ignore -c 'import setuptools, flask, pytest, pip' ||
		skip "no Flask, pytest or pip"
	# The page works in a clone; this is one, but for what it writes.
	mkdir -p clone/tmp bin
	cp -r "$SEEP_SOURCE/python" "$SEEP_SOURCE/examples" clone
	rm -rf clone/python/build
	ln -s "$SEEP_BUILD" clone/build
	ln -s /usr/bin/python3 bin/python3
	# What the page installs goes to a place of its own.
	cat > bin/pip <<-END
		#!/bin/sh
		exec /usr/bin/python3 -m pip --disable-pip-version-check "\$@" -q --no-index \
			--no-deps --target "$PWD/installed"
	END
	chmod +x bin/pip
	export PATH="$PWD/bin:$PATH" TMPDIR="$PWD/clone/tmp" COLUMNS=100
	unset SEEP SEEP_DISABLE PYTEST_ADDOPTS
}

# shows_python: whether this tracker records the frames of Python
shows_python() {
	echo 'import seep
kept = []
for i in range(30):
    with seep.event():
        kept.append(bytearray(1000))' > leak.py
	PYTHONPATH=$SEEP_SOURCE/python "$SEEP_BUILD/bin/seep" run -q -f -o leak.seep -- \
		/usr/bin/python3 leak.py
	"$SEEP_BUILD/bin/seep" report --json leak.seep |
		jq -e '[.sites[].stack[].language] | any(. == "python")' > /dev/null
}

@test "the commands of docs/python.md print what the page says" {
	skip='$^'
	/usr/bin/python3 -c 'import h5py' || skip="$skip|h5py"
	# Native stacks are deeper and more: what the tracker has no room for is counted together.
	shows_python || skip="$skip|shop.py:|^FAIL  the rate"
	cd clone
	run /usr/bin/python3 "$SEEP_SOURCE/tests/cli/run_page.py" \
		"$SEEP_SOURCE/docs/python.md" --skip "$skip"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *" commands" ]]
	[ -e ../installed/seep_pytest.py ]
}

@test "a page that promises something else is found out" {
	printf '%s\n' '```' '$ echo a 12 b; echo c' 'a 7 b' 'c' '```' > right.md
	run -0 /usr/bin/python3 "$SEEP_SOURCE/tests/cli/run_page.py" right.md
	printf '%s\n' '```' '$ echo a; echo b; echo c' 'a' '...' 'c' '```' > dots.md
	run -0 /usr/bin/python3 "$SEEP_SOURCE/tests/cli/run_page.py" dots.md
	for text in 'a' 'a|c' 'b|...' 'a|b|c|d' '...|c|b' 'a|...|x'; do
		printf '%s\n' '```' '$ echo a; echo b; echo c' "${text//|/$'\n'}" '```' > wrong.md
		run -1 /usr/bin/python3 "$SEEP_SOURCE/tests/cli/run_page.py" wrong.md
	done
	printf '%s\n' '```sh' 'false' '```' > fails.md
	run -1 /usr/bin/python3 "$SEEP_SOURCE/tests/cli/run_page.py" fails.md
}
