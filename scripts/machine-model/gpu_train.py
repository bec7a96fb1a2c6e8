#!/usr/bin/env python3
"""Learns the model of GPUs (profiles/gpu-model.json) from tables of measured times.

    scripts/refit gpus --tables FOLDER --output FOLDER [--left-out FOLDER]

The tables' folder has the folders of README's two collections. Intervals are what residuals reach on groups of
matrices, and on devices, that nothing was learned from (gpu_doubt.py); those of a device that is left out come from
models that saw neither it nor the device they judge. --left-out keeps the models without each device and each fifth of
the groups, for benchmarks/machines/gpus. What is written holds coefficients and trees, and no measurement."""
import argparse
import itertools
import multiprocessing
import pathlib

import numpy as np

import gpu_doubt
import gpu_fit
import gpu_tables as tables
import gpus
import shipped
from gpu_doubt import DECADES, FEW, INSIDE, LEAST_REACH, decade, quantile
from shipped import write
from tree_code import coded

LICENCE = ("Ginkgo Data, ginkgo-project, CC BY 4.0; SpMV-Research-benchmarks (github.com/pmpakos), National Technical "
           "University of Athens, reduced")
OWN = {"csr": "csr-merge", "csr-scalar": "csr-vector", "csr-half": "csr-vector", "csr-stream": "csr-merge",
       "coo": "cusparse-coo",
       "cusparse": "cusparse-csr", "hyb": "cusparse-hyb", "sell": "sell-32", "ell": "cusparse-ell", "jad": "sell-32"}
VENDORS = {"csr5": ["NVIDIA"], "sell-32": ["NVIDIA"], "csr-adaptive": ["AMD"]}
VENDORS_OF = {tables.CUSPARSE: ["NVIDIA"], tables.HIPSPARSE: ["AMD"]}
LAST_CAPABILITY = {"cusparse-hyb": 7.5, "cusparse-ell": 7.5, "cusparse-csrex": 7.5}
WORKS, LAYOUTS = ("threads", "warps", "search", "merge"), ("csr", "ell", "sell", "hyb", "coo")
LIBRARIES = ("other", "ginkgo", "cusparse", "rocsparse")
SAME_CHIP = {"amd-mi250x": ["amd-mi250"]}
SHARE_FOR_OTHERS = .5  # of what trees say of a device that they saw nothing of
ANCHORS = 24
JUDGED_FOLDS = 2  # that every device in turn is left out with
# As gpu_device.cpp moves the costs of a device that nobody measured (of all kernels but what trees say, of one), here in
# one step, and gpu_fitted.cpp what products leave (in units of their spread, found on these tables).
SHARED = shipped.constants()
WIDTHS = np.array(SHARED["gpu_unknown_widths"])
SHARED_WIDTHS, OWN_WIDTHS, LIKE_WIDTHS = np.r_[WIDTHS[:3], 0], WIDTHS[4:], (.2, .2)
ANCHOR_NOISE = SHARED["gpu_noise"][0]
LIKE_FEATURES, LIKE_UNITS = [0, 3, 5, 12], np.array([*SHARED["gpu_like_units"], SHARED["gpu_like_units"][-1]])


def widths(left, nonzeros, wider=1.):
    out = []
    for d in range(DECADES):
        these = left[decade(nonzeros) == d]
        these = these if len(these) >= FEW else left
        out.append([round(wider * min(-LEAST_REACH, quantile(these, (1 - INSIDE) / 2)), 3),
                    round(wider * max(LEAST_REACH, quantile(these, (1 + INSIDE) / 2)), 3)])
    return out


def alike(left, t, same):
    """How far what is left of two products goes together that have these columns in common: 1 − half the variance of
    its difference, in widths of the interval, as nine tenths of the pairs tell it."""
    of = np.where(~np.isnan(left))[0]
    w = np.array(widths(left[of], t["nonzeros"][of]))
    z = left[of] / ((w[:, 1] - w[:, 0]) / 3.29)[decade(t["nonzeros"][of])]
    keys = np.array([t[c][of] for c in same])
    order = np.lexsort(keys)
    neighbours = (keys[:, order[1:]] == keys[:, order[:-1]]).all(0)
    apart = np.abs(np.diff(z[order]))[neighbours]
    return round(float(np.clip(1 - (np.quantile(apart, .9) / 1.645) ** 2 / 2, 0, .95)), 3)


