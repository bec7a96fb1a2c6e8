#!/usr/bin/env python3
"""Is the advice of `plan --reorder` right? The table of docs/results-reordering.md, as JSON and on paper.

    benchmarks/optimize/reordering.py --command build/release/sparsecast --matrices FOLDER --output rows.json

Sixteen matrices: eight as they are and eight with rows and columns shuffled. For each the advice is asked for
(`--reorder`, no number of products), then every order is made and measured in turns with the plan in the old order
(`--reorder ORDER --verify`). The advice is right where no other order, none included, measures more than 5 % of the
product's time faster; it loses where the advised order measures slower than none. Calibrate the host first.
"""
import argparse
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import results_json  # noqa: E402

AS_THEY_ARE = ["wing", "t60k", "ak2010", "luxembourg_osm", "delaunay_n16", "email-Enron", "dblp-2010", "cnr-2000"]
SHUFFLED = ["t60k", "luxembourg_osm", "delaunay_n16", "finan512", "rgg_n_2_15_s0", "bcsstk33", "fe_body", "dblp-2010"]
ORDERS = ["rcm"]
RIGHT = 0.05


def shuffled(source, target):
    """The same matrix with its rows and columns in one random order."""
    with gzip.open(source, "rt") as file:
        head = file.readline()
        line = file.readline()
        while line.startswith("%"):
            line = file.readline()
        rows = int(line.split()[0])
        order = list(range(1, rows + 1))
        random.Random(7).shuffle(order)
        lower = "general" not in head.lower()  # one triangle is stored
        with open(target, "w") as out:
            out.write(head + line)
            for entry in file:
                i, j, *value = entry.split()
                i, j = order[int(i) - 1], order[int(j) - 1]
                if lower and i < j:
                    i, j = j, i
                out.write(" ".join([str(i), str(j), *value]) + "\n")


def optimize(options, matrix, *more):
    run = subprocess.run([options.command, "plan", str(matrix), "--json", "--quiet", "--no-probe", "--threads",
                          str(options.threads), *more], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{matrix}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def row_of(options, name, matrix):
    advice = optimize(options, matrix, "--reorder")
    row = {"matrix": name, "rows": advice["matrix"]["rows"], "nonzeros": advice["matrix"]["nonzeros"],
           "advised": advice["reordering"], "predicted": advice["reordering_gain"],
           "predicted_low": advice["reordering_gain_low"], "bound": advice["reordering_bound"],
           "search_s": advice["reordering_search_s"], "product_s": advice["predicted_as_it_is_s"],
           "break_even": advice["break_even"], "reason": advice["reordering_reason"], "measured": {"none": 0.0},
           "predictions": {}, "cost": {}, "cost_forecast": {}}
    for order in ORDERS:
        truth = optimize(options, matrix, "--reorder", order, "--verify")
        row["measured"][order] = truth["measured_reordering_gain"]
        row["predictions"][order] = truth["reordering_gain"]
        row["cost"][order] = truth["measured_reordering_s"]
        row["cost_forecast"][order] = truth["orders"][0]["forecast_reordering_s"]
    best = max(row["measured"], key=row["measured"].get)
    row["best"] = best
    got = row["measured"][row["advised"]]
    row["right"] = row["measured"][best] - got <= RIGHT
    row["loss"] = max(0.0, -got)
    return row


def table(rows):
    percent = lambda share: f"{100 * share:.0f} %"
    lines = ["| matrix | non-zeros | no order beats | advised | predicted (low) | measured: rcm | costs, products | right |",
             "| --- | ---: | ---: | --- | ---: | ---: | ---: | --- |"]
    for r in rows:
        said = f"{percent(r['predicted'])} ({percent(r['predicted_low'])})" if r["advised"] != "none" else "–"
        cost = f"{r['cost'][r['advised']] / r['product_s']:.0f}" if r["advised"] != "none" else "–"
        lines.append(f"| {r['matrix']} | {r['nonzeros']:,} | {percent(r['bound'])} | {r['advised']} | {said} | "
                     + " | ".join(percent(r["measured"][o]) for o in ORDERS)
                     + f" | {cost} | {'yes' if r['right'] else 'no'} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="build/release/sparsecast")
    parser.add_argument("--matrices", type=pathlib.Path, required=True, help="a folder with NAME.mtx.gz")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in AS_THEY_ARE:
            rows.append(row_of(options, name, options.matrices / f"{name}.mtx.gz"))
        for name in SHUFFLED:
            file = pathlib.Path(folder) / f"{name}-shuffled.mtx"
            shuffled(options.matrices / f"{name}.mtx.gz", file)
            rows.append(row_of(options, f"{name}, shuffled", file))
            file.unlink()
    results_json.write(options.output, rows)
    print(table(rows))
    right, worst = sum(r["right"] for r in rows), max(r["loss"] for r in rows)
    print(f"\nright on {right} of {len(rows)}; largest loss {100 * worst:.1f} %")


if __name__ == "__main__":
    main()
