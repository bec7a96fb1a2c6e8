"""Forecasts in front of an auto-tuner: measure the configurations that are forecast to be fast, and stop when none of
the rest can be faster.

``forecast_space`` ranks a tuning problem by ``sparsecast kernel --space``. ``measure_in_order`` measures a ranking with
any function; ``ForecastStrategy`` does the same within Kernel Tuner, as its ``strategy``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

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


def _left(ranking: Sequence[Entry], at: int) -> float:
    """The least time that anything from `at` on may take."""
    return min((entry["low_s"] for entry in ranking[at:]), default=float("inf"))


def measure_in_order(
    ranking: Sequence[Entry],
    measure: Callable[[Mapping[str, Any]], float | None],
    *,
    most: int | None = None,
) -> list[tuple[dict[str, Any], float]]:
    """Measures the fastest forecasts first and stops when the lower bound of all that are left is above the best.

    Parameters
    ----------
    ranking : sequence
        Entries with ``configuration``, ``seconds`` and ``low_s``, as in a document of `sparsecast kernel --space`.
    measure : callable
        Seconds of a configuration; None where it does not run.
    most : int, optional
        Measurements at most.

    Returns
    -------
    list
        (configuration, seconds) in the order in which they were measured.

    Examples
    --------
    >>> ranking = [{"configuration": {"a": 1}, "seconds": 1.0, "low_s": 0.8},
    ...            {"configuration": {"a": 2}, "seconds": 2.0, "low_s": 1.6}]
    >>> measure_in_order(ranking, lambda configuration: 1.1 * configuration["a"])
    [({'a': 1}, 1.1)]
    """
    ordered = sorted(ranking, key=lambda entry: entry["seconds"])
    measured: list[tuple[dict[str, Any], float]] = []
    best = float("inf")
    for at, entry in enumerate(ordered):
        if (most is not None and at >= most) or _left(ordered, at) > best:
            break
        configuration = dict(entry["configuration"])
        seconds = measure(configuration)
        if seconds is not None:
            measured.append((configuration, seconds))
            best = min(best, seconds)
    return measured


class ForecastStrategy:
    """A strategy for Kernel Tuner's ``tune_kernel(strategy=...)`` and ``tune_cache``.

    Times of Kernel Tuner are milliseconds, those of the ranking seconds. ``strategy_options={"max_fevals": k}`` bounds
    the measurements. Configurations that are not in the space are passed over.

    Parameters
    ----------
    ranking : sequence
        As for `measure_in_order`.

    Examples
    --------
    >>> strategy = ForecastStrategy([{"configuration": {"a": 1}, "seconds": 1.0, "low_s": 0.8}])
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
        names = list(searchspace.tune_params)

        def measure(configuration: Mapping[str, Any]) -> float | None:
            values = tuple(
                next((value for value in searchspace.tune_params[name] if value == configuration.get(name)), None)
                for name in names
            )
            if None in values or not searchspace.is_param_config_valid(values):
                return None
            milliseconds = cost.eval(list(values))
            return milliseconds / 1e3 if milliseconds < 1e300 else None

        try:
            measure_in_order(self.ranking, measure)
        except StopCriterionReached:
            pass
        return cost.get_results()
