#!/usr/bin/env bash
# consumer_test.sh BUILD CONSUMER: installs BUILD, builds CONSUMER against it as any project would, and runs it.
set -euo pipefail
build=$1 consumer=$2
place=$build/install-test
rm -rf "$place"
cmake --install "$build" --prefix "$place/prefix" >/dev/null
cmake -S "$consumer" -B "$place/build" -DCMAKE_PREFIX_PATH="$place/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$place/build" >/dev/null
"$place/build/consumer"
"$place/prefix/bin/sparsecast" --version >/dev/null
