#!/usr/bin/env python3
"""End-to-end time of PETSc's solves with its own AIJ and with -mat_type sparsecast: the table of
docs/results-reordering.md.

    benchmarks/optimize/petsc_solves.py build/release/examples/petsc/example-petsc_solve

Both types in turns, medians of so many rounds. "first" makes the preconditioner and, with ours, the plan (models read
from the calibration included); "second" is a solve with everything in place. Calibrate the host first.
"""
import argparse
import re
import statistics
import subprocess
import sys

CASES = [("cg, none", ["-ksp_type", "cg", "-pc_type", "none"]),
         ("cg, jacobi", ["-ksp_type", "cg", "-pc_type", "jacobi"]),
         ("cg, icc(0)", ["-ksp_type", "cg", "-pc_type", "icc"]),
         ("gmres(30), ilu(0)", ["-ksp_type", "gmres", "-pc_type", "ilu"]),
         ("bicgstab, jacobi", ["-ksp_type", "bcgs", "-pc_type", "jacobi"])]
LINE = re.compile(r"(\S+) (first|second) solve: (\d+) iterations, error \S+, ([\d.]+) s")


def solve(program, size, case, kind):
    run = subprocess.run([program, "-m", str(size), "-n", str(size), "-mat_type", kind, *case], capture_output=True,
                         text=True)
    found = {which: (int(iterations), float(seconds)) for _, which, iterations, seconds in LINE.findall(run.stdout)}
    if run.returncode != 0 or len(found) != 2:
        sys.exit(run.stdout + run.stderr)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sizes", type=int, nargs="+", default=[400])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("| grid | solve | iterations AIJ / ours | AIJ, first | ours, first | AIJ, second | ours, second | second: AIJ / ours |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for size in options.sizes:
        for name, case in CASES:
            seen = {kind: [] for kind in ("aij", "sparsecast")}
            for _ in range(options.rounds):
                for kind in seen:
                    seen[kind].append(solve(options.program, size, case, kind))
            median = {(kind, which): statistics.median(one[which][1] for one in seen[kind])
                      for kind in seen for which in ("first", "second")}
            counts = " / ".join(str(seen[kind][0]["second"][0]) for kind in seen)
            times = " | ".join(f"{median[kind, which]:.3f} s" for which in ("first", "second") for kind in seen)
            print(f"| {size} × {size} | {name} | {counts} | {times} | "
                  f"{median['aij', 'second'] / median['sparsecast', 'second']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
