#!/usr/bin/env bash
# packaging_test.sh SOURCE: the recipes of packaging/ and CITATION.cff name the version that CMakeLists.txt has, and what
# scripts/packages.txt requires; Python takes the Spack package.
set -euo pipefail
cd "$1"
fail() { echo "packaging_test: $*" >&2; exit 1; }
version=$(sed -n 's/^project(sparsecast VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -qx "  version: $version" packaging/conda/recipe.yaml || fail "packaging/conda/recipe.yaml is not of version $version"
grep -q "version(\"$version\")" packaging/spack/package.py || fail "packaging/spack/package.py is not of version $version"
grep -qx "version: $version" CITATION.cff || fail "CITATION.cff is not of version $version"
grep -q "find_package(sparsecast ${version%.*} " README.md || fail "the README asks for another version than ${version%.*}"
python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' packaging/spack/package.py

libraries=(cli11 eigen fast.float fmt nlohmann.json sqlite zlib)
for name in "${libraries[@]}"; do
  for recipe in packaging/conda/recipe.yaml packaging/spack/package.py; do
    grep -qE "(- |depends_on\(\")$name" "$recipe" || fail "$recipe lacks $name"
  done
done
required=$(sed '/^# optional/q; /gtest/d' scripts/packages.txt | grep -cE '^(lib|nlohmann|zlib)')
[ "$required" = "${#libraries[@]}" ] || fail "scripts/packages.txt requires $required libraries instead of ${#libraries[@]}"
