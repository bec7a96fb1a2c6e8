#!/usr/bin/env python3
"""Trains the model across processors (profiles/machine-model.json) on tables of measured times.

    scripts/refit machines --tables FOLDER --output FOLDER [--left-out FOLDER]

The tables' folder has a folder for each machine with benchmark.tsv.gz (artificial matrices) and real.tsv.gz. Every kernel gets one
member per fold of the imitated matrices, which saw nothing of that fold. Intervals come from models that were trained
without the machine they are judged on; --left-out keeps those models, and for each such machine a probe of 16 products,
for benchmarks/machines. What is written holds coefficients and trees, and no measurement."""
import argparse
import json
import pathlib
import sys

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor

import physical
import shipped
import tables
from shipped import write
from tree_code import coded

LICENCE = ("SpMV-Research-benchmarks (github.com/pmpakos), National Technical University of Athens: measured times, "
           "reduced, matrices of the SuiteSparse collection and artificial ones (github.com/cslab-ntua)")
MOST_A_TABLE = 600          # artificial matrices of one table that a member is fitted to
REAL_COUNTS = 4             # a real matrix counts as so many artificial ones
PHYSICAL_SHARE, CORRECTION_SHARE = 1., .7
TREES = dict(n_estimators=24, min_samples_leaf=3, max_features=.6, max_leaf_nodes=16, random_state=0)
MULTIPLE_TREES = 12
# What the others of a machine are also told as a multiple of: a machine's own share of its data sheet is in both, so
# that what decides between kernels is learned without it.
BASE = "csr-merge"
# No product reads what lies beyond the caches faster than the data sheet's bandwidth allows; an eighth and more of the
# footprint may be elements of x that no row asks for.
ROOF = .8
ACROSS, OWN_WEIGHT, LEAST_REACH = {-1: .7, 1: .9}, .2, .05  # of intervals: faster, slower than the forecast
PROBE_PRODUCTS = 16
# Of a probe, in logarithms: by how much a machine as a whole can be off and its single parts, the noise that is left;
# and the share of what regular matrices tell of a kernel that holds for others, as machines left out show.
PROBE = {"all": .5, "parts": .2, "noise": .2, "carries": .7}

X86, ARM = ["Intel", "AMD"], ["Ampere", "NVIDIA", "ARM"]
# kernel, whose machines have it, tables that are fitted together, what stands in where none of these is there
KERNELS = [
    dict(kernel="mkl", vendors=X86, fitted=["mkl", "armpl"]),
    dict(kernel="aocl", vendors=["AMD"], stand_in=["mkl", "armpl"]),
    dict(kernel="armpl", vendors=ARM, fitted=["mkl", "armpl"]),
    dict(kernel="csr-merge"),
    dict(kernel="csr-naive", deals="rows"),
    dict(kernel="csr-balanced"),
    dict(kernel="csr-balanced-vector", vendors=X86),
    dict(kernel="csr5", vendors=X86),
    dict(kernel="sell-32", vendors=X86),
    dict(kernel="sparsex"),
]
# This program's own kernels and the tables' nearest, which a probe then scales.
OWN = {"csr": "csr-balanced-vector", "csr-scalar": "csr-naive", "coo": "csr-merge", "sell": "sell-32",
       "ell": "sell-32", "hyb": "sell-32", "jad": "sell-32"}


def load(folder):
    machines, data = {}, {}
    for path in sorted(p for p in folder.iterdir() if (p / "real.tsv.gz").exists()):
        m = tables.machine(path.name)
        if m.gpu:
            continue
        machines[path.name] = m
        for part in ("benchmark", "real"):
            if (path / f"{part}.tsv.gz").exists():
                for kernel, table in tables.read(path / f"{part}.tsv.gz").items():
                    data[path.name, kernel, part] = tables.observations(table, kernel, m, part == "real")
    return machines, data


def training_set(row, data, machines, without):
    for names in (row.get("fitted", [row["kernel"]]), row.get("stand_in", [])):
        parts = []
        for (machine, kernel, part), o in sorted(data.items()):
            if kernel in names and machine != without:
                if len(o["y"]) > MOST_A_TABLE:
                    pick = np.random.RandomState(0).choice(len(o["y"]), MOST_A_TABLE, replace=False)
                    o = tables.take(o, np.sort(pick))
                parts.append(((machine, kernel, part), o))
        if parts:
            return parts
    return []


def weights_of(o):
    w = np.where(o["real"] > 0, REAL_COUNTS, 1.)
    for m in set(o["machine"]):
        w[o["machine"] == m] /= w[o["machine"] == m].sum()
    return w / w.mean()


