#!/usr/bin/env python3
"""Learns what loops take on any number of threads: the part "loops" of profiles/machine-model.json.

    scripts/refit loops --tables FOLDER --output FOLDER [--left-out FOLDER]

Prices that all kernels have in common, and those of the plain loop, come from FOLDER/morpheus; those of other kernels
from the machines' tables that scripts/refit machines learns from. Each machine is left out on every number of threads
at once. The widths of intervals come from machines left out: what is written without a machine saw nothing of it, in
prices or widths. --left-out writes models without each machine of plain loops."""
import argparse
import json
import pathlib
import sys

import numpy as np

import loops
import shipped
import tables
import train
from shipped import write

DATE = "2026-11-27"
LICENCE = ("plain loops: Morpheus (morpheus-org/morpheus-oracle, Apache-2.0): measured times, joined with features of "
           "Ginkgo Data (ginkgo-project, CC BY 4.0); other kernels: " + train.LICENCE)
MOST_A_TABLE = 300  # artificial matrices of one table
THREADS = {"ibm-power9": 32}  # of a table, where they are not the cores
DECADES = range(3, 8)
# By how much a machine as a whole is off (logarithms, by decade), counting as one of those that were left out: clocks
# that a site holds down and, of many threads, placement, memory and, of short products, run-times: a fork and a join of
# Ginkgo's Xeon takes twice as long as these say. And what a kernel adds that was not measured on so many threads or so
# small.
LEAN, OTHER_KERNEL = {False: [.2] * 5, True: [.5, .33, .29, .29, .29]}, .2
PROBE, (FAR_OFF,) = loops.CONSTANTS["loop_probe"], loops.CONSTANTS["far_off"]
ROUNDS = int(loops.CONSTANTS["learning_rounds"][0])
FEWEST = 30  # matrices of a decade that tell its scatter


