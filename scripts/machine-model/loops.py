"""What a loop over rows takes on any number of threads: seconds as positive terms over a description and where threads
lie, and their fit. src/forecast/machines/loop_terms.cpp computes the same.

Prices are common to all machines. While fitting, the cores and the memory of every table reach their own share of what
the description promises, drawn to 1; a machine that was never measured has 1."""
import csv
import gzip
import json
import math

import numpy as np
from scipy.optimize import least_squares

import shipped
import tables

CONSTANTS = shipped.constants()
(NEAR,), (SOCKETS,) = CONSTANTS["near_memory"], CONSTANTS["sockets_apart"]
(CHAIN,), (STEEPEST,) = CONSTANTS["usual_fma_cycles"], CONSTANTS["most_overlapped"]
SLOWEST = CONSTANTS["slowest_of_equal_rows"]
(UNEVEN,), (QUARTILES,) = CONSTANTS["uneven_of_variation"], CONSTANTS["quartiles_of_variation"]

# Folders of plain loops: description, threads, how they lie.
LOOPS = {"epyc-7742-1": ("amd-epyc-7742", 1, "close"), "epyc-7742-16": ("amd-epyc-7742", 16, "close"),
         "xeon-e5-2695v4-1": ("intel-xeon-e5-2695-v4", 1, "spread"),
         "xeon-e5-2695v4-36": ("intel-xeon-e5-2695-v4", 36, "spread")}
PLAIN = "csr-naive"

# name: where its logarithm begins and how far it may go. Common to all kernels.
COMMON = dict(
    launch_power=(math.log(.5), .1), predicted_rows=(math.log(1e4), 1), uneven=(math.log(.3), .5),
    next_cache=(math.log(16), .5), core_stream=(math.log(12e9), .3), reached=(math.log(.75), .15),
    steep=(.7, .3), place=(math.log(1), .4), irregular=(math.log(.03), .7), irregular_uneven=(math.log(.15), .7),
    next_gather=(math.log(8e-9), .5), memory_gather=(math.log(25e-9), .5), together=(math.log(2), .5),
    waits=(math.log(.1), .5), overlap_length=(math.log(10), .5), row_lines=(math.log(.25), 1))
# A kernel's own: of starting, an entry (of a chain: in latencies of a multiply-add), a row, a row predicted wrongly, how
# much of an entry overlaps where rows are short, what a known share of lone entries counts.
OWN = dict(launch=(math.log(1.25e-6), .3), entry=(math.log(.91), .05), row=(math.log(4), .4),
           mispredicted=(math.log(15), .5), overlap=(math.log(.4), .5), lone=(math.log(.8), .5))
# Of kernels that sum many entries at once an entry is told in cycles.
OWN_FREE = {**OWN, "entry": (math.log(2), .7), "row": (math.log(6), .7), "lone": (math.log(.5), .7)}
NAMES, OWN_NAMES = list(COMMON), list(OWN)
SHARE = .2 / 3  # what a table's cores and memory are drawn to 1 with (logarithms)


