# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the healthy programs of this folder that are not Python programs: what ../held/lib.sh has.
# shellcheck shell=bash source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/../held/lib.sh"
