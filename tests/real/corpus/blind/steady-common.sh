# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the healthy programs of this folder that are not Python programs.
# shellcheck shell=bash
set -euo pipefail

# shellcheck disable=SC2034 # for the scripts
seconds=$1
read -ra tracer <<< "${SEEP_RUN-}"
: "${SEEP_CORPUS_BUILD:=$PWD/corpus-build}"
mkdir -p "$SEEP_CORPUS_BUILD"

# need COMMAND...: status 77 where one is not installed
need() {
	local command
	for command; do
		[ -e "$command" ] || command -v "$command" > /dev/null ||
			{ echo "${0##*/}: $command is not installed" >&2; exit 77; }
	done
}

# trace COMMAND...: the one command that is traced
trace() {
	"${tracer[@]}" "$@"
}