class Team:
    """Threads on a machine, as described: what they have together and each alone."""

    def __init__(self, description, threads, places="spread"):
        d = description.get("properties", description)
        cores, sockets = d["compute_units"], max(1, d.get("sockets", 1))
        a_socket = max(1, cores // sockets)
        self.threads = threads
        self.clock = math.sqrt(d["clock_hz"] * (d.get("base_clock_hz", 0) or d["clock_hz"]))
        close = places == "close"
        self.sockets = min(sockets, math.ceil(threads / a_socket) if close else threads)
        caches = sorted(d["caches"], key=lambda c: c["level"])
        last, inner = caches[-1], caches[:-1]
        groups = math.ceil(cores / last["shared_by"])
        self.last_cache = last["size_bytes"] * (min(groups, math.ceil(threads / last["shared_by"]) if close else threads))
        self.own_last = last["size_bytes"]
        self.near_cache = inner[-1]["size_bytes"] / inner[-1]["shared_by"] if inner else (
            last["size_bytes"] / last["shared_by"])
        memories = min(max(sockets, d.get("numa_domains", 1)), round(sockets / NEAR))
        share = min(1, max(threads / a_socket, NEAR)) if close else 1
        self.memory = d["memory_bandwidth"] * min(share / sockets, 1 / memories)  # where one thread touched it all first
        self.memories = min(memories, math.ceil(threads * memories / cores) if close else threads)
        self.chain = d.get("limits", {}).get("fma_cycles", CHAIN)


def described(name):
    return json.loads((tables.ROOT / "profiles/devices" / f"{name}.json").read_text())


def read(path, kernel):
    with gzip.open(path, "rt") as lines:
        rows = [r for r in csv.DictReader(lines, delimiter="\t") if r["kernel"] == kernel]
    return {k: np.array([r[k] for r in rows]) if k in ("matrix", "kind", "kernel", "twin_of") else
            np.array([float(r[k] or "nan") for r in rows]) for k in (rows[0] if rows else [])}


def of_team(o, team):
    n = len(o["rows"])
    return {**o, **{k: np.full(n, float(v)) for k, v in vars(team).items()}}


def plain(columns, team):
    """Of a table with quartiles of row lengths and without places of entries."""
    mean = np.maximum(columns["row_mean"], 1e-9)
    cv = np.sqrt(np.maximum(0, columns["row_variance"])) / mean
    o = {"rows": np.maximum(1, columns["rows"]), "cols": np.maximum(1, columns["cols"]),
         "nonzeros": np.maximum(1, columns["nonzeros"]), "cv": cv, "longest": columns["row_max"],
         "uneven": (columns["row_q3"] - columns["row_q1"]) / mean + UNEVEN * np.minimum(cv, 1),
         "lone": np.full(len(mean), np.nan), "window": 8 * np.maximum(1, columns["cols"]),
         "seconds": columns["seconds"], "matrix": columns["matrix"]}
    return of_team(with_bytes(o), team)


def with_features(o, team):
    """Of a table of the other kind, as tables.observations() has it."""
    cv = o["row_std"] / np.maximum(o["row_mean"], 1e-9)
    out = {k: o[k] for k in ("rows", "cols", "nonzeros", "longest", "window", "seconds", "matrix")}
    out.update(cv=cv, uneven=cv / (1 + cv / QUARTILES) + UNEVEN * np.minimum(cv, 1), lone=o["lone"] * (1 - o["alike"]))
    return of_team(with_bytes(out), team)


def with_bytes(o):
    return {**o, "bytes": 12 * o["nonzeros"] + 4 * o["rows"] + 8 * (o["rows"] + o["cols"])}


def rise(z):
    return 1 / (1 + np.exp(-np.clip(z, -60, 60)))


def slowest(o):
    """How much more than the mean the slowest of equal shares of rows holds, as far as moments of the lengths tell."""
    middle, power, most, of_threads = SLOWEST
    heavy = o["cv"] ** power / (o["cv"] ** power + middle ** power)
    s = 1 + np.maximum(0, most * o["threads"] ** of_threads - 1) * heavy
    return np.where(o["threads"] > 1,
                    np.maximum(s, np.minimum(o["threads"], o["longest"] * o["threads"] / o["nonzeros"])), 1)


def terms(o, common, own, chain, deals, cores=0., memory=0.):
    """launch, stream, cache, x from memory, x gather, rows, longest row, instructions; they add up to the time."""
    c, k = ({n: np.exp(v) for n, v in zip(names, p)} for names, p in ((NAMES, common), (OWN_NAMES, own)))
    t = o["threads"]
    launch = np.where(t > 1, k["launch"] * t ** c["launch_power"] * SOCKETS ** (o["sockets"] - 1), 0)
    uneven = slowest(o) if deals else 1.
    uneven = uneven + np.where(t > 1, c["waits"] * (1 - 1 / t), 0)
    entries, rows = o["nonzeros"] / t, o["rows"] / t
    forgotten = o["rows"] / (o["rows"] + c["predicted_rows"] * t) * o["uneven"] / (o["uneven"] + c["uneven"])
    overlap = np.minimum(STEEPEST, k["overlap"]) * c["overlap_length"] / (c["overlap_length"] + entries / rows)
    speed = o["clock"] * np.exp(cores)
    instructions = entries * k["entry"] * (o["chain"] if chain else 1) * (1 - overlap) / speed
    of_rows = rows * (k["row"] + forgotten * k["mispredicted"]) / speed
    steep = c["steep"]
    beyond = rise(steep * (np.log(o["bytes"] / (t * o["near_cache"] + o["last_cache"])) - np.log(c["place"])))
    beyond_near = rise(steep * (np.log(o["bytes"] / (t * o["near_cache"])) - np.log(c["place"])))
    reached = o["memory"] * c["reached"] * (1 if chain else o["memories"] / o["sockets"])
    stream = beyond * o["bytes"] * np.maximum(1 / (t * c["core_stream"]), 1 / reached) * np.exp(memory)
    cache = beyond_near * o["bytes"] / t / (c["next_cache"] * o["clock"])
    guess = c["irregular"] + c["irregular_uneven"] * o["uneven"] / (o["uneven"] + c["uneven"])
    guess = np.minimum(1, guess + c["row_lines"] * o["rows"] / o["nonzeros"])
    irregular = np.where(np.isnan(o["lone"]), guess, k["lone"] * np.nan_to_num(o["lone"]))
    x_near = rise(steep * np.log(o["window"] / o["near_cache"]))
    x_far = rise(steep * np.log(o["window"] / o["own_last"])) * np.minimum(1, 2 * beyond)
    gather = entries * irregular * (x_near * c["next_gather"] + x_far * c["memory_gather"])
    x_memory = o["nonzeros"] * irregular * x_far * 64 / reached
    work = instructions + of_rows
    together = 1 + c["together"]
    side = [work * uneven, cache * uneven, stream + x_memory]
    total = sum(s ** together for s in side)
    body = total ** (1 / together)
    w, h, m = (body * s ** together / total for s in side)
    return np.array([launch + 0 * body, m * stream / (stream + x_memory + 1e-30), h,
                     m * x_memory / (stream + x_memory + 1e-30), gather, w * of_rows / work / uneven,
                     w * (1 - 1 / uneven) + gather * (uneven - 1), w * instructions / work / uneven])


def seconds(o, *arguments, **shares):
    return terms(o, *arguments, **shares).sum(0)


def start_of(prices, names):
    return np.array([prices[n][0] for n in names]), np.array([prices[n][1] for n in names])


def residuals(o, forecast):
    """Relative errors, those of short products half."""
    weight = np.sqrt(400 / len(o["seconds"])) / .25 * np.where(o["nonzeros"] < 1e3, .5, 1)
    return weight * np.expm1(np.clip(np.log(forecast / o["seconds"]), -5, 3))


def fit(teams):
    """Common prices and those of the plain loop."""
    start, width = (np.r_[a, b] for a, b in zip(start_of(COMMON, NAMES), start_of(OWN, OWN_NAMES)))
    m = len(NAMES)

    def off(p):
        shares = p[len(start):].reshape(-1, 2)
        return np.concatenate([residuals(o, seconds(o, p[:m], p[m:len(start)], True, True, cores=s[0], memory=s[1]))
                               for o, s in zip(teams, shares)] +
                              [(p[:len(start)] - start) / width * 3, p[len(start):] / SHARE])
    at = least_squares(off, np.r_[start, np.zeros(2 * len(teams))], loss="soft_l1", f_scale=.5, max_nfev=30).x
    return np.round(at[:m], 4), np.round(at[m:len(start)], 4)


def fit_own(teams, common):
    """A kernel's own prices, on those that are common."""
    start, width = start_of(OWN_FREE, OWN_NAMES)

    def off(p):
        shares = p[len(start):].reshape(-1, 2)
        return np.concatenate([residuals(o, seconds(o, common, p[:len(start)], False, False, cores=s[0], memory=s[1]))
                               for o, s in zip(teams, shares)] +
                              [(p[:len(start)] - start) / width * 3, p[len(start):] / SHARE])
    at = least_squares(off, np.r_[start, np.zeros(2 * len(teams))], loss="soft_l1", f_scale=.5, max_nfev=30).x
    return np.round(at[:len(start)], 4)
