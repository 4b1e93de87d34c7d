# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the leaking entries of this folder: what ../held/lib.sh has, and the sources of packages.
# shellcheck shell=bash source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/../held/lib.sh"

# planted PACKAGE FILE EXPRESSION: unpacks the distribution's source of the package, goes there,
# and changes the file with the extended sed expression, which must fit
planted() {
	local place=$SEEP_CORPUS_BUILD/source
	rm -rf "$place"
	mkdir -p "$place/lists"
	cd "$place" || exit
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
		"http://deb.debian.org/debian bookworm main" > sources.list
	local options=(-qq -o Dir::Etc::SourceList="$place/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::Lists="$place/lists" -o Dir::Cache::pkgcache='' -o Dir::Cache::srcpkgcache=''
		-o APT::Sandbox::User=root)
	if ! apt-get "${options[@]}" update > apt.log 2>&1 ||
		! apt-get "${options[@]}" source --only-source "$1" >> apt.log 2>&1; then
		echo "${0##*/}: no source of $1" >&2
		exit 77
	fi
	cd ./*/debian/.. || exit
	cp "$2" "$2.sound"
	sed -i -E "$3" "$2"
	! cmp -s "$2" "$2.sound" || fail "the fault does not fit $2"
}

# compile LANGUAGE LIBRARIES...: builds standard input as ./prog; libraries as pkg-config names or flags
compile() {
	local language=$1 flags=() word
	shift
	for word; do
		case $word in
		-*) flags+=("$word") ;;
		*)
			pkg-config --exists "$word" || { echo "${0##*/}: no $word" >&2; exit 77; }
			read -ra found <<< "$(pkg-config --cflags --libs "$word")"
			flags+=("${found[@]}")
			;;
		esac
	done
	local compiler=gcc
	[ "$language" = c ] || compiler=g++
	"$compiler" -g -O1 -x "$language" - -x none -o "$SEEP_CORPUS_BUILD/prog" "${flags[@]}"
}
