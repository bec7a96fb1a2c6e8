#!/usr/bin/env python3
"""Matrices that change character from row to row, for compare.py: two or three generated ones over each other.

    benchmarks/optimize/changing.py FOLDER [--command build/release/sparsecast]
    benchmarks/optimize/compare.py FOLDER/*.mtx --threads 1

A family is a list of parts, each a kind of `sparsecast generate` with its options; the parts' rows stand over each other,
and the matrix is as wide as the widest part. Existing files are kept.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

COLS = 200000


def rows(kind, count, mean, seed, cols=COLS, **more):
    options = ["--rows", count, "--cols", cols, "--row-mean", mean, "--seed", seed]
    for name, value in more.items():
        options += ["--" + name.replace("_", "-"), value]
    return kind, options


FAMILIES = {
    "stencil-over-powerlaw": [("poisson2d", ["--size", 450]), rows("powerlaw", 150000, 6, 3)],
    "stencil-over-uniform": [("poisson2d", ["--size", 450]), rows("uniform", 100000, 12, 4)],
    "stencil27-over-short": [("stencil27", ["--size", 40]), rows("uniform", 200000, 3, 5)],
    "stencil-over-longrow": [("poisson2d", ["--size", 450]), rows("longrow", 150000, 5, 6)],
    "short-over-dense-rows": [rows("uniform", 300000, 3, 7), rows("normal", 5000, 200, 8)],
    "dense-rows-over-stencil": [rows("normal", 5000, 200, 9), ("poisson3d", ["--size", 55])],
    "blocks-over-uniform": [rows("blocks", 60000, 24, 10, cols=60000), rows("uniform", 120000, 8, 11)],
    "blocks-over-stencil": [rows("blocks", 39999, 24, 12, cols=39999), ("poisson2d", ["--size", 400])],
    "constant-over-powerlaw": [rows("constant", 100000, 16, 13), rows("powerlaw", 150000, 8, 14)],
    "kkt": [("poisson2d", ["--size", 400]), rows("constant", 80000, 2, 15, cols=160000)],
    "band-over-rmat": [("banded", ["--rows", 150000, "--bandwidth", 60, "--row-mean", 9]), ("rmat", ["--scale", 17, "--edges", 1000000, "--seed", 16])],
    "three-stretches": [("poisson2d", ["--size", 350]), rows("uniform", 60000, 20, 17), rows("powerlaw", 100000, 5, 18)],
}


def entries(path):
    """Shape and (row, column, value) of a Matrix Market file of the generator, triangles mirrored."""
    with open(path) as file:
        symmetric = "symmetric" in file.readline()
        line = file.readline()
        while line.startswith("%"):
            line = file.readline()
        shape = [int(word) for word in line.split()]
        found = []
        for line in file:
            row, col, *value = line.split()
            value = value[0] if value else "1"
            found.append((int(row), int(col), value))
            if symmetric and row != col:
                found.append((int(col), int(row), value))
    return shape[0], shape[1], found


def stack(command, parts, target):
    row_offset, width, lines = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        part = pathlib.Path(folder) / "part.mtx"
        for kind, options in parts:
            subprocess.run([command, "generate", kind, *map(str, options), "-o", part], check=True, capture_output=True)
            count, cols, found = entries(part)
            lines += [f"{row + row_offset} {col} {value}\n" for row, col, value in found]
            row_offset += count
            width = max(width, cols)
    text = "%%MatrixMarket matrix coordinate real general\n" + f"{row_offset} {width} {len(lines)}\n"
    target.write_text(text + "".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--command", default="build/release/sparsecast")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, parts in FAMILIES.items():
        target = options.folder / f"{name}.mtx"
        if target.exists():
            continue
        try:
            stack(options.command, parts, target)
        except subprocess.CalledProcessError as error:
            print(f"{name}: {error.stderr.decode().strip()}", file=sys.stderr)
            return 1
        print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
