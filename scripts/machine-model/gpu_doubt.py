"""What tells how wide the interval of a kernel is on a device that nobody measured: what its forecasts were off by on
devices left out. src/forecast/machines/gpu_reach.cpp makes intervals of it."""
import numpy as np

INSIDE, LEAST_REACH, DECADES, FEW = .9, .02, 5, 25
NORMAL_HALF = .6745  # half of a normal distribution is within so many deviations


def decade(nonzeros):
    return np.clip(np.floor(np.log10(np.maximum(1, nonzeros))) - 3, 0, DECADES - 1).astype(int)


def quantile(values, q):
    values = np.sort(values)
    return float(values[int(np.clip(q * (len(values) + 1) - 1, 0, len(values) - 1))])


def cells(left, nonzeros, device, kernel):
    """By kernel and device an array of decades × (median, reach below it, reach above it) of log(measured / forecast);
    a decade of few products has what all of the kernel's on that device show."""
    out, of = {}, decade(nonzeros)
    for k, d in sorted(set(zip(kernel, device))):
        these = (kernel == k) & (device == d)
        if these.sum() < FEW:
            continue
        rows = []
        for e in range(DECADES):
            values = left[these & (of == e)]
            values = values if len(values) >= FEW else left[these]
            middle = np.median(values)
            rows.append((middle, middle - quantile(values, (1 - INSIDE) / 2),
                         quantile(values, (1 + INSIDE) / 2) - middle))
        out.setdefault(k, {})[d] = np.array(rows)
    return out


def reaches(left, nonzeros, device, kernel):
    """By kernel on how many devices it was judged, and by decade the mean squares of a device's median and of what its
    products reach to both sides of that. Under "" what kernels have in common: medians, which no odd kernel moves."""
    of = cells(left, nonzeros, device, kernel)
    every = np.array([rows for by in of.values() for rows in by.values()])
    common = np.median(np.abs(every), axis=0) / (NORMAL_HALF, 1, 1)
    shown = {"": (0, common ** 2)}
    shown.update({k: (len(by), np.mean(np.square(list(by.values())), axis=0)) for k, by in sorted(of.items())})
    return {k: {"devices": n, "medians": np.round(squares[:, 0], 5).tolist(),
                "products": np.round(squares[:, 1:], 5).tolist()} for k, (n, squares) in shown.items()}