def anchored(left, shares, points, kernels, matrices, rng):
    """What is left of a device's times where 24 matrices were measured."""
    chosen = set(rng.permutation(sorted(set(matrices)))[:ANCHORS])
    seen = np.array([m in chosen for m in matrices])
    x = np.c_[shares, np.ones(len(left))]
    points = np.c_[points, shares[:, [0, 2]]] / LIKE_UNITS

    def covariance(of):
        same = kernels[of][:, None] == kernels[seen]
        like = np.exp(-((points[of][:, None] - points[seen]) ** 2).sum(-1) / 2)
        return (x[of] * SHARED_WIDTHS ** 2) @ x[seen].T + same * ((x[of] * OWN_WIDTHS ** 2) @ x[seen].T) \
            + like * (LIKE_WIDTHS[0] ** 2 + same * LIKE_WIDTHS[1] ** 2)
    inverse = np.linalg.inv(covariance(seen) + ANCHOR_NOISE ** 2 * np.eye(seen.sum()))
    with_all = covariance(np.ones(len(left), bool)) @ inverse
    return left - with_all @ np.clip(left[seen], -2, 2), ~seen


def learn(job):
    """The model without devices and folds, and of each of these devices (of all where none is left out), in these
    folds, the rows and what is left of their times."""
    devices, t, without, folds = job
    hidden = np.isin(t["fold"], folds)
    gone = hidden | np.isin(t["device"], [d for o in without for d in (o, *SAME_CHIP.get(o, []))])
    model = gpu_fit.Model(tables.forget_storage(tables.take(t, ~gone)), devices)
    judged = {}
    for device in (without or (None,)) if len(folds) else ():
        unseen = np.where(t["ginkgo"] & hidden & ((t["device"] == device) if device else True))[0]
        of = tables.take(t, unseen)
        m = gpus.numbers(of, devices)
        base, floor = model.base(of, m), model.floor(of, m)
        share = SHARE_FOR_OTHERS if device else 1
        x = gpus.features(m, floor, base)
        left = np.log(of["seconds"] / base) - share * model.trees.predict(x)
        stream = np.exp(model.log_prices(of, m)[0]) * m["counts"][0]
        judged[device] = unseen, left, (np.array([floor, stream, base - floor - stream]) / base).T, x[:, LIKE_FEATURES]
    return document(model, devices) if len(without) < 2 else None, judged


def trees_of(model):
    walks = []

    def walk(node, out):
        if "leaf_value" in node:
            out.append((None, node["leaf_value"]))
            return
        out.append((node["split_feature"], float(f"{node['threshold']:.7g}")))
        walk(node["left_child"], out)
        walk(node["right_child"], out)
    for tree in model.trees.booster_.dump_model()["tree_info"]:
        walks.append([])
        walk(tree["tree_structure"], walks[-1])
    return coded(walks, model.trees.n_features_in_)