class Member:
    """`base`: the member of the kernel that this one is also told as a multiple of, and `pairs` what was measured with
    both."""

    def __init__(self, o, base=None, pairs=None):
        w = weights_of(o)
        self.share, self.base, self.lean = PHYSICAL_SHARE, base, 0.
        self.prices, self.shape, shares = physical.fit(o, w)
        left = o["y"] - self.share * physical.log_ratio(o, self.prices, self.shape, shares)
        self.forest = ExtraTreesRegressor(**TREES).fit(tables.features(o), left, sample_weight=w)
        if base is not None:
            self.multiple = ExtraTreesRegressor(**{**TREES, "n_estimators": MULTIPLE_TREES}).fit(
                tables.features(pairs), pairs["multiple"], sample_weight=weights_of(pairs))
        # What is written is what is judged: rounded once, here.
        self.prices, self.shape = np.round(self.prices, 4), np.round(self.shape, 4)

    def log_ratio(self, o):
        nothing = np.zeros((3, len(o["y"])))
        cache = o["last_cache"] + o["units"] * o["near_cache"]
        features = tables.features(o)
        ratio = (self.share * physical.log_ratio(o, self.prices, self.shape, nothing) +
                 CORRECTION_SHARE * self.forest.predict(features) + self.lean)
        if self.base is not None:
            plain = tables.stored_as(o, BASE)
            other = self.base.log_ratio(plain) + np.log(plain["ideal"] / o["ideal"]) + self.multiple.predict(features)
            ratio = (ratio + other) / 2
        least = ROOF * np.maximum(0, o["bytes"] - cache) / o["bandwidth"] / o["ideal"]
        return np.maximum(ratio, np.log(np.maximum(least, 1e-9)))

    def parts(self, o):
        t = physical.terms(o, self.shape) * np.exp(self.prices)[:, None]
        power = 1 + np.exp(self.shape[5])
        t[1:] = t[1:] ** power * (t[1:] ** power).sum(0) ** (1 / power - 1)
        return t / t.sum(0)

    def document(self):
        out = {"prices": self.prices.tolist(), "shape": self.shape.tolist(),
               "trees": code_of(self.forest, CORRECTION_SHARE, self.lean)}
        if self.base is not None:
            out["multiple"] = code_of(self.multiple, 1, 0)
        return out


def code_of(forest, share, lean):
    walks, scale, lean = [], share / len(forest.estimators_), lean / len(forest.estimators_)
    for estimator in forest.estimators_:
        tree, numbers = estimator.tree_, []

        def walk(i):
            if tree.children_left[i] < 0:
                numbers.append((None, float(f"{tree.value[i][0][0] * scale + lean:.3g}")))
            else:
                numbers.append((int(tree.feature[i]), float(f"{tree.threshold[i]:.4g}")))
                walk(tree.children_left[i])
                walk(tree.children_right[i])
        walk(0)
        walks.append(numbers)
    return coded(walks, forest.n_features_in_)


def with_multiple(o, base):
    """Of those matrices what was measured with the base kernel too, and by how much it is faster; None: none."""
    at = {} if base is None else dict(zip(base["matrix"], base["seconds"]))
    both = np.array([m in at for m in o["matrix"]])
    if not both.any():
        return None
    o = tables.take(o, both)
    o["multiple"] = np.log(o["seconds"] / np.array([at[m] for m in o["matrix"]]))
    return o


def members(row, data, machines, without, base=None):
    """`base`: the members of the kernel that this one is also told as a multiple of."""
    parts = training_set(row, data, machines, without)
    if not parts:
        return None
    o = tables.join([part for _, part in parts])
    pairs = []
    if base is not None and row["kernel"] != BASE:
        for (machine, _, part), of_kernel in parts:
            both = with_multiple(of_kernel, data.get((machine, BASE, part)))
            pairs += [] if both is None else [both]
    pairs = tables.join(pairs) if pairs else None
    found = []
    for fold in range(tables.FOLDS):
        told = {} if pairs is None else {"base": base[fold], "pairs": tables.take(pairs, pairs["fold"] != fold)}
        found.append(Member(tables.take(o, o["fold"] != fold), **told))
    return found


def base_members(data, machines, without):
    row = next((r for r in KERNELS if r["kernel"] == BASE), None)
    return None if row is None else members(row, data, machines, without)


def probe_rows(member, o):
    p = member.parts(o)
    return np.array([np.ones(p.shape[1]), p[1] - .5, p[0], p[3] + p[4] + p[5] + p[6]]).T


