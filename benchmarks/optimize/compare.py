#!/usr/bin/env python3
"""Gain of plans on real matrices, predicted and measured: the tables of docs/results-optimize.md.

    benchmarks/optimize/compare.py --command build/release/sparsecast MATRIX... --threads 1 2 > tables.md

Every matrix is planned and measured in turns with every single kernel; where a cut is predicted to gain, but not beyond
the forecast's uncertainty, it is measured as well (--always-cut). A cut was advised rightly where it measures faster than the kernel that was predicted to be the best single one,
and left out rightly where the best cut does not measure more than 2 % faster. Calibrate the device first.
"""
import argparse
import json
import statistics
import subprocess
import sys


def optimize(command, matrix, threads, *options):
    run = subprocess.run([command, "plan", matrix, "--verify", "--json", "--threads", str(threads), *options],
                         capture_output=True, text=True)
    if run.returncode != 0:
        print(f"{matrix}: {run.stderr.strip()}", file=sys.stderr)
        return None
    return json.loads(run.stdout)


def saved(plan_s, other_s):
    return 1 - plan_s / other_s


def percent(share, digits=1):
    return "–" if share is None else f"{100 * share:.{digits}f}"


def single_times(document):
    return {single["kernel"]: single["measured_s"] for single in document["singles"] if "measured_s" in single}


def row_of(advised, forced):
    times = single_times(advised)
    plan_s, best = advised["measured_s"], advised["best_single"]
    cells = {
        "matrix": advised["matrix"]["name"],
        "blocks": len(advised["strategy"]),
        "kernels": ", ".join(dict.fromkeys(block["kernel"] for block in advised["strategy"])),
        "product": plan_s,
        "error": advised["predicted_s"] / plan_s - 1,
        "planning": advised["planning_s"] / plan_s,
        "over_best": saved(plan_s, best["measured_s"]),
        "over_fastest": saved(plan_s, advised["fastest_single"]["measured_s"]),
        "fastest": advised["fastest_single"]["kernel"],
        "advised": advised["cut"],
    }
    for kernel in ("csr", "coo", "hyb"):
        cells[kernel] = saved(plan_s, times[kernel]) if kernel in times else None
    cells["cut_predicted"] = cells["cut_low"] = cells["cut_measured"] = None
    if forced and len(forced["strategy"]) > 1:
        cells["cut_predicted"], cells["cut_low"] = forced["gain"], forced["gain_low"]
        cells["cut_measured"] = forced["measured_gain"]
    return cells


def table(rows, threads):
    print(f"### {threads} thread{'s' if threads > 1 else ''}\n")
    print("| matrix | blocks | kernels | product | forecast off by | planning, products | plan saves over best single |"
          " over csr | over coo | over hyb | fastest single | over fastest | best cut: predicted (low) | measured |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |")
    for r in rows:
        cut = "–" if r["cut_predicted"] is None else f"{percent(r['cut_predicted'])} ({percent(r['cut_low'])})"
        print(f"| {r['matrix']} | {r['blocks']} | {r['kernels']} | {r['product'] * 1e6:.1f} µs | {percent(r['error'])} % |"
              f" {r['planning']:.1f} | {percent(r['over_best'])} % | {percent(r['csr'])} % | {percent(r['coo'])} % |"
              f" {percent(r['hyb'])} % | {r['fastest']} | {percent(r['over_fastest'])} % | {cut} |"
              f" {percent(r['cut_measured'])} |")
    advised = [r for r in rows if r["advised"]]
    rightly = [r for r in advised if r["over_best"] > 0]
    missed = [r for r in rows if not r["advised"] and r["cut_measured"] is not None and r["cut_measured"] > 0.02]
    print(f"\nCuts advised: {len(advised)} of {len(rows)}, {len(rightly)} of them rightly; best cuts that measured more than"
          f" 2 % faster and were not advised: {len(missed)}.")
    print(f"Slower than the best single kernel by more than 2 %: {sum(r['over_best'] < -0.02 for r in rows)};"
          f" within 2 % of the truly fastest single kernel: {sum(r['over_fastest'] > -0.0205 for r in rows)}.")
    print(f"Planning took {max(r['planning'] for r in rows):.1f} products at most,"
          f" {statistics.median(r['planning'] for r in rows):.1f} in the median.")
    for kernel in ("csr", "coo", "hyb"):
        gains = [r[kernel] for r in rows if r[kernel] is not None]
        print(f"Saved over {kernel}: {percent(statistics.mean(gains))} % on average.")
    print()


def measured_rows(arguments, threads):
    """Rows of the table; with --rows FILE they are kept there one by one, and what is there is not measured again."""
    kept = {}
    if arguments.rows:
        try:
            with open(arguments.rows, encoding="utf-8") as file:
                kept = {(row["threads"], row["matrix"]): row for row in map(json.loads, file)}
        except FileNotFoundError:
            pass
    for matrix in arguments.matrices:
        name = matrix.split("/")[-1].split(".mtx")[0]
        if (threads, name) in kept:
            yield kept[threads, name]
            continue
        if arguments.tables_only:
            continue
        advised = optimize(arguments.command, matrix, threads)
        if advised is None:
            continue
        forced = advised
        if not advised["cut"] and advised["gain"] > 0:
            forced = optimize(arguments.command, matrix, threads, "--always-cut")
        row = {"threads": threads, **row_of(advised, forced)}
        if arguments.rows:
            with open(arguments.rows, "a", encoding="utf-8") as file:
                print(json.dumps(row), file=file)
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="+")
    parser.add_argument("--command", default="build/release/sparsecast")
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--rows", help="keep every row in this file, and go on where an earlier run stopped")
    parser.add_argument("--tables-only", action="store_true", help="measure nothing, print what --rows holds")
    arguments = parser.parse_args()
    for threads in arguments.threads:
        rows = list(measured_rows(arguments, threads))
        if rows:
            table(rows, threads)


if __name__ == "__main__":
    main()
