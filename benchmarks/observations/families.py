#!/usr/bin/env python3
"""What a store that remembers is worth: the error of forecasts over the number of observations of a family.

    benchmarks/observations/families.py make  FOLDER MATRICES   # families of matrices, parts of those in a folder
    benchmarks/observations/families.py measure FOLDER          # every kernel of every member, on a quiet machine
    benchmarks/observations/families.py judge FOLDER            # results/observations.json and the picture

A family is a matrix as a user's program meets it again: parts of 35 to 100 % of its rows (a domain that grows), a
twentieth of the entries gone at most (time steps), or a generator's with other seeds and sizes. No family takes part
in the calibration but as far as the generators do.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys

EXECUTABLE = os.environ.get("SPARSECAST", "build/release/sparsecast")
# Of a matrix: least and most part of its rows.
PARTS = {
    "elast3d_bunny": (0.35, 1.0),
    "bcsstk33": (0.35, 1.0),
    "delaunay_n16": (0.35, 1.0),
    "fe_body": (0.35, 1.0),
    "CONT-300_A": (0.35, 1.0),
    "finan512": (0.35, 1.0),
    "coauthor_phy_adj": (0.5, 1.0),
    "cnr-2000": (0.05, 0.2),
    "ship_001": (0.05, 0.15),
    "sparcT1_core_hgr": (0.4, 1.0),
    "dblp-2010": (0.3, 0.7),
    "musae_github": (0.5, 1.0),
}
GENERATED = {
    "geometric": lambda rng: ("geometric", "--rows", rng.randint(20000, 90000)),
    "rmat": lambda rng: ("rmat", "--scale", rng.choice((14, 15)), "--edges", rng.randint(150000, 400000)),
}
MEMBERS = 22


def part_of(source, target, least, most, rng):
    """Rows and columns of a stretch, without some of the entries, in a file of its own."""
    with gzip.open(source, "rt") as lines:
        head = lines.readline()
        line = lines.readline()
        while line.startswith("%"):
            line = lines.readline()
        rows, cols, _ = map(int, line.split())
        share, dropped = rng.uniform(least, most), rng.uniform(0, 0.05)
        from_row, count = int(rng.uniform(0, 1 - share) * rows), int(share * rows)
        from_col, width = int(from_row * cols / rows), int(share * cols)
        kept = []
        for line in lines:
            row, col, *value = line.split()
            row, col = int(row) - from_row, int(col) - from_col
            if 0 < row <= count and 0 < col <= width and rng.random() >= dropped:
                kept.append(" ".join((str(row), str(col), *value)))
    with open(target, "w", encoding="ascii") as out:
        out.write(head + f"{count} {width} {len(kept)}\n" + "\n".join(kept) + "\n")


def make(folder, matrices):
    for family, (least, most) in PARTS.items():
        for k in range(MEMBERS):
            target = folder / f"{family}.{k:02}.mtx"
            if not target.exists():
                part_of(matrices / f"{family}.mtx.gz", target, least, most, random.Random(f"{family} {k}"))
    for family, words in GENERATED.items():
        for k in range(MEMBERS):
            target = folder / f"{family}.{k:02}.mtx"
            arguments = map(str, words(random.Random(f"{family} {k}")))
            if not target.exists():
                subprocess.run([EXECUTABLE, "generate", *arguments, "--seed", str(k), "-o", target], check=True)


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
