#!/usr/bin/env bash
# release_test.sh SCRIPT: scripts/release in a repository of its own refuses, before it builds anything, a tag that is
# not there, what is not committed, a tag of another version and a changelog without that version's date.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/scripts"
install "$1" "$place/scripts/release"
cd "$place"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git init --quiet
git config user.name tester
git config user.email tester@example.org
commit() { git add --all && git commit --quiet --message "$1" && git tag --force "$2" >/dev/null; }
refused() {  # TAG WORDS
  local said status=0
  said=$(scripts/release "$1" 2>&1) || status=$?
  if [ "$status" != 3 ] || [[ $said != *"$2"* ]]; then
    echo "release_test: $1: expected \"$2\" and status 3; got $status: $said" >&2
    exit 1
  fi
  [ ! -e build ] || { echo "release_test: $1 was built before it was refused" >&2; exit 1; }
}
echo 'project(sparsecast VERSION 1.2.3' >CMakeLists.txt
echo '## 1.2.3 (unreleased)' >CHANGELOG.md
commit 'not dated' v1.2.3
refused v9.9.9 'there is no tag v9.9.9'
refused v1.2.3 'no "## 1.2.3 (DATE)"'
echo '## 1.2.3 (2026-01-31)' >CHANGELOG.md
refused v1.2.3 'not committed:  M CHANGELOG.md'
commit dated v1.2.4
refused v1.2.4 'v1.2.4 is version 1.2.3'
