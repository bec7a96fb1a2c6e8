#!/usr/bin/env python3
"""Holds the product against programs of the papers' rules that share nothing with it.

  compare.py SYSTEM --cases N --seed S --command FILE [--keep FOLDER]

SYSTEM is guo-wang, max-plus, hossain-saule or slamm. Inputs are made at random from the seed; case k of seed S is the
same wherever it is made. One line is printed: how many cases, how many numbers were compared, and the worst relative
difference beside the bound of its kind. On a difference beyond its bound the case's inputs and commands are written to
FOLDER (by default oracle-SYSTEM-SEED-CASE here), the seed is printed, and the status is 1.
"""

import argparse
import importlib
import os
import random
import shutil
import sys
import tempfile

from product import Product, Refused

SYSTEMS = {"guo-wang": "guo_wang_cases", "max-plus": "max_plus_cases", "hossain-saule": "hossain_saule_cases",
           "slamm": "slamm_cases"}


def difference(product, oracle):
    """Relative; of what is no number, none or all."""
    if isinstance(product, (int, float)) and isinstance(oracle, (int, float)):
        return 0.0 if product == oracle else abs(product - oracle) / max(abs(product), abs(oracle))
    return 0.0 if product == oracle else float("inf")


def run_case(cases, system, seed, number, product):
    """The numbers compared and the worst difference; a list of what is beyond its bound."""
    compared, worst, wrong = 0, (0.0, 0.0, ""), []
    try:
        for what, theirs, ours, bound in cases.case(random.Random(f"{system} {seed} {number}"), product):
            compared += 1
            off = difference(theirs, ours)
            worst = max(worst, (off, bound, what))
            if not off <= bound:
                wrong.append(f"{what}: product {theirs!r}, oracle {ours!r}, relative difference {off:.3g} > {bound:g}")
    except Refused as refusal:
        wrong.append(f"the product refuses what the rules answer: {refusal}")
    return compared, worst, wrong


def keep(folder, product, wrong):
    shutil.copytree(product.folder, folder, dirs_exist_ok=True)
    with open(os.path.join(folder, "case.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join([*product.asked, "", *wrong, ""]))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first case, to repeat one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", required=True)
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--go-on", action="store_true", help="do not stop at the first difference")
    options = parser.parse_args()
    cases = importlib.import_module(SYSTEMS[options.system])
    compared, worst, failures = 0, (0.0, 0.0, ""), 0
    for number in range(options.first, options.first + options.cases):
        with tempfile.TemporaryDirectory() as folder:
            product = Product(options.command, folder)
            n, off, wrong = run_case(cases, options.system, options.seed, number, product)
            compared, worst = compared + n, max(worst, off)
            if wrong:
                failures += 1
                kept = options.keep or f"oracle-{options.system}-{options.seed}-{number}"
                keep(kept, product, wrong)
                print(f"{options.system}: seed {options.seed} case {number} differs (kept in {kept})", *wrong,
                      sep="\n  ", file=sys.stderr)
                if not options.go_on:
                    return 1
    if compared == 0:
        print(f"{options.system}: nothing was compared", file=sys.stderr)
        return 1
    where = f"{worst[2]}; bound {worst[1]:g}" if worst[0] else "all equal"
    print(f"{options.system}: {options.cases} cases, {compared} numbers, "
          f"worst relative difference {worst[0]:.2g} ({where})" + (f", {failures} cases differ" if failures else ""))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
