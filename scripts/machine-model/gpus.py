"""Numbers, terms and features of products on GPUs; see gpu_tables.py."""
import numpy as np

import shipped
from gpu_tables import COO, CSR, ELL, GINKGO, HIPSPARSE, HYB, KERNELS, MERGE, SEARCH, SELL, SHARES, THREADS, WARPS

TERMS = ("stream", "longest row", "rows")
PRIOR = {THREADS: (.3, -.3, 0), WARPS: (.6, .5, 0), SEARCH: (.7, -2, 0), MERGE: (1.2, -2, 0)}
# Cycles of one step of a thread along its row, a load that depends on the one before; products in flight of a unit.
STEP, WIDE_SHARE, MOST_THREADS, ALONE = 400., .01, 32., 32.
SHARED_ROWS = shipped.constants()["shared_rows"]
UNKNOWN_QUARTILE = -9.


def numbers(t, devices):
    """Per row of a table: what the terms are made of."""
    m = {}
    for name, get in (("units", lambda d: d.units), ("clock", lambda d: d.clock), ("bandwidth", lambda d: d.bandwidth),
                      ("cache", lambda d: d.cache), ("warp", lambda d: d.warp),
                      ("generation", lambda d: d.generation), ("sector", lambda d: d.sector),
                      ("wide", lambda d: d.strategy[2])):
        values = {name_: get(d) for name_, d in devices.items()}
        m[name] = np.array([values[d] for d in t["device"]], float)
    work, layout, library = (np.array([KERNELS[k][i] for k in t["does"]]) for i in range(3))
    r, c, n = (np.maximum(t[x], 1.) for x in ("rows", "cols", "nonzeros"))
    mean = n / r
    longest = np.maximum(t["row_max"], 1)
    told = t["ell_bytes"] > 0
    longest[told] = np.minimum(longest, np.round(t["ell_bytes"] / 12 / r))[told]
    told = t["sell_bytes"] > 0
    longest[told] = np.minimum(longest, t["sell_bytes"] / 12 / 64)[told]
    longest = np.maximum(longest, np.ceil(mean))
    cv = t["std"] / mean
    # The longest of 64 lengths drawn alone lies some two deviations above the mean; neighbours are alike.
    drawn = n * (1 + np.minimum(np.minimum(1.4 * cv, longest / mean - 1), 63))
    slots = np.minimum(np.where(told, t["sell_bytes"] / 12, drawn), r * longest)
    slots = np.maximum(slots, n)
    # HYB: rows up to the third quartile as ELL, what is over it as coordinates.
    width = np.where(np.isnan(t["row_q3"]), mean, t["row_q3"])
    quarter = (t["row_min"] + 2 * t["row_q1"] + 2 * t["row_median"] + t["row_q3"]) / 8 + t["row_q3"] / 4
    kept = np.where(np.isnan(t["row_q3"]), mean * (1 - np.minimum(.4 * cv, .9)), np.minimum(quarter, mean))
    split = 12 * r * width + 16 * np.maximum(0, n - r * kept)
    stored = np.select([layout == ELL, layout == SELL, layout == COO, layout == HYB],
                       [12 * r * longest, 12 * slots, 16 * n, split], 12 * n + 4 * r)
    # ELL's threads stop where their row ends: what is moved is what a warp's longest row has.
    moved = np.where(layout == ELL, 12 * slots, stored) + 8 * (r + c)
    # A thread that walks a row of CSR alone shares sectors with its neighbours only where rows are short.
    alone = (work == THREADS) & (layout == CSR)
    of_row = np.where(np.isin(t["does"], SHARES), 1. + (mean >= SHARED_ROWS[0]) + 2 * (mean >= SHARED_ROWS[1]), 1.)
    moved = np.where(alone, moved + n * (2 * m["sector"] / of_row - 12) * np.minimum(1, mean / ALONE), moved)
    lanes = np.minimum(2 ** np.ceil(np.log2(longest)), m["warp"])
    along = np.where(layout == HYB, np.maximum(1, width), longest)
    wide = ((layout == ELL) & (library == GINKGO) | (layout == HYB) & (library != HIPSPARSE)) & (m["wide"] > 0)
    wide &= along / r >= WIDE_SHARE
    of_row = np.select([work == WARPS, wide], [lanes, 2 ** np.floor(np.log2(np.minimum(along, MOST_THREADS)))], of_row)
    # Before Volta, whose first-level cache holds them, each thread of such a row of ELL fetches its sectors alone.
    fetched = wide & (layout == ELL) & (m["generation"] == 0)
    moved = np.where(fetched, np.maximum(moved, 2 * m["sector"] * n + 8 * (r + c)), moved)
    steps = np.where((work == WARPS) | (work == THREADS) | (layout == HYB), np.ceil(along / of_row), 1.)
    threads = r * of_row
    m.update(rows=r, cols=c, nonzeros=n, mean=mean, longest=longest, cv=cv, slots=slots, split=split, stored=stored,
             moved=moved, lanes=lanes, steps=steps, threads=threads, work=work, layout=layout, library=library)
    m["quartiles"] = np.array([t[q] for q in ("row_min", "row_q1", "row_median", "row_q3")])
    m["number"] = np.array([list(KERNELS).index(k) for k in t["does"]], float)
    m["counts"] = np.array([moved / m["bandwidth"], steps * STEP / m["clock"],
                            threads / 32 * 8 / m["units"] / m["clock"]])
    return m


def seconds(m, floor, prices):
    """floor: s per row; prices: logarithms, one row per term."""
    return floor + (np.exp(prices) * m["counts"]).sum(0)


def features(m, floor, base):
    """What trees see: ratios, and how the terms share the time."""
    log = np.log
    r, n = m["rows"], m["nonzeros"]
    quartiles = np.nan_to_num(log(m["quartiles"] + .5), nan=UNKNOWN_QUARTILE)
    return np.array([
        log(n), log(r), log(m["cols"] / r), log(m["mean"]), log(m["longest"]), log(m["longest"] / m["mean"]),
        log(m["longest"] / r), log(m["lanes"] * r / n), *quartiles, log(m["cv"] + .01), log(m["moved"] / (12 * n)),
        log(m["slots"] / n), log(m["split"] / (12 * n)), log(m["steps"]), log(floor / base),
        log(m["counts"][0] / base), log(m["counts"][1] / base), log(m["moved"] / m["cache"]),
        log(8 * m["cols"] / m["cache"]), log(m["threads"] / m["units"]), log(n / m["units"]),
        m["work"] * 8. + m["layout"], m["generation"], m["number"], log(m["bandwidth"] / m["units"] / m["clock"])]).T