def description_of(name, threads):
    """With as many sockets as the threads fill: the catalogue describes one."""
    d = loops.described(name)
    sockets = -(-threads // d["compute_units"])
    return {**d, **{k: d[k] * sockets for k in ("compute_units", "memory_bandwidth", "sockets", "numa_domains")}}


def load(folder):
    """Tables of plain loops by (machine, threads), and of other kernels by (machine, kernel, part)."""
    plain = {}
    for name, (device, threads, places) in loops.LOOPS.items():
        team = loops.Team(description_of(device, threads), threads, places)
        columns = loops.read(folder / "morpheus" / name / "products.tsv.gz", loops.PLAIN)
        plain[device, threads] = loops.plain(columns, team)
    machines, data = train.load(folder)
    others = {}
    for (machine, kernel, part), o in sorted(data.items()):
        if len(o["y"]) > MOST_A_TABLE:
            pick = np.random.RandomState(0).choice(len(o["y"]), MOST_A_TABLE, replace=False)
            o = tables.take(o, np.sort(pick))
        d = loops.described(tables.DESCRIPTION.get(machine, machine))
        others[machine, kernel, part] = loops.with_features(o, loops.Team(d, THREADS.get(machine, d["compute_units"])))
    return plain, others


class Prices:
    """Learned without some machines of plain loops."""

    def __init__(self, plain, without=()):
        self.common, own = loops.fit([o for (m, _), o in plain.items() if m not in without])
        self.own = {loops.PLAIN: own}

    def learn_others(self, others):
        for row in train.KERNELS:
            for names in (row.get("fitted", [row["kernel"]]), row.get("stand_in", [])):
                told = [o for (_, k, _), o in others.items() if k in names]
                if told and row["kernel"] != loops.PLAIN:
                    self.own[row["kernel"]] = loops.fit_own(told, self.common)
                    break
        return self

    def terms(self, o, kernel):
        is_plain = kernel == loops.PLAIN
        return loops.terms(o, self.common, self.own[kernel], is_plain, is_plain)

    def off(self, o, kernel):
        """log(measured / forecast), by data sheet and with a probe's products."""
        t = self.terms(o, kernel)
        sheet = np.log(o["seconds"] / t.sum(0))
        memory, start = (t[1] + t[3]) / t.sum(0), t[0] / t.sum(0)
        rows, few = np.array([1 - memory - start, memory, start]).T, probe_products(o)
        *deviations, noise = PROBE
        counts = np.ones(len(few))
        for _ in range(ROUNDS + 1):
            counted = rows[few] * counts[:, None] / noise**2
            precision = np.diag(1 / np.square(deviations)) + counted.T @ rows[few]
            weights = np.linalg.solve(precision, counted.T @ sheet[few])
            counts = 1 / (1 + ((sheet[few] - rows[few] @ weights) / (FAR_OFF * noise))**2)
        return {"data sheet": sheet, "anchors": sheet - rows @ weights, "few": few}


def probe_products(o):
    """Sixteen of them, small to large."""
    order = np.argsort(o["bytes"] + 1e-9 * np.arange(len(o["bytes"])))
    order = order[o["nonzeros"][order] >= 1e3]
    return order[np.linspace(0, len(order) - 1, train.PROBE_PRODUCTS + 2).round().astype(int)[1:-1]]


def in_decade(o, decade):
    n = o["nonzeros"]
    low = 0 if decade == DECADES[0] else 10.**decade
    return (n >= low) & ((n < 10.**(decade + 1)) | (decade == DECADES[-1]))


def width(told, decade, tier, many, more):
    """Logarithms of how much faster and slower than the forecast nine tenths of the times are on a machine that nobody
    measured: how far the tables' own medians lie off, and how far single matrices reach beyond these."""
    leans, low, high = [LEAN[many][decade - DECADES[0]] / (1 if tier == "data sheet" else 1.4)], [], []
    for o, off in told:
        r = off[tier][in_decade(o, decade)]
        if len(r) >= FEWEST:
            leans.append(np.median(r))
            low.append(np.quantile(r - np.median(r), .05))
            high.append(np.quantile(r - np.median(r), .95))
    lean = 1.645 * np.sqrt(np.mean(np.square(leans)) + more**2)
    reach = [-np.sqrt(np.mean(np.square(low)) + lean**2), np.sqrt(np.mean(np.square(high)) + lean**2)] if low else None
    return None if reach is None else [round(float(x), 3) for x in reach]


def intervals(told, many, more=0.):
    """Of every decade; one without tables is as the nearest that has some."""
    out = {}
    for tier in ("data sheet", "anchors"):
        found = {d: width(told, d, tier, many, more) for d in DECADES}
        known = [d for d in DECADES if found[d]]
        out[tier] = [found[min(known, key=lambda k: abs(k - d))] for d in DECADES]
    return out


class LeftOut:
    """Prices without machines, learned once each."""

    def __init__(self, plain):
        self.plain, self.kept = plain, {}

    def prices(self, *without):
        key = tuple(sorted(w for w in without if w))
        if key not in self.kept:
            self.kept[key] = Prices(self.plain, key)
            print("learned without", ", ".join(key) or "none", file=sys.stderr, flush=True)
        return self.kept[key]

    def told(self, without, many):
        """Plain loops of machines but `without`, each as one says who saw neither."""
        return [(o, self.prices(without, m).off(o, loops.PLAIN)) for (m, threads), o in self.plain.items()
                if m != without and (threads > 1) == many]

    def section(self, without=None, others=()):
        """Of all kernels where `others` has their tables; else of the plain loop alone."""
        prices = self.prices(without)
        if others:
            prices.learn_others(others)
        one, many = self.told(without, False), self.told(without, True)
        out = {"common": prices.common.tolist(), "kernels": []}
        for kernel, own in prices.own.items():
            is_plain = kernel == loops.PLAIN
            more = 0 if is_plain else OTHER_KERNEL
            out["kernels"].append({
                "kernel": kernel, "own": own.tolist(), "chain": is_plain, "deals": "rows" if is_plain else "",
                "padding": tables.padding_name(kernel),
                "interval": {"one": intervals(one, False, more), "many": intervals(many, True, more)}})
        return out


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shipped.add_options(options)
    options.add_argument("--left-out", type=pathlib.Path, help="folder for the models without each machine")
    arguments = options.parse_args()
    plain, others = load(arguments.tables)
    left_out = LeftOut(plain)
    output = arguments.output / "machine-model.json"
    model = json.loads(output.read_text())
    model["schema"] = "sparsecast/machine-model/3"
    folders = [*(arguments.tables / "morpheus" / name for name in loops.LOOPS),
               *(arguments.tables / machine for machine in {m for m, _, _ in others})]
    source = shipped.learned("loops", [path for folder in folders for path in folder.glob("*.tsv.gz")],
                             arguments.tables, LICENCE, arguments.date or DATE, output.name)
    for machine in sorted({m for m, _ in plain}) if arguments.left_out else []:
        write(arguments.left_out / f"{machine}.json", {**model, "loops": left_out.section(machine)})
    model["loops"] = {"learned": source, **left_out.section(others=others)}
    write(output, model)


if __name__ == "__main__":
    main()
