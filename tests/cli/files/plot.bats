#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep plot: pictures that real readers take, and the same in the terminal.
#
# shellcheck disable=SC2154,SC2016 # bats sets $stderr; what sh is to expand, sh expands

bats_require_minimum_version 1.5.0

setup_file() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE
	seep run -q -o hits.seep -- "$SEEP_BUILD/examples/hits" --events 40 >truth
	make_program job.c
	gcc -g -I"$SEEP_SOURCE/include" job.c -o job
	seep run -q -o job.seep -- ./job 40
	seep run -q -o three.seep -- ./job 3
	seep run -q -o one.seep -- ./job 1
	gcc -g -DSEEP_LINK -I"$SEEP_SOURCE/include" job.c "$SEEP_BUILD/lib/libseep.a" -pthread \
		-o alone
	./alone 200
	mv seep.alone.*.seep alone.seep
}

# make_program FILE: keeps 1000 bytes in each event, more in the first; its names are hostile
make_program() {
	cat >"$1" <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		#include <string.h>
		static void *volatile kept;
		__attribute__((noinline)) void keep(size_t n)
		{
			kept = memset(malloc(n), 1, n);
		}
		int main(int argc, char **argv)
		{
			for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
				seep_event_begin(i);
				seep_stamp("a<b>&amp;\"'c");
				keep(i ? 1000 : 5000000);
				seep_stamp("\033[31mred\xff");
				seep_event_end();
			}
			return 0;
		}
	END
}

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	FILES=$BATS_FILE_TMPDIR
	unset LC_ALL LC_CTYPE LANG
}

# texts FILE.svg: every text of the picture, a line each, as an XML reader finds them
texts() {
	/usr/bin/python3 - "$1" <<-'END'
		import sys, xml.etree.ElementTree as tree
		svg = "{http://www.w3.org/2000/svg}"
		root = tree.parse(sys.argv[1]).getroot()
		assert root.tag == svg + "svg", root.tag
		width, height = float(root.get("width")), float(root.get("height"))
		for node in root.iter(svg + "text"):
		    assert 0 <= float(node.get("x")) <= width, node.text
		    assert 0 <= float(node.get("y")) <= height, node.text
		    print(node.text)
	END
}

# look FILE.png: its size, and how many colours it has; fails if the outermost pixels are not white
look() {
	/usr/bin/python3 - "$1" <<-'END'
		import sys
		from PIL import Image
		image = Image.open(sys.argv[1])
		image.load()
		image = image.convert("RGB")
		width, height = image.size
		edge = [image.getpixel((x, y)) for x in range(width) for y in (0, height - 1)]
		edge += [image.getpixel((x, y)) for y in range(height) for x in (0, width - 1)]
		assert set(edge) == {(255, 255, 255)}, "something is cut off"
		print(width, height, len(image.getcolors(1 << 24)))
	END
}

