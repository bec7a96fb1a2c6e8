"""The times of sparse products as Guo, Wang & Chen (IEEE TPDS 25(5), 2014) and Wang & Gu & Li (JCC 5(6), 2017) tell
them, and the best cut into row blocks by trying all cuts.

A benchmark record is (I, P, T): strips, non-zeros per row, seconds. The papers leave some things open: the number of
strips of relationship 1, the row length of relationship 2 or 3, the benchmark matrix M. They are arguments here.
"""

import collections
import itertools

MOST_THREADS_PER_BLOCK = 1024  # where the papers' CSR kernels have two lines (3.5.1; 3.2.1)
MODE_KERNELS = ("csr", "csr-vector", "csr-half")  # P is the mode of the row lengths; of all others the maximum


def line(points):
    """Least squares by the normal equations, about the mean: (slope, intercept)."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points))
    return slope, mean_y - slope * mean_x


def at(one_line, x):
    return one_line[0] * x + one_line[1]


def strip(properties, kernel, threads):
    """S: rows (of COO: non-zeros) that the device handles at once (Guo 3.1, table 2; Wang's formulas 1 to 3)."""
    if properties["kind"] == "host":  # of our own: what a round of chunks takes
        return threads * properties["rows_per_chunk"]
    units = properties["compute_units"]
    if kernel == "csr-vector":
        return units * properties["warps_per_unit"]
    if kernel == "csr-half":
        return units * 2 * properties["warps_per_unit"]
    return units * properties["threads_per_unit"]


def strips(amount, size):
    """A begun strip counts whole (3.4.1)."""
    return -(-amount // size)


def mode(lengths):
    """The commonest row length; of several the least."""
    counted = collections.Counter(lengths)
    return min(length for length in counted if counted[length] == max(counted.values()))


def hyb_width(lengths):
    """Bell & Garland: the largest K such that at least max(4096, rows / 3) rows have K or more non-zeros."""
    counted = collections.Counter(lengths)
    least = max(4096, len(lengths) / 3)
    return max((k for k in counted if sum(rows for length, rows in counted.items() if length >= k) >= least), default=0)


def beside(records, row_length):
    """Those on the same side of the most threads per block, which itself, of neither side in the papers, ends both."""
    if row_length > MOST_THREADS_PER_BLOCK:
        return [r for r in records if r[1] >= MOST_THREADS_PER_BLOCK]
    return [r for r in records if r[1] <= MOST_THREADS_PER_BLOCK]


def csr(records, i0, p0, fixed_i, fixed_p):
    """3.5.1: T0 = E(P0) / T2 * E'(I0), M being the benchmark matrix of fixed_i strips and fixed_p per row."""
    records = beside(records, p0)
    of_length = line([(p, t) for i, p, t in records if i == fixed_i])
    of_strips = line([(i, t) for i, p, t in records if p == fixed_p])
    (t2,) = (t for i, p, t in records if (i, p) == (fixed_i, fixed_p))
    return at(of_length, p0) / t2 * at(of_strips, i0)


def ell(records, i0, p0, fixed_p):
    """3.5.2: f(I) P + g(I), g(I) = e(I) - f(I) P1 with the P1 at which e was fitted."""
    slopes = [(i, line([(p, t) for j, p, t in records if j == i])[0]) for i in sorted({i for i, _, _ in records})]
    f = at(line(slopes), i0)
    e = at(line([(i, t) for i, p, t in records if p == fixed_p]), i0)
    return f * p0 + e - f * fixed_p


def coo(records, i0):
    """3.5.3: a line in the strips of non-zeros; a record's I is its strips of non-zeros here."""
    return at(line([(i, t) for i, _, t in records]), i0)


def all_answers(kernel, records, i0, p0):
    """What the formula says for every choice that the papers leave open."""
    if kernel in MODE_KERNELS:
        return [csr(records, i0, p0, i, p) for i, p, _ in beside(records, p0)]
    return [ell(records, i0, p0, p) for p in sorted({p for _, p, _ in records})]


def hyb(ell_records, coo_records, i0, lengths, coo_strip):
    """3.5.4: ELL of the width plus COO of what is beyond it, for every choice of ELL's; a width of 0 is COO alone."""
    width = hyb_width(lengths)
    overflow = sum(max(0, length - width) for length in lengths)
    rest = coo(coo_records, strips(overflow, coo_strip)) if overflow else 0.0
    return [part + rest for part in (all_answers("ell", ell_records, i0, width) if width else [0.0])]


def all_cuts(count):
    """Every way to cut strips 1 to `count` into blocks, as lists of (first, last)."""
    for ends in itertools.product([False, True], repeat=count - 1):
        last = [k + 1 for k, end in enumerate(ends) if end] + [count]
        yield list(zip([1] + [k + 1 for k in last[:-1]], last))


def best_cut(count, block_time):
    """Section 4 by trying all 2^(N-1) cuts: the least time, and every cut that has it up to rounding."""
    times = [(sum(block_time(first, last) for first, last in cut), cut) for cut in all_cuts(count)]
    least = min(time for time, _ in times)
    return least, [cut for time, cut in times if time <= least * (1 + 1e-12)]