def probe_products(data, machine, kernel, fold):
    """16 products of regular matrices that imitate nothing of the fold, small to large, as sparsecast probe takes."""
    o = data.get((machine, kernel, "benchmark"), data[machine, kernel, "real"])
    o = tables.take(o, o["fold"] != fold)
    regular = (o["row_skew"] < 3) & (o["alike"] > .5)
    if regular.sum() >= PROBE_PRODUCTS // 2:
        o = tables.take(o, regular)
    order = np.argsort(o["bytes"] + 1e-9 * np.arange(len(o["y"])))
    return tables.take(o, order[np.linspace(0, len(order) - 1, PROBE_PRODUCTS + 2).astype(int)[1:-1]])


def judge(found, data, machine, kernel):
    """log(measured / forecast) of every real matrix by the member that saw nothing of it: data sheet and probe."""
    real, sheet, probe = data[machine, kernel, "real"], [], []
    for fold, member in enumerate(found):
        o = tables.take(real, real["fold"] == fold)
        if len(o["y"]) == 0:
            continue
        off = o["y"] - member.log_ratio(o)
        few = probe_products(data, machine, kernel, fold)
        rows = probe_rows(member, few)
        precision = np.diag([1 / PROBE["all"]**2] + [1 / PROBE["parts"]**2] * 3) + rows.T @ rows / PROBE["noise"]**2
        w = np.linalg.solve(precision, rows.T @ (few["y"] - member.log_ratio(few)) / PROBE["noise"]**2)
        sheet.append(off)
        probe.append(off - PROBE["carries"] * probe_rows(member, o) @ w)
    return {"data sheet": np.concatenate(sheet), "probe": np.concatenate(probe)}


def lean_of(residuals, machine):
    """What is added to every logarithm, so that the mean of |forecast / measured - 1| is least on machines left out, but
    `machine`: a forecast that is too long by a factor counts more than one that is too short by it."""
    others = [r["data sheet"] for (m, _), r in residuals.items() if m != machine]
    leans = np.arange(-60, 61) / 100
    return float(leans[np.argmin([sum(np.abs(np.exp(lean - off) - 1).mean() for off in others) for lean in leans])])


def leaned(left_out, data, lean):
    """judge() of all machines left out, with members that lean so."""
    for member in (m for trained in left_out.values() for _, found in trained for m in found):
        member.lean = lean
        if member.base is not None:  # its own, where the machine lacks the kernel
            member.base.lean = lean
    return {(machine, row["kernel"]): judge(found, data, machine, row["kernel"])
            for machine, trained in left_out.items() for row, found in trained}


def interval(residuals, row, machine, tier):
    """Logarithms of how much faster and slower than the forecast a time is on a machine that nobody measured. Of every
    machine and kernel left out, what its residuals reach on a side in nineteen of twenty times; of these reaches the
    quantile ACROSS, between that of this kernel and that of all kernels: so a whole
    machine's offset is part of it. Quantiles are those of one more than was seen. Few machines are much faster than
    their description promises and some are much slower: each side has its own. Nothing of `machine` itself counts."""
    def at_most(values, level):
        return np.quantile(values, min(1, level * (len(values) + 1) / len(values)))

    def reach(side, kernels):
        return [max(LEAST_REACH, at_most(side * r[tier], .95)) for (m, k), r in residuals.items()
                if m != machine and (kernels is None or k in kernels)]
    out = []
    for side, across in ACROSS.items():
        width = at_most(reach(side, None), across)
        same = reach(side, {row["kernel"], *row.get("fitted", []), *row.get("stand_in", [])})
        if same:
            width = at_most(same, across) ** OWN_WEIGHT * width ** (1 - OWN_WEIGHT)
        out.append(round(float(side * width), 4))
    return out


def probe_profile(machine, kernels, data, fold):
    """What `sparsecast probe` would write of that machine: its description and the products."""
    description = json.loads((tables.ROOT / "profiles/devices" /
                              f"{tables.DESCRIPTION.get(machine, machine)}.json").read_text())
    out = {"schema": "sparsecast/profile/1", "name": machine, "properties": description, "tier": "probe", "curves": [],
           "matrices": [], "records": []}
    # The name of a matrix of the fold, so that the member that forecasts is the one that is scaled.
    name = next(f for f, k in FAMILIES.items() if k == fold)
    for kernel in kernels:
        o = probe_products(data, machine, kernel, fold)
        for i in range(len(o["y"])):
            structure = {c: float(o[c][i]) for c in tables.COLUMNS}
            structure.update({"nonzeros": int(o["entries"][i])}, **{c: int(structure[c]) for c in ("rows", "cols")})
            structure["row_max"] = int(round(o["longest"][i]))
            out["records"].append({"matrix": len(out["matrices"]), "kernel": kernel, "precision": "double",
                                   "seconds": float(o["seconds"][i])})
            out["matrices"].append({"spec": {"kind": "imported"}, "structure": {"name": name, **structure}})
    return out


