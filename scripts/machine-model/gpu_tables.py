"""Measured tables of GPUs, descriptions and what both give the model: src/forecast/machines/gpu_model.cpp computes the
same from a Structure and a DeviceProperties."""
import csv
import gzip
import json
import pathlib

import numpy as np

from folds import DESCRIPTION, FOLDS, fold_of  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What a kernel does (gpu_model.hpp), its format, whose library it is of.
THREADS, WARPS, SEARCH, MERGE = range(4)
CSR, ELL, SELL, HYB, COO = range(5)
OTHER, GINKGO, CUSPARSE, HIPSPARSE = range(4)
KERNELS = {
    "ginkgo-csr": (WARPS, CSR, GINKGO), "ginkgo-csr-classical": (WARPS, CSR, GINKGO),
    "ginkgo-csr-load-balance": (SEARCH, CSR, GINKGO), "ginkgo-csr-merge": (MERGE, CSR, GINKGO),
    "ginkgo-coo": (SEARCH, COO, GINKGO), "ginkgo-ell": (THREADS, ELL, GINKGO), "ginkgo-sellp": (THREADS, SELL, GINKGO),
    "ginkgo-hybrid": (SEARCH, HYB, GINKGO),
    "cusparse-csr": (WARPS, CSR, CUSPARSE), "cusparse-csrex": (THREADS, CSR, CUSPARSE),
    "cusparse-coo": (SEARCH, COO, CUSPARSE), "cusparse-ell": (THREADS, ELL, CUSPARSE),
    "cusparse-hyb": (SEARCH, HYB, CUSPARSE),
    "hipsparse-csr": (WARPS, CSR, HIPSPARSE), "hipsparse-coo": (SEARCH, COO, HIPSPARSE),
    "hipsparse-ell": (THREADS, ELL, HIPSPARSE), "hipsparse-hyb": (SEARCH, HYB, HIPSPARSE),
    "rocsparse-csr": (SEARCH, CSR, HIPSPARSE), "rocsparse-coo": (SEARCH, COO, HIPSPARSE),
    "rocsparse-hyb": (SEARCH, HYB, HIPSPARSE),
    "csr-merge": (MERGE, CSR, OTHER), "csr5": (SEARCH, CSR, OTHER), "sell-32": (THREADS, SELL, OTHER),
    "csr-vector": (WARPS, CSR, OTHER), "csr-adaptive": (SEARCH, CSR, OTHER),
    "ginkgo-csr-classical@2018": (THREADS, CSR, GINKGO), "cusparse-coo@2018": (SEARCH, COO, CUSPARSE),
    "ginkgo-csr-merge@2018": (MERGE, CSR, GINKGO), "cusparse-csr@2018": (THREADS, CSR, CUSPARSE),
    "cusparse-csrex@2018": (THREADS, CSR, CUSPARSE),
}
# cuSPARSE's CSR of 2018: a row has one thread, or two and four where rows are long in the mean.
SHARES = ("cusparse-csr@2018", "cusparse-csrex@2018", "cusparse-csrex")
# Ages of libraries in which a name stands for another kernel. Ginkgo's classical CSR gave a row to one thread: on the
# K40m its time follows the sectors that a lone thread touches. Its merge took 0.32 ms more from a block on, whatever
# the size: it allocates in each product. Its COO of cuSPARSE was a HYB whose ELL part is empty, and takes the time of
# one at small sizes; the generic interface has a kernel for coordinates. Its CSR gave a row to few threads, and the one
# CSR of the early Ginkgo is that: an entry of the longest row takes 0.24, 0.15 and 0.07 µs on the K20Xm where rows have
# less than 20 entries in the mean, less than 64, and more; of cuSPARSE's on the K40m 0.23, 0.14 and 0.07.
EARLY, OF_2018, TODAY = "early", "2018", ""
AGES = {OF_2018: {k: f"{k}@2018" for k in ("ginkgo-csr-classical", "ginkgo-csr-merge", "cusparse-coo", "cusparse-csr",
                                           "cusparse-csrex")},
        EARLY: {"ginkgo-csr-classical": "cusparse-csr@2018"}}
