"""Pictures of forecasts, measurements and matrices, by matplotlib.

Every function takes an ``ax`` to draw into, makes one where there is none, and returns it; times have logarithmic axes
with units. The figures stand in a paper as they are: one column wide, readable in grey.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from ._matrix import lend
from ._tables import Evaluation, Forecasts, Measurements

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["break_even", "errors", "forecast", "parts", "roofline", "row_lengths", "spy"]

_WIDTH = 3.5  # inches: a column of a journal
_BLUE, _ORANGE, _GREY = "#0b5394", "#d9730d", "#8a8a8a"
_SERIES = ["#0b5394", "#d9730d", "#4c9a6a", "#8e63ab", "#b8860b", "#5f7c8a", "#a94442", "#8a8a8a"]


def _axes(ax: Axes | None, height: float = 2.4) -> Axes:
    if ax is not None:
        return ax
    figure, ax = plt.subplots(figsize=(_WIDTH, height), layout="constrained")
    for item in (ax.xaxis.label, ax.yaxis.label):
        item.set_fontsize(9)
    ax.tick_params(labelsize=8)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _seconds(axis: Any) -> None:
    """A logarithmic axis of seconds."""
    low, high = sorted(axis.get_view_interval())
    if high < 30 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(EngFormatter("s"))
    axis.set_minor_formatter(NullFormatter())


def forecast(forecasts: Forecasts, measured: Measurements | None = None, *, ax: Axes | None = None) -> Axes:
    """Every kernel's forecast with its 90 % interval, and what it took where that was measured.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> table, truth = sparsecast.forecast(A), sparsecast.measure(A, kernels=["csr"])
    >>> ax = sparsecast.plot.forecast(table, truth)
    >>> len(ax.get_yticks()) == len(table)
    True
    """
    rows = list(forecasts)
    ax = _axes(ax, 0.6 + 0.2 * len(rows))
    at = np.arange(len(rows))[::-1]
    seconds = np.array([row["seconds"] for row in rows])
    low, high = (np.array([row[name] for row in rows]) for name in ("low_s", "high_s"))
    look: dict[str, Any] = {"fmt": "o", "color": _BLUE, "ms": 4, "lw": 1, "capsize": 2}
    ax.errorbar(seconds, at, xerr=[seconds - low, high - seconds], label="forecast, 90 % interval", **look)
    if measured is not None:
        times = {row["kernel"]: row["seconds"] for row in measured if row["seconds"]}
        known = [(times[row["kernel"]], y) for row, y in zip(rows, at) if row["kernel"] in times]
        ax.plot(*zip(*known), "x", color=_ORANGE, ms=5, label="measured") if known else None
    ax.set(xscale="log", xlabel="time of a product")
    ax.set_yticks(at, [row["kernel"] for row in rows])
    _seconds(ax.xaxis)
    ax.grid(axis="x", lw=0.4, alpha=0.5)
    if measured is not None:
        ax.legend(fontsize=7, frameon=False)
    return ax


def parts(forecasts: Forecasts, *, ax: Axes | None = None) -> Axes:
    """Where the time of every kernel goes.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> ax = sparsecast.plot.parts(sparsecast.forecast(A))
    >>> ax.get_xlabel()
    'forecast time of a product'
    """
    rows = [row for row in forecasts if row.get("parts")]
    ax = _axes(ax, 0.8 + 0.2 * len(rows))
    at = np.arange(len(rows))[::-1]
    names = list(dict.fromkeys(part["name"] for row in rows for part in row["parts"]))
    left = np.zeros(len(rows))
    for name, color in zip(names, _SERIES * (1 + len(names) // len(_SERIES))):
        of = np.array([sum(part["seconds"] for part in row["parts"] if part["name"] == name) for row in rows])
        ax.barh(at, of, left=left, color=color, height=0.7, label=name)
        left += of
    ax.set_yticks(at, [row["kernel"] for row in rows])
    ax.set_xlabel("forecast time of a product")
    ax.xaxis.set_major_formatter(EngFormatter("s"))
    ax.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def roofline(
    forecasts: Forecasts,
    measured: Measurements | None = None,
    *,
    bandwidth: float,
    peak: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """GFLOP/s over the flops per byte of each kernel's format, under the roof of a bandwidth (bytes/s) and, where it is
    given, of a peak (flop/s).

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> ax = sparsecast.plot.roofline(sparsecast.forecast(A), bandwidth=20e9)
    >>> ax.get_ylabel()
    'GFLOP/s'
    """
    ax = _axes(ax)
    nonzeros = forecasts.document["matrix"]["nonzeros"]
    rows = [row for row in forecasts if row["bytes"]]
    intensity = {row["kernel"]: 2 * nonzeros / row["bytes"] for row in rows}
    reach = np.array([0.5 * min(intensity.values()), 2 * max(intensity.values())]) if rows else np.array([0.05, 0.5])
    line = np.geomspace(reach[0], reach[1], 50)
    roof = bandwidth * line if peak is None else np.minimum(bandwidth * line, peak)
    ax.plot(line, roof / 1e9, color=_GREY, lw=1, label=f"{bandwidth / 1e9:.3g} GB/s")
    ax.plot(list(intensity.values()), [row["gflops"] for row in rows], "o", color=_BLUE, ms=4, label="forecast")
    if measured is not None:
        known = [
            (intensity[row["kernel"]], row["gflops"])
            for row in measured
            if row["gflops"] and row["kernel"] in intensity
        ]
        ax.plot(*zip(*known), "x", color=_ORANGE, ms=5, label="measured") if known else None
    ax.set(xscale="log", yscale="log", xlabel="flops per byte of the format", ylabel="GFLOP/s")
    ax.legend(fontsize=7, frameon=False)
    return ax


def row_lengths(structure: dict[str, Any], *, ax: Axes | None = None) -> Axes:
    """How many rows have how many non-zeros; `structure` as of :func:`sparsecast.structure`.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> ax = sparsecast.plot.row_lengths(sparsecast.structure(A))
    >>> ax.get_ylabel()
    'rows'
    """
    ax = _axes(ax)
    lengths, rows = np.array(structure["row_histogram"]).reshape(-1, 2).T
    ax.vlines(lengths, 0.5, rows, color=_BLUE, lw=1.5 if len(lengths) < 60 else 0.8)
    ax.set(yscale="log", xlabel="non-zeros of a row", ylabel="rows")
    ax.set_ylim(bottom=0.5)
    if lengths.size and lengths.max() > 200:
        ax.set_xscale("symlog", linthresh=10)
    return ax


def spy(A: Any, *, size: int = 256, ax: Axes | None = None) -> Axes:
    """Where the non-zeros are: their density in a raster of at most `size` by `size` cells, so that large matrices are
    drawn in one pass.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> ax = sparsecast.plot.spy(A)
    >>> ax.get_xlabel()
    '1,000 columns'
    """
    ax = _axes(ax, _WIDTH)
    A = lend(A).matrix
    rows, cols = A.shape
    down, across = max(1, min(size, rows)), max(1, min(size, cols))
    row_of = np.repeat(np.arange(rows, dtype=np.int64), np.diff(A.indptr))
    cells = row_of * down // max(rows, 1) * across + A.indices[: row_of.size].astype(np.int64) * across // max(cols, 1)
    counts = np.bincount(cells, minlength=down * across).reshape(down, across)
    shown = np.ma.masked_equal(counts, 0)
    ax.imshow(shown, cmap="Blues", norm="log" if counts.max() > 1 else None, extent=(0, cols, rows, 0), aspect="auto",
              interpolation="nearest", vmin=0.3)  # fmt: skip
    ax.set(xlabel=f"{cols:,} columns", ylabel=f"{rows:,} rows")
    for side in ("top", "right"):
        ax.spines[side].set_visible(True)
    return ax


def break_even(forecasts: Forecasts, *, most: int = 10_000, against: str = "csr", ax: Axes | None = None) -> Axes:
    """The time of so many products, conversion included, over that of the kernel that needs none: below 1 it has
    paid.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> ax = sparsecast.plot.break_even(sparsecast.forecast(A))
    >>> ax.get_xlabel()
    'products'
    """
    ax = _axes(ax)
    products = np.unique(np.geomspace(1, most, 200).astype(int))
    plain = forecasts[against]
    base = (plain["preprocess_s"] or 0) + products * plain["seconds"]
    shown = [row for row in forecasts if row["kernel"] != against and row["preprocess_s"] is not None][:7]
    for row, color in zip(shown, _SERIES):
        ax.plot(
            products, (row["preprocess_s"] + products * row["seconds"]) / base, color=color, lw=1.2, label=row["kernel"]
        )
    ax.axhline(1, color=_GREY, lw=0.8, ls="--")
    ax.set(xscale="log", yscale="log", xlabel="products", ylabel=f"time over that of {against}")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.legend(fontsize=7, frameon=False)
    return ax


def errors(evaluation: Evaluation, *, model: str = "sparsecast", ax: Axes | None = None) -> Axes:
    """How far forecasts were off: a histogram of predicted over measured.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> ax = sparsecast.plot.errors(sparsecast.evaluate([A], kernels=["csr"], model="sparsecast"))
    >>> ax.get_xlabel()
    'forecast / measured'
    """
    ax = _axes(ax)
    ratios = [
        case["predicted_s"] / case["measured_s"]
        for case in evaluation.cases
        if case["model"] == model and case["predicted_s"] and case["measured_s"]
    ]
    reach = max(2.0, *(max(ratio, 1 / ratio) for ratio in ratios)) if ratios else 2.0
    ax.hist(ratios, bins=list(np.geomspace(1 / reach, reach, 25)), color=_BLUE)
    ax.axvline(1, color=_GREY, lw=0.8, ls="--")
    ax.set(xscale="log", xlabel="forecast / measured", ylabel="products")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    return ax