def document(trained, residuals, without, measured, source):
    used = sorted({m for m, _ in measured if m != without})
    shown = json.loads((tables.ROOT / "profiles/machine-model.json").read_text())["loops"]  # scripts/refit loops
    if without is not None:  # other kernels' were learned from these tables
        shown = {**shown, "kernels": [k for k in shown["kernels"] if k["chain"]]}
    out = {"schema": "sparsecast/machine-model/3",
           "learned": source, "machines": used,
           "families": FAMILIES, "own": OWN, "roof": ROOF, "probe": PROBE, "loops": shown, "kernels": []}
    for row, found in trained:
        intervals = {t: interval(residuals, row, without, t) for t in ("data sheet", "probe")}
        out["kernels"].append({
            "kernel": row["kernel"], "vendors": row.get("vendors", []),
            "padding": tables.padding_name(row["kernel"]), "deals": row.get("deals", ""), "physical_share": PHYSICAL_SHARE,
            "multiple_of": BASE if found[0].base is not None else "",
            "interval": intervals, "members": [m.document() for m in found]})
    return out


def print_known(data, machines):
    """How well the same model forecasts a machine that it learned from that machine's own tables, imitations apart."""
    for machine in sorted(machines):
        own = {key: o for key, o in data.items() if key[0] == machine}
        base = base_members(own, machines, None)
        for row in (r for r in KERNELS if (machine, r["kernel"], "real") in own):
            found = members(row, own, machines, None, base)
            error = np.abs(np.exp(-judge(found, own, machine, row["kernel"])["data sheet"]) - 1)
            print(f"known  {machine:16s} {row['kernel']:20s} {100 * error.mean():3.0f} / {100 * np.median(error):3.0f}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shipped.add_options(options)
    options.add_argument("--left-out", type=pathlib.Path, help="folder for the models without each machine")
    options.add_argument("--known", action="store_true",
                         help="also print how well machines are forecast from their own tables")
    arguments = options.parse_args()
    machines, data = load(arguments.tables)
    output = arguments.output / "machine-model.json"
    source = shipped.learned("machines", [path for machine in machines for path in
                                          (arguments.tables / machine).glob("*.tsv.gz")], arguments.tables, LICENCE,
                             arguments.date, output.name)
    global FAMILIES
    FAMILIES = {f: tables.fold_of(f) for f in sorted({f for o in data.values() for f in o["family"]})}
    measured = {(m, k) for m, k, part in data}
    left_out = {}
    for machine in sorted(machines):
        left_out[machine] = []
        base = base_members(data, machines, machine)
        for row in KERNELS:
            found = members(row, data, machines, machine, base) if (machine, row["kernel"], "real") in data else None
            if found is not None:  # somebody else was measured with that kernel
                left_out[machine].append((row, found))
                print(f"{machine} without itself: {row['kernel']}", file=sys.stderr, flush=True)
    plain = leaned(left_out, data, 0.)
    for machine, trained in left_out.items():
        lean = lean_of(plain, machine)
        residuals = leaned(left_out, data, lean)
        for row, _ in trained:
            for t in ("data sheet", "probe"):
                low, high = interval(residuals, row, machine, t)
                off = residuals[machine, row["kernel"]][t]
                error = 100 * np.abs(np.exp(-off) - 1)
                inside = np.mean((low <= off) & (off <= high))
                print(f"{machine:16s} {row['kernel']:20s} {t:10s} {error.mean():3.0f} / {np.median(error):3.0f}, "
                      f"× {np.exp(low):.2f} to {np.exp(high):.2f}: {inside:.2f} inside", flush=True)
        if arguments.left_out:
            (arguments.left_out / "probes").mkdir(parents=True, exist_ok=True)
            for fold in range(tables.FOLDS):
                profile = probe_profile(machine, [row["kernel"] for row, _ in trained], data, fold)
                write(arguments.left_out / "probes" / f"{machine}-{fold}.json", profile)
            write(arguments.left_out / f"{machine}.json", document(trained, residuals, machine, measured, source))
    lean = lean_of(plain, None)
    residuals = leaned(left_out, data, lean)
    base = base_members(data, machines, None)
    trained = [(row, members(row, data, machines, None, base)) for row in KERNELS]
    for member in [*(base or []), *(m for _, found in trained for m in found or [])]:
        member.lean = lean
    if arguments.known:
        print_known(data, machines)
    write(output, document([t for t in trained if t[1]], residuals, None, measured, source))
    print(f"{output}: {output.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