AGE_OF = {"tesla-k20xm": EARLY, "tesla-k40m": OF_2018}
GENERATIONS = ("kepler", "volta", "amd")
AUTOMATIC, CLASSICAL, LOAD_BALANCE = "ginkgo-csr", "ginkgo-csr-classical", "ginkgo-csr-load-balance"
# Ginkgo's rules, by generation: automatic CSR balances loads where a row is longer, or non-zeros are more than this;
# ELL gives rows of wide matrices to several threads. The early age is from before both, that of 2018 has the first's.
STRATEGY = ((64., 1e300, 1.), (1024., 1e6, 1.), (768., 1e8, 1.), (1e300, 1e300, 0.))
STRATEGY_OF_AGE = {EARLY: STRATEGY[-1], OF_2018: STRATEGY[0]}
# The libraries that tables were measured with, by folder and library, as far as their collections tell.
YEARS = {"nvidia-k20xm": 2018, "nvidia-k40m": 2018, "nvidia-v100-sxm2": 2021, "nvidia-a100": 2022,
         "amd-radeon-vii": 2020, "amd-mi250x": 2022}
OF_ATHENS = {CUSPARSE: "cuSPARSE 9 11", HIPSPARSE: "rocSPARSE", OTHER: ""}
LIBRARY_NAMES = {GINKGO: "Ginkgo", CUSPARSE: "cuSPARSE", HIPSPARSE: "hipSPARSE"}
MOST_OF_ARTIFICIAL = 500  # matrices of a table that no collection has


def generation_of(d):
    """Which of the measured generations a GPU is nearest to: NVIDIA's before and since additions of doubles in memory
    (compute capability 6.0), AMD's."""
    if d.get("vendor") == "AMD":
        return 2
    return int(d.get("limits", {}).get("compute_capability", 7.0) >= 6)


