#!/usr/bin/env bash
# consumer_test.sh BUILD CONSUMER: installs BUILD, builds CONSUMER against it as any project would, and runs it. Then
# without METIS's library: find_package must name what is missing, and core alone must neither miss nor link it.
set -euo pipefail
build=$1 consumer=$2
place=$build/install-test
rm -rf "$place"
cmake --install "$build" --prefix "$place/prefix" >/dev/null
configure() { cmake -G Ninja -S "$consumer" -B "$place/$1" -DCMAKE_PREFIX_PATH="$place/prefix" -DCMAKE_BUILD_TYPE=Release "${@:2}"; }
configure build >/dev/null
cmake --build "$place/build" >"$place/said" || { cat "$place/said"; exit 1; }
"$place/build/consumer"
"$place/build/consumer-of-all" >/dev/null
"$place/build/consumer-eigen" || { echo "consumer_test: the component eigen does not multiply" >&2; exit 1; }
if [ -e "$place/prefix/include/sparsecast/petsc.h" ]; then
  "$place/build/consumer-petsc" || { echo "consumer_test: the component petsc has no type" >&2; exit 1; }
fi
"$place/prefix/bin/sparsecast" --version >/dev/null
for text in man/man1/sparsecast.1 man/man1/sparsecast-predict.1 bash-completion/completions/sparsecast \
  zsh/site-functions/_sparsecast fish/vendor_completions.d/sparsecast.fish; do
  [ -s "$place/prefix/share/$text" ] || { echo "consumer_test: $text was not installed" >&2; exit 1; }
done
# Installed examples build by themselves: of each its first program.
for example in "$place"/prefix/share/doc/sparsecast/examples/*/CMakeLists.txt; do
  name=$(basename "$(dirname "$example")")
  [ "$name" != petsc ] || [ -e "$place/prefix/include/sparsecast/petsc.h" ] || continue
  CXXFLAGS=-O0 cmake -G Ninja -S "$(dirname "$example")" -B "$place/$name" -DCMAKE_PREFIX_PATH="$place/prefix" \
    >"$place/said" 2>&1 || { cat "$place/said"; exit 1; }
  program=$(sed -n '/: CXX_EXECUTABLE_LINKER/{s/^build \([^ :]*\):.*/\1/p;q}' "$place/$name/build.ninja")
  [ -n "$program" ] || { echo "consumer_test: the example $name has no program" >&2; exit 1; }
  cmake --build "$place/$name" --target "$program" >"$place/said" 2>&1 || { cat "$place/said"; exit 1; }
done
configure core -DCORE_ALONE=ON -DMETIS_LIBRARY= >/dev/null
cmake --build "$place/core" >"$place/said" || { cat "$place/said"; exit 1; }
"$place/core/consumer"
if ldd "$place/core/consumer-of-all" | grep -iE 'metis|graphblas|simgrid|libmpi|libsvm|curl|archive|opencl|cuda'; then
  echo "consumer_test: core links a library that it must do without" >&2
  exit 1
fi
configure c -DC_ALONE=ON -DMETIS_LIBRARY= -DCMAKE_CXX_COMPILER=/bin/false -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON >/dev/null
cmake --build "$place/c" >"$place/said" || { cat "$place/said"; exit 1; }
"$place/c/consumer-c"
# A component that is not found says why; petsc, as c, asks for no other and for no C++.
refuses() {  # TEXT OPTIONS…
  if configure refused "${@:2}" >"$place/said" 2>&1; then
    echo "consumer_test: find_package found what is not here (${*:2})" >&2
    exit 1
  fi
  tr -s '\n ' ' ' <"$place/said" | grep -F "$1" >/dev/null || { cat "$place/said"; exit 1; }
}
refuses 'component hypre: this Sparsecast has core,' -DASK_FOR=hypre
if [ -e "$place/prefix/include/sparsecast/petsc.h" ]; then
  configure petsc-alone -DASK_FOR=petsc -DCMAKE_CXX_COMPILER=/bin/false -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON >/dev/null
  refuses 'component petsc: pkg-config is not here' -DASK_FOR=petsc -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON
fi
# The same program by pkg-config, without CMake.
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$place/prefix" -name sparsecast_c.pc)")
read -ra flags < <(pkg-config --cflags --libs sparsecast_c)
cc "$consumer/consumer_c.c" -o "$place/by-pkg-config" "${flags[@]}" "-Wl,-rpath,$(pkg-config --variable=libdir sparsecast_c)"
"$place/by-pkg-config"
# What the page of PETSc names is there.
plugin=$(pkg-config --variable=libdir sparsecast_c)/libsparsecastpetsc.so
[ ! -e "$place/prefix/include/sparsecast/petsc.h" ] || [ -e "$plugin" ] || { echo "consumer_test: no $plugin" >&2; exit 1; }
if grep -q metis "$(find "$place/prefix" -name sparsecast-config.cmake)"; then
  if configure without -DMETIS_LIBRARY= >"$place/said" 2>&1; then
    echo "consumer_test: METIS was missing and find_package did not say so" >&2
    exit 1
  fi
  tr -s '\n ' ' ' <"$place/said" | grep 'install libmetis-dev' >/dev/null || { cat "$place/said"; exit 1; }
fi
