"""The first plan of a process: in an empty home, which probes the host, and in one that has kept the probe.

    first_plan.py [--pairs 5]

Needs an environment with the wheel (benchmarks/python/run makes one). Medians in milliseconds, and what a home of each
kind answers with.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ONE = """
import json, time, numpy as np, scipy.sparse as sp, sparsecast
A = sp.random_array((20_000, 15_000), density=2e-3, format="csr", rng=1)
start = time.perf_counter()
P = sparsecast.plan(A)
seconds = time.perf_counter() - start
print(json.dumps({"ms": 1e3 * seconds, "tiers": sorted({f.tier for f in P.forecast})}))
"""


def first_plan(home: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", ONE], env={**os.environ, "SPARSECAST_HOME": home}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    empty, kept = [], []
    for _ in range(parser.parse_args().pairs):
        with tempfile.TemporaryDirectory() as home:
            empty.append(first_plan(home))
            kept.append(first_plan(home))
    for name, plans in (("empty home", empty), ("probe kept", kept)):
        milliseconds = sorted(plan["ms"] for plan in plans)
        print(f"{name}: median {statistics.median(milliseconds):.1f}, {milliseconds[0]:.1f} to {milliseconds[-1]:.1f} ms,"
              f" tiers {sorted({tier for plan in plans for tier in plan['tiers']})}")


main()
