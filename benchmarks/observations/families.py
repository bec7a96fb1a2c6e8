#!/usr/bin/env python3
"""What a store that remembers is worth: the error of forecasts over the number of observations of a family.

    benchmarks/observations/families.py make  FOLDER MATRICES   # families of matrices, parts of those in a folder
    benchmarks/observations/families.py measure FOLDER          # every kernel of every member, on a quiet machine
    benchmarks/observations/families.py judge FOLDER            # benchmarks/results/observations.json, the picture

A family is a matrix as a user's program meets it again: parts of 35 to 100 % of its rows (a domain that grows), a
twentieth of the entries gone at most (time steps), or a generator's with other seeds and sizes. No family takes part
in the calibration but as far as the generators do. SPARSECAST_HOME names the folder that is calibrated and measured into.
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
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import results_json  # noqa: E402

PICTURE = pathlib.Path(__file__).resolve().parents[2] / "docs/pictures/observations.svg"
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


KERNELS = "csr,csr-scalar,coo,ell,hyb,jad,sell"
SEEN = (5, 10, 20)
LEFT_OUT = ((0, 1), (6, 7), (12, 13), (18, 19))  # of the members, in turns; the others are learned from


def ask(*words):
    done = subprocess.run([EXECUTABLE, *map(str, words), "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout.strip() else None


def measure(folder):
    """Into $SPARSECAST_HOME, which is calibrated first; what is there already is not measured again."""
    if not ask("profiles", "list")["profiles"]:
        ask("calibrate", "--quick")
    there = {one["matrix"] for one in ask("profiles", "observations")["observations"]}
    for k in range(MEMBERS):
        for family in (*PARTS, *GENERATED):
            name = f"{family}.{k:02}"
            if name not in there:
                ask("measure", folder / f"{name}.mtx", "--threads", 1, "--kernels", KERNELS)


class Judge:
    """Forecasts of the calibrated home with other observations, held against what was measured there."""

    def __init__(self, folder):
        self.folder = folder
        self.of = {}
        for one in ask("profiles", "observations")["observations"]:
            self.of.setdefault(one["matrix"], []).append(one)
        self.home = tempfile.TemporaryDirectory()
        shutil.copytree(os.environ["SPARSECAST_HOME"], self.home.name, dirs_exist_ok=True)
        os.environ["SPARSECAST_HOME"] = self.home.name
        self.cases = {}  # (line, family): errors in %

    def remember(self, members):
        file = pathlib.Path(self.home.name) / "remembered.json"
        kept = [one for name in members for one in self.of[name]]
        file.write_text(json.dumps({"schema": "sparsecast/observations/1", "observations": kept}), encoding="utf-8")
        ask("profiles", "observations", "--forget")
        ask("profiles", "observations", "--import", file)

    def judge(self, line, family, members, *options):
        answer = ask("predict", *(self.folder / f"{name}.mtx" for name in members), "--threads", 1, "--no-probe",
                     *options)
        for name, one in zip(members, answer["predictions"]):
            truth = {seen["kernel"]: seen["seconds"] for seen in self.of[name]}
            for forecast in one["forecasts"]:
                if forecast["kernel"] in truth:
                    error = 100 * abs(forecast["seconds"] / truth[forecast["kernel"]] - 1)
                    by = line if forecast["model"] == "sparsecast" else forecast["model"]
                    self.cases.setdefault((by, family), []).append(error)

    def means(self, line):
        every = [error for (one, _), errors in self.cases.items() if one == line for error in errors]
        families = {family: statistics.mean(errors) for (one, family), errors in self.cases.items() if one == line}
        return {
            "cases": len(every),
            "mean_error_percent": round(statistics.mean(every), 2),
            "median_error_percent": round(statistics.median(every), 2),
            "of_families": {family: round(error, 2) for family, error in sorted(families.items())},
        }


def picture(medians, file):
    """A bar for each model, and for the product's own after so many observations."""
    shown = [one for one in medians if one not in ("sparsecast", "strangers") and not one.startswith("after")]
    shown += ["sparsecast", *(f"after {seen}" for seen in SEEN)]
    most = max(medians[one] for one in shown)
    texts = []
    for row, one in enumerate(shown):
        y, width = 24 * row + 4, 360 * medians[one] / most
        color = "#2a6f97" if one in ("sparsecast", *(f"after {seen}" for seen in SEEN)) else "#9aa0a6"
        texts.append(f'<text x="116" y="{y + 13}" text-anchor="end">{one}</text>'
                     f'<rect x="124" y="{y}" width="{width:.0f}" height="18" fill="{color}"/>'
                     f'<text x="{130 + width:.0f}" y="{y + 13}">{medians[one]:.1f} %</text>')
    box = f'viewBox="0 0 560 {24 * len(shown) + 4}" width="560" font-family="sans-serif" font-size="13"'
    file.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {box}>\n' + "\n".join(texts) + "\n</svg>\n",
                    encoding="utf-8")


def judge(folder, results):
    court = Judge(folder)
    families = (*PARTS, *GENERATED)
    names = {family: [f"{family}.{k:02}" for k in range(MEMBERS)] for family in families}
    for family in families:
        print(family, flush=True)
        left_out = [names[family][k] for pair in LEFT_OUT for k in pair]
        court.judge("sparsecast", family, left_out, "--no-store", "--model", "all")
        court.remember([name for other in families if other != family for name in names[other]])
        court.judge("strangers", family, left_out)
        for pair in LEFT_OUT:
            others = [name for k, name in enumerate(names[family]) if k not in pair]
            random.Random(f"{family} {pair}").shuffle(others)
            for seen in SEEN:
                court.remember(others[:seen])
                court.judge(f"after {seen}", family, [names[family][k] for k in pair])
    lines = sorted({line for line, _ in court.cases})
    document = {
        "command": "benchmarks/observations/families.py judge",
        "machine": court.of[names[families[0]][0]][0]["machine"],
        "measured": max(one["taken"] for seen in court.of.values() for one in seen),
        "threads": 1,
        "kernels": KERNELS.split(","),
        "lines": {line: court.means(line) for line in lines},
    }
    results_json.write(results, document)
    picture({line: document["lines"][line]["median_error_percent"] for line in lines}, PICTURE)
    for line in lines:
        print(f"{line:12} {document['lines'][line]['mean_error_percent']:6.1f} %")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("command", choices=("make", "measure", "judge"))
    arguments.add_argument("folder", type=pathlib.Path, help="of the families")
    arguments.add_argument("matrices", type=pathlib.Path, nargs="?", help="make: of the whole matrices")
    arguments.add_argument("-o", "--output", type=pathlib.Path, default="benchmarks/results/observations.json")
    given = arguments.parse_args()
    if given.command == "make":
        make(given.folder, given.matrices)
    elif given.command == "measure":
        measure(given.folder)
    else:
        judge(given.folder, given.output)


if __name__ == "__main__":
    main()
