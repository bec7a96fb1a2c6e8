"""The time of an iterated product on P processes as Hossain & Saule tell it ("Performance Model of Iterated SpMV for
Distributed System"): the linear model (III.A) and the model from micro-benchmarks (III.C, table I).

A local block is the list of its (row, column) in the order in which they are traversed. The polynomial of the messages
is a cubic in the logarithm of the size: the paper says "polynomial" of size, processes and nodes, and no more.
"""

import collections
import math

INDEX_BYTES, LINE_BYTES = 4, 64


def solve(matrix, right):
    """Gauss elimination with the largest pivot."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k:
                share = rows[i][k] / rows[k][k]
                rows[i] = [a - share * b for a, b in zip(rows[i], rows[k])]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def least_squares(terms, values):
    """Coefficients of the sum over terms that comes nearest to the values: the normal equations."""
    n = len(terms[0])
    return solve([[sum(t[i] * t[j] for t in terms) for j in range(n)] for i in range(n)],
                 [sum(t[i] * v for t, v in zip(terms, values)) for i in range(n)])


# III.A, the linear model: 2D-Uniform partitioning alone.


def linear(runs, rows, nonzeros_per_row):
    """runs: (rows, non-zeros per row, seconds) of random matrices. A line for each number of rows, of least relative
    errors (the paper, which judges by them, does not tell what its regression weighs); between the two numbers of rows
    next to the target's, linear interpolation. None where no two stand around it."""
    lines = {}
    for r in sorted({r for r, _, _ in runs}):
        mine = [(length, seconds) for r1, length, seconds in runs if r1 == r]
        intercept, slope = least_squares([(1 / t, length / t) for length, t in mine], [1.0] * len(mine))
        lines[r] = intercept + slope * nonzeros_per_row
    below, above = [r for r in lines if r <= rows], [r for r in lines if r >= rows]
    if not below or not above:
        return None
    r1, r2 = max(below), min(above)
    return lines[r1] if r1 == r2 else lines[r1] + (lines[r2] - lines[r1]) * (rows - r1) / (r2 - r1)


# III.C.1, core calculation.


def bandwidth(curve, size):
    """The average of the measured points next to a size of data; beyond the first or last that one's."""
    below = [rate for at, rate in zip(curve["bytes"], curve["rate"]) if at < size]
    above = [rate for at, rate in zip(curve["bytes"], curve["rate"]) if at >= size]
    return (below[-1] + above[0]) / 2 if below and above else above[0] if above else below[-1]


def latency(curve, size):
    """Of a random access: a chase through the next larger ring. (The paper says memory; data may fit a cache.)"""
    return next((s for at, s in zip(curve["bytes"], curve["seconds"]) if at >= size), curve["seconds"][-1])


def misses(block, cache_bytes, value_bytes):
    """Reads of x that an LRU cache of lines does not hold, in the second of two traversals: the product is iterated."""
    cache = collections.OrderedDict()
    for _ in range(2):
        missed = 0
        for _, column in block:
            line = column * value_bytes // LINE_BYTES
            if line not in cache:
                missed += 1
                if len(cache) >= cache_bytes // LINE_BYTES:
                    cache.popitem(last=False)
            cache[line] = True
            cache.move_to_end(line)
    return missed


def sequential_bytes(storage, rows, nonzeros, hits, value_bytes):
    """Table I, with hits of irregular accesses among the sequential ones. COO's rows come in order, so that its y, of
    irregular access in the table, hits."""
    if storage == "csr":
        return 2 * rows * INDEX_BYTES + nonzeros * (INDEX_BYTES + value_bytes) + rows * value_bytes + hits * value_bytes
    return nonzeros * (2 * INDEX_BYTES + value_bytes) + nonzeros * value_bytes + hits * value_bytes


def data_bytes(storage, rows, cols, nonzeros, value_bytes):
    """The arrays of table I as they are stored; of x no more than there are accesses to it."""
    pointers = rows + 1 if storage == "csr" else nonzeros
    return (pointers + nonzeros) * INDEX_BYTES + (nonzeros + rows + min(cols, nonzeros)) * value_bytes


def core(storage, block, rows, cols, node, cache_bytes, value_bytes):
    """L_FMA * NNZ, sequential bytes at STREAM's rate for this much data, misses at the latency beyond it."""
    size = data_bytes(storage, rows, cols, len(block), value_bytes)
    missed = misses(block, cache_bytes, value_bytes)
    stream = sequential_bytes(storage, rows, len(block), len(block) - missed, value_bytes)
    curve = next(c for c in node["bandwidth"] if c["value_bytes"] == value_bytes)
    return (node["fma_s"] * len(block) + stream / bandwidth(curve, size) + missed * latency(node["latency"], size))


# III.C.2, communication.


def message(measured, size):
    """measured: (bytes, seconds) of one kind of message between as many processes on as many nodes, whose terms add a
    constant. Sizes between the least and the largest that were measured, seconds never below the least."""
    size = min(max(size, min(s for s, _ in measured)), max(s for s, _ in measured))
    terms = [[(math.log(s) / 10) ** k for k in range(4)] for s in [size, *(s for s, _ in measured)]]
    coefficients = least_squares(terms[1:], [math.log(seconds) for _, seconds in measured])
    return max(math.exp(sum(c * t for c, t in zip(coefficients, terms[0]))), min(t for _, t in measured))
