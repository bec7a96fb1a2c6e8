#!/usr/bin/env python3
"""Learns the model of GPUs (profiles/gpu-model.json) from tables of measured times.

    scripts/refit gpus --tables FOLDER --output FOLDER [--left-out FOLDER]

The tables' folder has the folders of README's two collections. Intervals are what residuals reach on groups of matrices, and on
devices, that nothing was learned from; --left-out keeps the models without each device and each fifth of the groups,
for benchmarks/machines/gpus. What is written holds coefficients and trees, and no measurement."""
import argparse
import copy
import multiprocessing
import pathlib

import numpy as np

import gpu_fit
import gpu_tables as tables
import gpus
import shipped
from shipped import write
from tree_code import coded

LICENCE = ("Ginkgo Data, ginkgo-project, CC BY 4.0; SpMV-Research-benchmarks (github.com/pmpakos), National Technical "
           "University of Athens, reduced")
OWN = {"csr": "csr-merge", "csr-scalar": "csr-vector", "csr-half": "csr-vector", "csr-stream": "csr-merge", "coo": "cusparse-coo",
       "cusparse": "cusparse-csr", "hyb": "cusparse-hyb", "sell": "sell-32", "ell": "cusparse-ell", "jad": "sell-32"}
VENDORS = {"csr5": ["NVIDIA"], "sell-32": ["NVIDIA"], "csr-adaptive": ["AMD"]}
VENDORS_OF = {tables.CUSPARSE: ["NVIDIA"], tables.HIPSPARSE: ["AMD"]}
LAST_CAPABILITY = {"cusparse-hyb": 7.5, "cusparse-ell": 7.5, "cusparse-csrex": 7.5}
WORKS, LAYOUTS = ("threads", "warps", "search", "merge"), ("csr", "ell", "sell", "hyb", "coo")
LIBRARIES = ("other", "ginkgo", "cusparse", "rocsparse")
SAME_CHIP = {"amd-mi250x": ["amd-mi250"]}
SHARE_FOR_OTHERS = .5  # of what trees say of a device that they saw nothing of
INSIDE, LEAST_REACH, DECADES, FEW = .9, .02, 5, 30
WIDER = 1.1  # five devices tell less of a sixth than their many products suggest
ANCHORS = 24
JUDGED_FOLDS = 2  # that every device in turn is left out with
# As gpu_device.cpp moves the costs of a device that nobody measured (of all kernels but what trees say, of one), here in
# one step, and gpu_fitted.cpp what products leave (in units of their spread, found on these tables).
SHARED = shipped.constants()
WIDTHS = np.array(SHARED["gpu_unknown_widths"])
SHARED_WIDTHS, OWN_WIDTHS, LIKE_WIDTHS = np.r_[WIDTHS[:3], 0], WIDTHS[4:], (.2, .2)
ANCHOR_NOISE = SHARED["gpu_noise"][0]
LIKE_FEATURES, LIKE_UNITS = [0, 3, 5, 12], np.array([*SHARED["gpu_like_units"], SHARED["gpu_like_units"][-1]])


def decade(nonzeros):
    return np.clip(np.floor(np.log10(np.maximum(1, nonzeros))) - 3, 0, DECADES - 1).astype(int)


