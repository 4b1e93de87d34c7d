# SPDX-License-Identifier: GPL-3.0-or-later
# A git repository with commits, branches and a merge, looked at, packed and checked.  Each
# command behind $TRACK is tracked; what is printed and left is the same each time.
# shellcheck shell=sh disable=SC2086 # TRACK may be empty
export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_CONFIG_NOSYSTEM=1
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org GIT_CONFIG_GLOBAL=/dev/null
$TRACK git init -q -b main .
for i in 1 2 3 4 5 6 7 8 9 10; do
	for j in 1 2 3 4 5 6 7 8; do
		seq $((i * j)) $((i * j + 200)) > file$j
	done
	git add .
	$TRACK git commit -q -m "number $i"
done
$TRACK git checkout -q -b side HEAD~3
echo more > another
git add .
git commit -q -m side
$TRACK git checkout -q main
$TRACK git merge -q -m merged side
$TRACK git log --stat --graph
$TRACK git log -p -3
$TRACK git blame file3
$TRACK git -c pack.threads=1 gc -q --prune=now
$TRACK git fsck --full
$TRACK git cat-file --batch-all-objects --batch-check
$TRACK git clone -q . copy
git -C copy rev-parse HEAD
rm -rf copy
rm -f .git/index # has the times and inodes of the files
rm -rf .git/logs
