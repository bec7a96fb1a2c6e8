"""Measured tables, descriptions of machines, and the features of both. src/forecast/machines/machine_model.cpp
computes the same from a Structure and a DeviceProperties."""
import gzip
import hashlib
import json
import math
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDS = 5
# Folders of tables whose name is not that of the description: which variant was measured.
DESCRIPTION = {"intel-xeon-gold": "intel-xeon-5120"}
COLUMNS = ("rows", "cols", "nonzeros", "row_mean", "row_std", "row_skew", "bandwidth_scaled", "neighbours",
           "cross_row_similarity")


def fold_of(family):
    return int(hashlib.md5(family.encode()).hexdigest(), 16) % FOLDS


class Machine:
    """What the model knows of a machine: all of it from its description."""

    def __init__(self, description, name):
        d = description.get("properties", description)
        self.name, self.gpu = name, d["kind"] != "host"
        self.vendor = d.get("vendor", "")
        units = d["compute_units"]
        caches = sorted(d["caches"], key=lambda c: c["level"])
        total = {c["level"]: c["size_bytes"] * math.ceil(units / c["shared_by"]) for c in caches}
        last = max(total)
        clock = d["clock_hz"]
        if d.get("base_clock_hz", 0) > 0:
            clock = math.sqrt(clock * d["base_clock_hz"])  # all cores at work run between the two
        self.units, self.clock, self.bandwidth = float(units), clock, d["memory_bandwidth"]
        self.last_cache = float(total[last])
        inner = [level for level in total if level < last]
        self.near_cache = (total[max(inner)] if inner else total[last]) / units
        self.lanes = d.get("vector_bits", 0) / 64 or 4.0


def machine(folder):
    name = DESCRIPTION.get(folder, folder)
    return Machine(json.loads((ROOT / "profiles/devices" / f"{name}.json").read_text()), folder)


def read(path):
    """Medians over repeats: dictionaries of columns by kernel."""
    with gzip.open(path, "rt") as lines:
        head = next(lines).rstrip("\n").split("\t")
        at = {name: i for i, name in enumerate(head)}
        times, rows = {}, {}
        for line in lines:
            f = line.rstrip("\n").split("\t")
            key = (f[at["kernel"]], f[at["matrix"]], *(f[at[c]] for c in COLUMNS))
            times.setdefault(key, []).append(float(f[at["seconds"]]))
            rows[key] = f[at["twin_of"]]
    tables = {}
    for key, seconds in times.items():
        seconds.sort()
        table = tables.setdefault(key[0], {"matrix": [], "family": [], "seconds": [], "values": []})
        table["matrix"].append(key[1])
        table["family"].append(rows[key])
        n = len(seconds)
        table["seconds"].append((seconds[(n - 1) // 2] + seconds[n // 2]) / 2)
        table["values"].append([float(v) for v in key[2:]])
    return tables


def slice_padding(o):
    """Entries that slices of 32 rows store for one non-zero, as far as a table's columns tell: the longest of 32
    lengths drawn alone lies two deviations above the mean and never above the longest row; rows that are like the next
    one pad half as much."""
    variation = o["row_std"] / np.maximum(o["row_mean"], .01)
    over = np.minimum(np.minimum(2.07 * variation, o["row_skew"]), 31)
    return 1 + np.maximum(0, over) * (1 - np.clip(o["cross_row_similarity"], 0, 1) / 2)


PADDING = {"slices": slice_padding}


def padding_name(kernel):
    """What a kernel's format keeps beyond the non-zeros; the names are those of the file of coefficients."""
    return "slices" if kernel.startswith("sell") else ""


def observations(table, kernel, m, real):
    """Arrays of everything that terms and features are made of, one entry per matrix."""
    v = np.array(table["values"]).T
    o = dict(zip(COLUMNS, v))
    n = len(o["rows"])
    o["rows"], o["entries"] = np.maximum(o["rows"], 1), np.maximum(o["nonzeros"], 1)
    o["longest"] = np.clip(o["row_mean"] * (1 + o["row_skew"]), 1, np.maximum(o["cols"], 1))
    o["window"] = np.minimum(o["bandwidth_scaled"] * o["cols"] + 1, o["cols"]) * 8
    o["lone"] = 1 - np.clip(o["neighbours"], 0, 2) / 2
    o["alike"] = np.clip(o["cross_row_similarity"], 0, 1)
    o["family"] = np.array(table["family"])
    o["fold"] = np.array([fold_of(f) for f in table["family"]])
    o["matrix"] = np.array(table["matrix"])
    o["seconds"] = np.array(table["seconds"])
    o["real"] = np.full(n, 1.0 if real else 0.0)
    o["machine"], o["gpu"] = np.full(n, m.name), np.full(n, m.gpu)
    for name in ("units", "clock", "bandwidth", "last_cache", "near_cache", "lanes"):
        o[name] = np.full(n, getattr(m, name))
    o["core"] = o["units"] * o["clock"]
    return stored_as(o, kernel)


def stored_as(o, kernel):
    """The same matrices as that kernel meets them: with what its format pads."""
    padding = padding_name(kernel)
    o = {**o, "nonzeros": o["entries"] * (PADDING[padding](o) if padding in PADDING else 1)}
    o["bytes"] = 12 * o["nonzeros"] + 4 * o["rows"] + 8 * (o["rows"] + o["cols"])
    o["ideal"] = o["bytes"] / o["bandwidth"]
    o["y"] = np.log(o["seconds"] / o["ideal"])
    return o


def join(parts):
    return {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}


def take(o, which):
    return {k: v[which] for k, v in o.items()}


def features(o):
    """Dimensionless ratios of the matrix to the machine."""
    log = np.log
    cache = o["last_cache"] + o["units"] * o["near_cache"]
    return np.array([
        log(o["bytes"] / cache), log(o["window"] / o["last_cache"] + 1e-4), log(8 * o["cols"] / o["last_cache"]),
        log(o["row_mean"] + 0.5), log(o["row_std"] / (o["row_mean"] + 0.1) + 0.03), np.sqrt(log(1 + o["row_skew"])),
        o["lone"], o["alike"], o["bandwidth_scaled"], log(o["longest"] * o["units"] / o["nonzeros"] + 0.01),
        log(5e-6 / o["ideal"]), log(o["rows"] / o["core"] / o["ideal"]),
        log(o["longest"] / o["clock"] / o["ideal"] + 1e-9),
        log(o["nonzeros"] * (o["lone"] + 0.02) / (2 * o["core"]) / o["ideal"]), log(o["last_cache"] / o["units"])]).T
