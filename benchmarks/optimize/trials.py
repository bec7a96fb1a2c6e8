#!/usr/bin/env python3
"""What trials save and cost: nothing tried, three tried, auto, held against every kernel measured apart from them.

    benchmarks/optimize/trials.py MATRIX... [--threads 1 2] [--iterations N] [--rows rows.jsonl]
    benchmarks/optimize/trials.py MATRIX... --product="--precision single"     # or --vectors 8, --transposed, --device D

Regret: time of the chosen kernel over that of the fastest one, - 1. Cost: all that trials took, conversions included,
in products of the fastest one. Break-even: from so many products on that cost has come back against the choice by
forecast alone, in the median over matrices where it does. Whole: planning, trials, conversion and N products over the
conversion and N products that would have finished first, - 1. Kernels that are forecast ten times slower are left out.
"""
import argparse
import json
import os
import statistics
import subprocess

EXECUTABLE = os.environ.get("SPARSECAST", "build/release/sparsecast")
MODES = {"nothing": "none", "three": "3", "auto": "auto"}


def ask(*words):
    command = [EXECUTABLE, *map(str, words), "--no-store", "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(answer.stdout) if answer.returncode == 0 else None


def look_at(file, threads, iterations, product):
    """Plans of every mode and the truth; None where one of them failed or is of several kernels."""
    plans, counted = {}, ["--iterations", iterations] if iterations > 0 else []
    for mode, trials in MODES.items():
        plans[mode] = ask("optimize", file, "--trials", trials, "--threads", threads, "--no-probe", *counted, *product)
    truth = ask("measure", file, "--threads", threads, *product)
    if not truth or not all(plans.values()) or any(len(p["strategy"]) != 1 for p in plans.values()):
        return None
    times = {m["kernel"]: m["seconds"] for m in truth["measurements"] if m["status"] == "ok"}
    kernels = {mode: plan["strategy"][0]["kernel"] for mode, plan in plans.items()}
    if not all(kernel in times for kernel in kernels.values()):
        return None
    spent = {mode: plan.get("trials", {"spent_s": 0})["spent_s"] for mode, plan in plans.items()}
    row = {"matrix": os.path.basename(file), "threads": threads, "times": times, "kernels": kernels, "spent": spent}
    if iterations > 0:
        first = min(
            iterations * m["seconds"] + (m["preprocess_s"] or 0) for m in truth["measurements"] if m["status"] == "ok"
        )
        ours = {
            mode: plan["planning_s"] + max(spent[mode], plan["conversion_s"] or 0) + iterations * times[kernels[mode]]
            for mode, plan in plans.items()
        }
        row["whole"] = {mode: seconds / first - 1 for mode, seconds in ours.items()}
    return row


def row_of(rows, mode):
    regrets, costs, even = [], [], []
    for row in rows:
        best = min(row["times"].values())
        seconds, forecast = row["times"][row["kernels"][mode]], row["times"][row["kernels"]["nothing"]]
        regrets.append(seconds / best - 1)
        costs.append(row["spent"][mode] / best)
        if seconds < forecast:
            even.append(row["spent"][mode] / (forecast - seconds))
    wholes = [row["whole"][mode] for row in rows if "whole" in row]
    told = f" | {100 * statistics.mean(wholes):.1f} % | {100 * max(wholes):.1f} %" if wholes else ""
    return (
        f"{len(rows)} | {mode} | {100 * statistics.mean(regrets):.2f} % | {100 * max(regrets):.1f} % | "
        f"{statistics.median(costs):.0f} | {max(costs):.0f} | {f'{statistics.median(even):.0f}' if even else '–'}{told}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="+")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--iterations", type=int, default=0)
    parser.add_argument("--product", default="", help="options of optimize and measure: which product")
    parser.add_argument("--rows", help="write what was seen of each matrix there")
    options = parser.parse_args()
    whole = options.iterations > 0
    print(f"| threads | matrices | tried | regret | at most | cost | at most | break-even |{' whole | at most |' * whole}")
    print(f"| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |{' ---: | ---: |' * whole}")
    for threads in options.threads:
        rows = []
        for file in options.matrices:
            row = look_at(file, threads, options.iterations, options.product.split())
            if row:
                rows.append(row)
            if row and options.rows:
                with open(options.rows, "a", encoding="utf-8") as out:
                    out.write(json.dumps(row) + "\n")
        for mode in MODES if rows else ():
            print(f"| {threads} | {row_of(rows, mode)} |", flush=True)


if __name__ == "__main__":
    main()