class Device:
    def __init__(self, folder):
        self.name = DESCRIPTION.get(folder, folder)
        d = json.loads((ROOT / "profiles/devices" / f"{self.name}.json").read_text())
        caches = {c["level"]: c["size_bytes"] * -(-d["compute_units"] // c["shared_by"]) for c in d["caches"]}
        self.generation = generation_of(d)
        self.units, self.clock, self.bandwidth = float(d["compute_units"]), d["clock_hz"], d["memory_bandwidth"]
        self.cache, self.warp = float(caches[max(caches)]), float(d["warp_size"])
        # Bytes that the memory is asked for at least: 64 since Volta's second-level cache.
        self.sector = 64. if self.generation == 1 and d.get("limits", {}).get("compute_capability", 7.) >= 7 else 32.
        self.age = AGE_OF.get(self.name, TODAY)
        self.strategy = STRATEGY_OF_AGE.get(self.age, STRATEGY[self.generation])


def column(rows, name, default=np.nan):
    return np.array([float(r[name]) if r.get(name) not in (None, "") else default for r in rows])


def read_ginkgo(path):
    """Columns of one table. What formats store tells the longest row (ELL) and the slots of slices (SELL-P)."""
    with gzip.open(path, "rt") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    rows = [r for r in rows if r["kernel"] in KERNELS and float(r["seconds"]) > 0]
    t = {c: column(rows, c) for c in ("rows", "cols", "nonzeros", "row_min", "row_q1", "row_median", "row_q3",
                                      "row_max", "row_variance", "repetitions", "seconds", "storage_bytes")}
    t["matrix"] = np.array([r["matrix"] for r in rows])
    t["kernel"] = np.array([r["kernel"] for r in rows])
    t["group"] = np.array([m.split("/")[0] for m in t["matrix"]])
    t["std"] = np.sqrt(t.pop("row_variance"))
    stored = {(m, k): s for m, k, s in zip(t["matrix"], t["kernel"], t.pop("storage_bytes")) if s > 0}
    # Tables of 2018 count entries, later ones bytes: 12 an entry of ELL and SELL-P.
    unit = {m: 12 if stored.get((m, "ginkgo-coo")) == n else 1 for m, n in zip(t["matrix"], t["nonzeros"])}
    for name, kernel in (("ell_bytes", "ginkgo-ell"), ("sell_bytes", "ginkgo-sellp")):
        t[name] = np.array([unit[m] * stored.get((m, kernel), np.nan) for m in t["matrix"]])
    t["artificial"] = np.zeros(len(rows))
    return t


def read_features(path):
    """A table of the other kind (moments of row lengths): medians over repeats."""
    with gzip.open(path, "rt") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    times, of = {}, {}
    for r in rows:
        if r["kernel"] in KERNELS:
            key = tuple(r[c] for c in ("kernel", "matrix", "rows", "cols", "nonzeros", "row_std", "row_skew"))
            times.setdefault(key, []).append(float(r["seconds"]))
            of[key] = r
    rows = list(of.values())
    seconds = np.array([np.median(times[k]) for k in of])
    t = {c: column(rows, c) for c in ("rows", "cols", "nonzeros")}
    mean = t["nonzeros"] / np.maximum(t["rows"], 1)
    t.update({c: np.full(len(rows), np.nan) for c in ("row_min", "row_q1", "row_median", "row_q3", "repetitions",
                                                       "ell_bytes", "sell_bytes")})
    t["row_max"] = np.round(mean * (1 + column(rows, "row_skew", 0)))
    t["std"], t["seconds"] = column(rows, "row_std", 0), seconds
    t["matrix"] = np.array([r["matrix"] for r in rows])
    t["kernel"] = np.array([r["kernel"] for r in rows])
    t["group"] = np.array([r["twin_of"] or r["matrix"] for r in rows])
    t["artificial"] = np.array([float(r["matrix"] != r["twin_of"]) for r in rows])
    return t


def take(t, which):
    return {k: v[which] for k, v in t.items()}


def join(parts):
    return {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}


def files(folder):
    """The tables that load() reads."""
    found = [p / "products.tsv.gz" for p in (folder / "ginkgo").iterdir() if p.name.startswith(("nvidia", "amd"))]
    found += [p / f"{kind}.tsv.gz" for p in folder.iterdir() if p.name.startswith(("nvidia", "amd-mi"))
              for kind in ("benchmark", "real")]
    return [path for path in found if path.exists()]


def load(folder):
    """Every GPU's rows together. The same matrix has the same group in both kinds of tables."""
    devices, parts, groups = {}, [], {}
    for path in sorted((folder / "ginkgo").iterdir()):
        if (path / "products.tsv.gz").exists() and (path.name.startswith(("nvidia", "amd"))):
            t = read_ginkgo(path / "products.tsv.gz")
            groups.update({m.split("/")[1]: g for m, g in zip(t["matrix"], t["group"])})
            parts.append((path.name, t, True))
    for path in sorted(folder.iterdir()):
        for kind in ("benchmark", "real"):
            if path.name.startswith(("nvidia", "amd-mi")) and (path / f"{kind}.tsv.gz").exists():
                t = read_features(path / f"{kind}.tsv.gz")
                if kind == "benchmark":
                    pick = np.random.RandomState(0).permutation(len(t["rows"]))
                    t = take(t, np.sort(pick[:MOST_OF_ARTIFICIAL * len(set(t["kernel"]))]))
                t["group"] = np.array([groups.get(g, g) for g in t["group"]])
                parts.append((path.name, t, False))
    out = []
    for folder_name, t, ginkgo in parts:
        device = devices.setdefault(DESCRIPTION.get(folder_name, folder_name), Device(folder_name))
        n = len(t["rows"])
        out.append({**t, "device": np.full(n, device.name), "ginkgo": np.full(n, ginkgo),
                    "libraries": np.array([libraries_of(folder_name, k, ginkgo) for k in t["kernel"]])})
    return devices, join(out)


def libraries_of(folder, kernel, ginkgo):
    """Which library's kernel a table of that collection has."""
    library = KERNELS[kernel][2]
    return f"{LIBRARY_NAMES[library]} {YEARS[folder]}" if ginkgo else OF_ATHENS[library]


def libraries_text(libraries):
    """Several of them: "cuSPARSE 9, 11, 2018"."""
    versions = {}
    for library, *numbers in (text.split() for text in libraries):
        versions.setdefault(library, set()).update(numbers)
    return "; ".join(f"{library} {', '.join(sorted(v, key=int))}".strip() for library, v in sorted(versions.items()))


def with_work(t, devices):
    """What a kernel does: automatic CSR is one of two others, and an older age may have another kernel of that name."""
    row, most = (np.array([devices[d].strategy[i] for d in t["device"]]) for i in range(2))
    balances = (t["row_max"] > row) | (t["nonzeros"] > most)
    does = np.where(t["kernel"] != AUTOMATIC, t["kernel"], np.where(balances, LOAD_BALANCE, CLASSICAL))
    return {**t, "does": np.array([AGES.get(devices[d].age, {}).get(k, k) for d, k in zip(t["device"], does)])}


def forget_storage(t, seed=0):
    """Of every other matrix of a table what formats store is forgotten: few who ask know it."""
    rng = np.random.RandomState(seed)
    keys = sorted(set(zip(t["device"], t["matrix"])))
    forgotten = dict(zip(keys, rng.rand(len(keys)) < .5))
    gone = np.array([forgotten[k] for k in zip(t["device"], t["matrix"])])
    return {**t, **{c: np.where(gone, np.nan, t[c]) for c in ("ell_bytes", "sell_bytes")}}
