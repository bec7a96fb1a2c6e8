"""Forecasts in front of an auto-tuner: measure the configurations that are forecast to be fast, learn from what is
measured, and stop when none of the rest is likely to be faster.

``forecast_space`` ranks a tuning problem by ``sparsecast kernel --space``. ``measure_in_order`` measures a ranking with
any function; ``ForecastStrategy`` does the same within Kernel Tuner, as its ``strategy``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist

from ._native import _core

__all__ = ["ForecastStrategy", "forecast_space", "measure_in_order"]

Entry = Mapping[str, Any]


def forecast_space(
    source: str | PathLike[str],
    space: str | PathLike[str],
    *,
    device: str,
    top: int = 10,
    define: Iterable[str] = (),
    **others: Any,
) -> _core.KernelSpace:
    """The fastest configurations of a tuning problem (T1), by forecast.

    Returns
    -------
    KernelSpace
        By key as in the document of `sparsecast kernel --space`; its ``ranking`` is what the rest of this module
        takes. `others`: further fields of the request, such as ``forecasts`` and ``within_s``.

    Examples
    --------
    Some minutes of forecasts, and nothing runs on the device:

    >>> found = forecast_space("convolution.cu", "convolution.T1.json",
    ...                        device="nvidia-a100")  # doctest: +SKIP
    >>> found["ranking"][0]["configuration"]  # doctest: +SKIP
    """
    return _core.kernel_space(
        lambda line: print(line, file=sys.stderr),
        None,
        file=fspath(source),
        space=fspath(space),
        device=device,
        top=top,
        defines=list(define),
        **others,
    )


def _coordinates(configurations: Sequence[tuple[Any, ...]]) -> np.ndarray:
    """A point a configuration, from 0 to 1: by logarithms where all values are positive numbers, else by rank."""
    columns = []
    for column in zip(*configurations):
        values = sorted(set(column), key=lambda v: (isinstance(v, str), v))
        positive = all(isinstance(v, (int, float)) and v > 0 for v in values)
        at = {v: np.log2(v) if positive else float(i) for i, v in enumerate(values)}
        columns.append([(at[v] - at[values[0]]) / ((at[values[-1]] - at[values[0]]) or 1) for v in column])
    return np.array(columns).T


_own, _noise, _length = 0.2, 0.05, 1.2  # deviations of a forecast and of a measurement; range of coordinates: 1


def _alike(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    r = np.sqrt(5) * cdist(a, b) / _length  # Matérn 5/2
    return (1 + r + r * r / 3) * np.exp(-r)


def _expected(points: np.ndarray, forecasts: np.ndarray, at: list[int], logs: np.ndarray) -> tuple[np.ndarray, ...]:
    """Mean and deviation of all logarithms of times, by a Gaussian process over what those measured are off by."""
    if not at:
        return forecasts, np.full(len(forecasts), _own)
    off = logs - forecasts[at]
    middle = np.median(off)
    near = _alike(points[at], points)
    back = cho_solve(cho_factor(_alike(points[at], points[at]) + (_noise / _own) ** 2 * np.eye(len(at))), near)
    mean = forecasts + middle + (off - middle) @ back
    return mean, _own * np.sqrt(np.maximum(1 - (near * back).sum(0), 0))


def measure_in_order(
    ranking: Sequence[Entry],
    measure: Callable[[Mapping[str, Any]], float | None],
    *,
    most: int | None = None,
    space: Sequence[Mapping[str, Any]] | None = None,
) -> list[tuple[dict[str, Any], float]]:
    """Measures what may be fastest until nothing is left that may be faster (95 %).

    What is measured moves the forecasts of configurations like it; next is the one with the lowest expectation less a
    standard deviation.

    Parameters
    ----------
    ranking : sequence
        Entries with ``configuration`` and ``seconds``, as in a document of `sparsecast kernel --space`.
    measure : callable
        Seconds of a configuration; None where it does not run.
    most : int, optional
        Measurements at most.
    space : sequence, optional
        All configurations; those that the ranking lacks are taken to be as slow as its last, until what is measured
        says otherwise. Otherwise those of the ranking. ValueError where the ranking has none of them.

    Returns
    -------
    list
        (configuration, seconds) in the order in which they were measured.

    Examples
    --------
    >>> ranking = [{"configuration": {"a": 1}, "seconds": 1.0}, {"configuration": {"a": 2}, "seconds": 2.0}]
    >>> measure_in_order(ranking, lambda configuration: 1.1 * configuration["a"])
    [({'a': 1}, 1.1)]
    """
    configurations = [dict(c) for c in (space or [entry["configuration"] for entry in ranking])]
    keys = [tuple(c.values()) for c in configurations]
    known = {tuple(e["configuration"].get(n) for n in configurations[0]): e["seconds"] for e in ranking}
    slowest = max((known[key] for key in keys if key in known), default=0)
    if not slowest > 0:
        raise ValueError("no configuration of the ranking is in the space: is it of the same problem?")
    points, forecasts = _coordinates(keys), np.log([known.get(key, slowest) for key in keys])
    left, at = np.ones(len(keys), bool), list[int]()
    measured: list[tuple[dict[str, Any], float]] = []
    while left.any() and (most is None or len(keys) - left.sum() < most):
        logs = np.log([seconds for _, seconds in measured])
        mean, deviation = _expected(points, forecasts, at, logs)
        if at and np.min((mean - 1.645 * deviation)[left]) > min(logs):
            break
        chosen = int(np.argmin(np.where(left, mean - deviation, np.inf)))
        left[chosen] = False
        if (seconds := measure(configurations[chosen])) is not None:
            at.append(chosen)
            measured.append((configurations[chosen], seconds))
    return measured


class ForecastStrategy:
    """A strategy for Kernel Tuner's ``tune_kernel(strategy=...)`` and ``tune_cache``: `measure_in_order` of its space.

    Its times are milliseconds, the ranking's seconds; ``strategy_options={"max_fevals": k}`` bounds how many.

    Parameters
    ----------
    ranking : sequence
        As for `measure_in_order`.

    Examples
    --------
    >>> strategy = ForecastStrategy([{"configuration": {"a": 1}, "seconds": 1.0}])
    >>> len(strategy.ranking)
    1
    """

    def __init__(self, ranking: Sequence[Entry]) -> None:
        self.ranking = list(ranking)

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> list[dict[str, Any]]:
        """What Kernel Tuner calls."""
        from kernel_tuner.strategies.common import CostFunc
        from kernel_tuner.util import StopCriterionReached

        cost = CostFunc(searchspace, tuning_options, runner, snap=False)
        space = [dict(zip(searchspace.tune_params, values)) for values in searchspace.list]

        def measure(configuration: Mapping[str, Any]) -> float | None:
            milliseconds = cost.eval(list(configuration.values()))
            return milliseconds / 1e3 if milliseconds < 1e300 else None

        try:
            measure_in_order(self.ranking, measure, space=space)
        except StopCriterionReached:
            pass
        return cost.get_results()