@test "a name's ending tells the kind, and real readers take it" {
	for kind in png svg pdf; do
		run -0 seep plot -o "x.$kind" "$FILES/hits.seep"
		[ -z "$output" ]
	done
	[ "$(head -c 8 x.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
	[ "$(head -c 5 x.pdf)" = %PDF- ]
	run -0 look x.png
	[[ "$output" =~ ^800\ [0-9]+\ [0-9]+$ ]]
	[ "${output##* }" -gt 50 ]
	texts x.svg >found
	pdfinfo x.pdf >info
	grep -q '^Pages: *1$' info
	grep -q '^Title: *LEAK  2\.' info
	pdftotext -layout x.pdf text
	for words in 'Memory at the start of each event' 'RSS' 'live heap' 'warm-up' 'time' \
		'What each event adds, from start to start' 'Live heap added in each phase' \
		'QSim__simulate_TAIL -> QSim__reset_HEAD' 'Live bytes by event of allocation' \
		'sframe::prepare' 'never freed' '100 % of the growth'; do
		grep -qF -- "$words" found
		grep -qF -- "$words" text
	done
	grep -qE '^LEAK  2\.[0-9]+ MB/event  \[2\.[0-9]+, 2\.[0-9]+\]' found
	seep plot -o X.PNG "$FILES/hits.seep"
	cmp x.png X.PNG
}

@test "the same run makes the same files" {
	for kind in png svg pdf; do
		seep plot -o "1.$kind" "$FILES/job.seep"
		TZ=Asia/Tokyo LC_ALL=C.UTF-8 seep plot -o "2.$kind" "$FILES/job.seep"
		cmp "1.$kind" "2.$kind"
	done
}

@test "names stay what they are, and what cannot be shown is escaped" {
	seep plot -o x.svg "$FILES/job.seep"
	texts x.svg >found
	grep -qFx "a<b>&amp;\"'c -> _[31mred\\xff" found
	run -1 grep -q $'\033' x.svg
	seep plot -o x.pdf "$FILES/job.seep"
	pdftotext x.pdf - | grep -qF "a<b>&amp;\"'c"
	seep plot -o x.png "$FILES/job.seep"
	run -0 seep plot "$FILES/job.seep"
	[[ "$output" != *$'\033'* ]]
	[[ "$output" == *"a<b>&amp;\"'c -> _[31mred\\xff"* ]]
}

@test "one panel, and the size that was asked for" {
	for what in curve delta phases survivors; do
		seep plot --what $what --size 640x480 -o $what.png "$FILES/hits.seep"
		run -0 look $what.png
		[[ "$output" == "640 480 "* ]]
		seep plot --what $what -o $what.svg "$FILES/hits.seep"
		texts $what.svg >$what.texts
	done
	grep -q '^Memory at' curve.texts
	run -1 grep -qE 'adds|phase|birth' curve.texts
	grep -q ' adds, ' delta.texts
	run -1 grep -qE '^Memory|phase|birth' delta.texts
	grep -q ' added in each phase' phases.texts
	run -1 grep -qE '^Memory|adds|birth' phases.texts
	grep -q ' of allocation' survivors.texts
	run -1 grep -qE '^Memory|adds|phase' survivors.texts
	run -125 --separate-stderr seep plot --what sites "$FILES/hits.seep"
	[[ "$stderr" == *"curve, delta, phases, survivors or all"* ]]
	for size in 800 x 800x 800x600x 99999x600 800x-600 ' 800x600' 800x600px 0x0; do
		run -125 --separate-stderr seep plot --size "$size" -o x.png "$FILES/hits.seep"
		[[ "$stderr" == *"800x600"* ]]
		[ ! -e x.png ]
	done
	run -125 --separate-stderr seep plot --size 300x300 -o x.png "$FILES/hits.seep"
	[[ "$stderr" == *"too small"* ]]
	[ ! -e x.png ]
	run -125 --separate-stderr seep plot --size 800x600 "$FILES/hits.seep"
	[[ "$stderr" == *"-o FILE"* ]]
}

@test "the first event does not squash the others" {
	seep plot --what delta -o x.svg "$FILES/job.seep"
	texts x.svg >found
	grep -qFx '1000 B' found
	# RSS grows by a little more than the heap, and pages may come in another event as well.
	grep -qE '5\.[0-9]+ MB' found
	run -1 grep -qE '^[1-9] MB$' found
	run -0 seep plot --what delta "$FILES/job.seep"
	[[ "$output" == *"the farthest is 5.00 MB in event 0"* ]]
}

@test "what a run lacks is left out; nothing at all is an error" {
	seep plot -o x.svg "$FILES/alone.seep"
	texts x.svg >found
	grep -q '^RSS added in each phase' found
	run -1 grep -qE 'heap|birth' found
	run -125 --separate-stderr seep plot --what survivors "$FILES/alone.seep"
	[[ "$stderr" == *"alone.seep' has nothing to plot: it lacks call sites"* ]]
	seep plot -o three.png "$FILES/three.seep"
	look three.png
	run -0 seep plot "$FILES/three.seep"
	run -125 --separate-stderr seep plot --what curve -o y.png "$FILES/one.seep"
	[[ "$stderr" == *"two events"* ]]
	[ ! -e y.png ]
}

@test "another ending is refused with the list" {
	for name in x.jpg x '' .png png /dev/null; do
		run -125 --separate-stderr seep plot -o "$name" "$FILES/hits.seep"
		[[ "$stderr" == *".png, .svg or .pdf"* ]]
	done
	[ -z "$(ls -A)" ]
}

@test "a file is whole or not there" {
	run -125 --separate-stderr seep plot -o nowhere/x.png "$FILES/hits.seep"
	[[ "$stderr" == *"nowhere/x.png"* ]]
	run -125 seep plot -o x.png nothing.seep
	echo old >x.svg
	(
		ulimit -f 4 # blocks of 512 or 1024 bytes, as the shell likes
		trap '' XFSZ
		for kind in png svg pdf; do
			seep plot -o "x.$kind" "$FILES/hits.seep" 2>"$kind.err" && exit 1
			grep -q 'could not be written' "$kind.err" || exit 1
		done
	)
	[ "$(cat x.svg)" = old ]
	rm ./*.err
	[ "$(ls -A)" = x.svg ]
	if [ -w /dev/full ]; then
		ln -s /dev/full full.png
		run -125 --separate-stderr seep plot -o full.png "$FILES/hits.seep"
		[[ "$stderr" == *"No space left"* ]]
		run -125 sh -c 'seep plot "$1" >/dev/full' sh "$FILES/hits.seep"
	fi
}

@test "in a terminal of 80 columns, with braille or in ASCII" {
	LANG=en_US.UTF-8 run -0 seep plot "$FILES/hits.seep"
	[[ "$output" == *⣀* ]]
	[[ "$output" == *█* ]]
	echo "$output" >utf8
	LC_ALL=C LANG=en_US.UTF-8 TERM=xterm run -0 seep plot "$FILES/hits.seep"
	echo "$output" >ascii
	run -1 env LC_ALL=C grep -q '[^ -~]' ascii
	for file in utf8 ascii; do
		/usr/bin/python3 - $file <<-'END'
			import sys
			lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
			assert max(map(len, lines)) <= 80, max(lines, key=len)
			axes = [line for line in lines if line.lstrip().startswith("event ")]
			assert len(axes) == 5
		END
		grep -qE '^LEAK  2\.[0-9]+ MB/event  \[2\.[0-9]+, 2\.[0-9]+\]' $file
		grep -qE '^live heap at the start of each event; fit 2\.[0-9]+ MB/event' $file
		grep -qE '^RSS that each event adds: 2\.[0-9]+ MB/event' $file
		grep -qE 'QSim__reset_HEAD +2\.[0-9]+ MB/event +100 % +#{16}$' $file
		grep -qE 'Tran<double>::Invert  hits.cc:[0-9]+  .* never freed$' $file
	done
}

@test "the newest trace is taken; a second file is not" {
	cp "$FILES/hits.seep" .
	run -0 seep plot --what phases
	[[ "$output" == LEAK* ]]
	run -125 --separate-stderr seep plot hits.seep hits.seep
	[[ "$stderr" == *"unexpected argument 'hits.seep'"* ]]
}

@test "stamps of another program are drawn as well" {
	seep export --to sprof -o SProf.txt "$FILES/hits.seep"
	seep plot -o x.svg SProf.txt
	texts x.svg >found
	grep -qE '^GROWTH  2\.[0-9]+ MB/event  \[.*\] of RSS' found
	grep -qE '^RSS: 2\.[0-9]+ MB/event' found
	grep -qFx 'QSim__simulate_TAIL -> QSim__reset_HEAD' found
	run -1 grep -qE 'live heap|birth' found
	run -0 seep plot --unit kB SProf.txt
	[[ "$output" == GROWTH* ]]
}

@test "a long run is a small picture" {
	seep run -q -o long.seep -- "$FILES/job" 100000
	for kind in png svg pdf; do
		seep plot -o "x.$kind" long.seep
		[ "$(stat -c %s "x.$kind")" -lt 500000 ]
	done
	look x.png
	texts x.svg | grep -qFx 100000
}