def document(model, devices):
    kernels = []
    for name, (work, layout, library) in tables.KERNELS.items():
        kernels.append({"kernel": name, "work": WORKS[work], "layout": LAYOUTS[layout], "library": LIBRARIES[library],
                        "shares": name in tables.SHARES,
                        "vendors": VENDORS.get(name, VENDORS_OF.get(library, [])),
                        "last_capability": LAST_CAPABILITY.get(name, 0),
                        "prices": [np.round(model.prices[g, name], 4).tolist() for g in range(3)],
                        "multiples": np.round(model.multiple.get(name, [1., 1.]), 4).tolist(),
                        "learned_of": tables.libraries_text(
                            model.learned_of.get(name) or model.learned_of.get(gpu_fit.OLDER.get(name), [])),
                        "seconds": float(f"{model.absolute.get(name, 0):.4g}")})
    known = {d: {"shares": np.round(model.shares[d], 4).tolist(),
                 "floors": {k: float(f"{f:.4g}") for k, f in model.floors.get(d, {}).items()},
                 "strategy": devices[d].strategy, "age": devices[d].age, "amd": devices[d].generation == 2,
                 "intervals": {}}
             for d in sorted(model.shares)}
    ages = {a: {"vendor": "NVIDIA", "strategy": strategy, "kernels": tables.AGES.get(a, {})}
            for a, strategy in tables.STRATEGY_OF_AGE.items()}
    return {"schema": "sparsecast/gpu-model/4", "learned": {}, "kernels": kernels, "own": OWN,
            "launches": [[float(f"{v:.4g}") for v in launch] for launch in model.launch],
            "strategies": tables.STRATEGY, "ages": ages, "devices": known, "share_for_others": SHARE_FOR_OTHERS,
            "intervals": {}, "trees": trees_of(model)}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shipped.add_options(options)
    options.add_argument("--left-out", type=pathlib.Path, help="folder for the models without each device and fold")
    arguments = options.parse_args()
    devices, t = tables.load(arguments.tables)
    output = arguments.output / "gpu-model.json"
    source = shipped.learned("gpus", tables.files(arguments.tables), arguments.tables, LICENCE, arguments.date,
                             output.name)
    t = tables.with_work(t, devices)
    t["fold"] = np.array([tables.fold_of(g) for g in t["group"]])
    judged = sorted(set(t["device"][t["ginkgo"]]))
    every, both = tuple(range(tables.FOLDS)), tuple(range(JUDGED_FOLDS))
    jobs = [((), ()), *(((), (f,)) for f in every), *(((d,), (f,)) for d in judged for f in both),
            *((pair, both) for pair in itertools.combinations(judged, 2))]
    with multiprocessing.Pool(2) as pool:
        found = dict(zip(jobs, pool.imap(learn, [(devices, t, *job) for job in jobs])))

    class Residuals:
        """Of devices left out, by data sheet and where 24 matrices were measured; of which model, a column each."""
        def __init__(self):
            self.sheet, self.anchors = (np.full(len(t["rows"]), np.nan) for _ in range(2))

        def take(self, *parts):
            rows, left, shares, points = (np.concatenate(p) for p in zip(*parts))
            self.sheet[rows] = left
            after, unseen = anchored(left, shares, points, t["does"][rows], t["matrix"][rows],
                                     np.random.RandomState(0))
            self.anchors[rows[unseen]] = after[unseen]

    known, other, beside = np.full(len(t["rows"]), np.nan), Residuals(), {d: Residuals() for d in judged}
    for f in every:
        rows, left, *_ = found[(), (f,)][1][None]
        known[rows] = left
    for d in judged:
        other.take(*(found[(d,), (f,)][1][d] for f in both))
    for pair in itertools.combinations(judged, 2):
        for d, without in (pair, pair[::-1]):
            beside[without].take(found[pair, both][1][d])

    together = {"kernels": alike(other.sheet, t, ("device", "matrix")),
                "machines": alike(other.sheet, t, ("kernel", "matrix"))}

    def intervals(out, without):
        out["learned"], out["alike"] = source, together
        for d, what in out["devices"].items():
            for k in sorted(set(t["does"][t["device"] == d])):
                of = (t["device"] == d) & (t["does"] == k) & ~np.isnan(known)
                if of.any():
                    what["intervals"][k] = widths(known[of], t["nonzeros"][of])
        residuals = beside.get(without, other)
        for name, left in (("data sheet", residuals.sheet), ("anchors", residuals.anchors)):
            of = ~np.isnan(left)
            columns = (c[of] for c in (left, t["nonzeros"], t["device"], t["does"]))
            out["intervals"][name] = gpu_doubt.reaches(*columns)
        return out

    write(output, intervals(found[(), ()][0], None))
    print(f"{output}: {output.stat().st_size} bytes")
    if arguments.left_out:
        arguments.left_out.mkdir(parents=True, exist_ok=True)
        for (without, folds), (out, _) in found.items():
            if len(folds) == 1:
                name = without[0] if without else None
                write(arguments.left_out / f"{name or 'none'}-{folds[0]}.json", intervals(out, name))
    for name, left in (("device known", known), ("device left out", other.sheet), ("with anchors", other.anchors)):
        for d in judged:
            of = (t["device"] == d) & ~np.isnan(left) & (t["nonzeros"] >= 1e4)
            error = np.abs(np.exp(-left[of]) - 1)
            print(f"{name:16s} {d:22s} mean {100 * error.mean():5.1f} %  median {100 * np.median(error):5.1f} %")


if __name__ == "__main__":
    main()