def quantile(values, q):
    values = np.sort(values)
    return float(values[int(np.clip(q * (len(values) + 1) - 1, 0, len(values) - 1))])


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
    """The model without a device and a fold (either may be None), and what is left of the times it did not see."""
    devices, t, device, fold = job
    t = tables.with_work(t, devices)
    gone = np.zeros(len(t["rows"]), bool)
    if device is not None:
        gone |= np.isin(t["device"], [device, *SAME_CHIP.get(device, [])])
    if fold is not None:
        gone |= t["fold"] == fold
    model = gpu_fit.Model(tables.forget_storage(tables.take(t, ~gone)), devices)
    unseen = t["ginkgo"] & (t["fold"] == fold) & ((t["device"] == device) if device is not None else True)
    left, shares, points = np.zeros(0), np.zeros((0, 3)), np.zeros((0, len(LIKE_FEATURES)))
    if unseen.any():
        if device is not None:  # nobody knows its rules either
            devices = {**devices, device: copy.copy(devices[device])}
            devices[device].strategy = tables.STRATEGY[devices[device].generation]
        of = tables.with_work(tables.take(t, unseen), devices)
        m = gpus.numbers(of, devices)
        base = model.base(of, m)
        floor = model.floor(of, m)
        share = 1 if device is None else SHARE_FOR_OTHERS
        x = gpus.features(m, floor, base)
        left, points = np.log(of["seconds"] / base) - share * model.trees.predict(x), x[:, LIKE_FEATURES]
        stream = np.exp(model.log_prices(of, m)[0]) * m["counts"][0]
        shares = (np.array([floor, stream, base - floor - stream]) / base).T
    return document(model, devices), unseen, left, shares, points


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
                        "vendors": VENDORS.get(name, VENDORS_OF.get(library, [])),
                        "last_capability": LAST_CAPABILITY.get(name, 0),
                        "prices": [np.round(model.prices[g, name], 4).tolist() for g in range(3)],
                        "multiple": round(model.multiple.get(name, 1.), 4),
                        "seconds": float(f"{model.absolute.get(name, 0):.4g}")})
    known = {d: {"shares": np.round(model.shares[d], 4).tolist(),
                 "floors": {k: float(f"{f:.4g}") for k, f in model.floors.get(d, {}).items()},
                 "strategy": devices[d].strategy, "intervals": {}}
             for d in sorted(model.shares)}
    return {"schema": "sparsecast/gpu-model/2", "learned": {}, "kernels": kernels, "own": OWN,
            "launches": [[float(f"{v:.4g}") for v in launch] for launch in model.launch],
            "strategies": tables.STRATEGY, "devices": known, "share_for_others": SHARE_FOR_OTHERS,
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
    jobs = [(None, None), *((None, f) for f in range(tables.FOLDS)),
            *((d, f) for d in judged for f in range(JUDGED_FOLDS))]
    with multiprocessing.Pool(2) as pool:
        found = dict(zip(jobs, pool.imap(learn, [(devices, t, *job) for job in jobs])))

    rows = len(t["rows"])
    known, other, after = np.full(rows, np.nan), np.full(rows, np.nan), np.full(rows, np.nan)
    shares, points = np.zeros((rows, 3)), np.zeros((rows, len(LIKE_FEATURES)))
    for (device, fold), (_, unseen, left, share, point) in found.items():
        if fold is not None:
            (known if device is None else other)[unseen] = left
            if device is not None:
                shares[unseen], points[unseen] = share, point
    rng = np.random.RandomState(0)
    for d in judged:
        of = np.where((t["device"] == d) & ~np.isnan(other))[0]
        left, unseen = anchored(other[of], shares[of], points[of], t["does"][of], t["matrix"][of], rng)
        after[of[unseen]] = left[unseen]

    together = {"kernels": alike(other, t, ("device", "matrix")), "machines": alike(other, t, ("kernel", "matrix"))}

    def intervals(out, without):
        out["learned"], out["alike"] = source, together
        for d, what in out["devices"].items():
            for k in sorted(set(t["does"][t["device"] == d])):
                of = (t["device"] == d) & (t["does"] == k) & ~np.isnan(known)
                if of.any():
                    what["intervals"][k] = widths(known[of], t["nonzeros"][of])
        others = t["device"] != without
        for name, left in (("data sheet", other), ("anchors", after)):
            of = others & ~np.isnan(left)
            out["intervals"][name] = widths(left[of], t["nonzeros"][of], WIDER)
        return out

    write(output, intervals(found[None, None][0], None))
    print(f"{output}: {output.stat().st_size} bytes")
    if arguments.left_out:
        arguments.left_out.mkdir(parents=True, exist_ok=True)
        for (device, fold), (out, *_) in found.items():
            if fold is not None:
                write(arguments.left_out / f"{device or 'none'}-{fold}.json", intervals(out, device))
    for name, left in (("device known", known), ("device left out", other), ("with anchors", after)):
        for d in judged:
            of = (t["device"] == d) & ~np.isnan(left) & (t["nonzeros"] >= 1e4)
            error = np.abs(np.exp(-left[of]) - 1)
            print(f"{name:16s} {d:22s} mean {100 * error.mean():5.1f} %  median {100 * np.median(error):5.1f} %")


if __name__ == "__main__":
    main()
