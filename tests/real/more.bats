#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that are not everywhere, with and without the tracker.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	load real.bash
	work=$SEEP_SOURCE/tests/real/work
}

@test "node: JSON, compression, hashes, worker threads" {
	need node
	same node "$work/objects.js" 20000
	[ -s tracked.out ]
}

# Its results are speeds: compared are the algorithms that it names, once each, and the lines it
# prints, without the numbers and the column that lines them up.
@test "openssl speed" {
	need openssl
	normalise='s/\b[0-9]+(\.[0-9]+)?[ks]?\b//g; s/ +/ /g' \
		same openssl speed -seconds 1 -bytes 256 md5 sha256 aes-128-cbc rsa2048
	grep -q sha256 tracked.out
	[ "$(cat tracked.status)" -eq 0 ]
}

@test "openssl: keys, signatures, certificates" {
	need openssl
	openssl genrsa -out "$PWD/key.pem" 2048 2> /dev/null
	cat > sign.sh <<-END
		\$TRACK openssl rsa -in "$PWD/key.pem" -text -noout
		\$TRACK openssl dgst -sha256 -sign "$PWD/key.pem" -hex "$work/people.jq"
		\$TRACK openssl pkcs8 -topk8 -nocrypt -in "$PWD/key.pem"
		\$TRACK openssl req -new -key "$PWD/key.pem" -subj /CN=example.org
	END
	same_script "$PWD/sign.sh"
	[ -s tracked.out ]
}

@test "ImageMagick: pictures are the same to the byte" {
	need convert-im6.q16
	cat > draw.sh <<-'END'
		alias draw="$TRACK convert-im6.q16"
		draw -seed 7 -size 400x300 plasma:red-blue -blur 0x3 -resize 150% a.ppm
		draw a.ppm -rotate 30 -strip -define png:exclude-chunks=date,time b.png
		draw b.png -colors 64 -strip c.gif
		draw a.ppm -strip -quality 80 d.jpg
		draw a.ppm c.gif d.jpg -crop 100x100 +repage -append e.ppm
		$TRACK identify-im6.q16 a.ppm b.png c.gif d.jpg e.ppm | cut -d ' ' -f 1-5
	END
	MAGICK_THREAD_LIMIT=2 same_script "$PWD/draw.sh"
	[ -s tracked/e.ppm ]
}

@test "clang and gcc make the same object files of a large source" {
	need clang
	for compiler in gcc clang; do
		same $compiler -O2 -D_GNU_SOURCE= -I"$SEEP_SOURCE/src" \
			-c "$SEEP_SOURCE/src/cli/run/cmd_run.c" -o object.o
		[ -s tracked/object.o ]
	done
	same "$(gcc -print-prog-name=cc1)" -quiet -O2 -D_GNU_SOURCE= -I"$SEEP_SOURCE/src" \
		"$SEEP_SOURCE/src/cli/run/cmd_run.c" -o assembler.s
}

