"""Forecasts in front of an auto-tuner: measure the configurations that are forecast to be fast, learn from what is
measured, and stop when none of the rest is likely to be faster.

``forecast_space`` ranks a tuning problem by ``sparsecast kernel --space``. ``measure_in_order`` measures a ranking with
any function; ``ForecastStrategy`` does the same within Kernel Tuner, as its ``strategy``, and ranks the space itself
where it is given a device. ``seeds`` is what other tuners begin with.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist

from ._errors import UsageError
from ._native import _core

__all__ = ["ForecastStrategy", "forecast_space", "measure_in_order", "seeds"]

Entry = Mapping[str, Any]


def _listed(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def forecast_space(
    source: str | PathLike[str],
    space: str | PathLike[str],
    *,
    device: str,
    top: int = 10,
    define: str | Iterable[str] = (),
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
        defines=_listed(define),
        **others,
    )


def _same_names(configurations: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each once, with the parameters in the order of the first, since what follows looks at values alone."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    names: list[str] | None = None
    for given in configurations:
        c = dict(given)
        names = list(c) if names is None else names
        if set(c) != set(names):
            raise UsageError(f"the configuration {c} has other parameters than the first: {', '.join(names)}")
        found.setdefault(tuple(c[name] for name in names), {name: c[name] for name in names})
    return list(found.values())


def _forecasts(ranking: Iterable[Entry]) -> list[tuple[Mapping[str, Any], float]]:
    """The configurations of a ranking and what they are forecast to take, fastest first."""
    # Documents have a configuration as pairs of name and value.
    told = [(dict(entry["configuration"]), _seconds(entry["seconds"])) for entry in ranking]
    if lacking := [c for c, seconds in told if seconds is None]:
        raise UsageError(f"the ranking has no time of {dict(lacking[0])}: give seconds above 0")
    return sorted(((c, seconds) for c, seconds in told if seconds is not None), key=lambda entry: entry[1])


_most_seconds = 1e9  # what is longer marks what did not run: Kernel Tuner's caches have had 1e20


def _seconds(told: Any) -> float | None:
    return float(told) if told is not None and 0 < told < _most_seconds else None


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
        Seconds of a configuration; None, infinity or NaN where it does not run. ValueError for 0 and less.
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
    forecast = _forecasts(ranking)
    configurations = _same_names(space or [c for c, _ in forecast])
    keys = [tuple(c.values()) for c in configurations]
    known = {tuple(c.get(n) for n in configurations[0]): seconds for c, seconds in reversed(forecast)}
    slowest = max((known[key] for key in keys if key in known), default=0)
    if not slowest > 0:
        raise UsageError("no configuration of the ranking is in the space: check that both belong to the same problem")
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
        told = measure(configurations[chosen])
        if told is not None and told <= 0:
            raise UsageError(f"measure gave {told} for {configurations[chosen]}: give seconds, or None where it fails")
        if (seconds := _seconds(told)) is not None:
            at.append(chosen)
            measured.append((configurations[chosen], seconds))
    return measured


def seeds(ranking: Sequence[Entry], most: int = 5, *, apart: float = 0.0) -> list[dict[str, Any]]:
    """Configurations to measure together, for tuners that take a list to begin with.

    The first is the one that is forecast to be fastest. Each further one makes the fastest of all those chosen as fast
    as can be expected: what forecasts are off by goes together for configurations that are alike, so that five
    neighbours tell little more than one. Only the hundred fastest forecasts are looked at.

    Optuna takes each by ``study.enqueue_trial``, Ray Tune all as ``points_to_evaluate``, scikit-optimize their values
    as ``x0``; Kernel Tuner's own strategies take the values of the first as ``strategy_options={"x0": ...}``.

    Parameters
    ----------
    ranking : sequence
        As for `measure_in_order`.
    most : int
        So many at most.
    apart : float
        Passes over a configuration nearer than this to one before it (each parameter's range is 1): near twins are
        mostly equally fast, or equally wrong.

    Examples
    --------
    >>> ranking = [{"configuration": {"a": a}, "seconds": a} for a in (1.0, 1.1, 8.0)]
    >>> seeds(ranking, 2)
    [{'a': 1.0}, {'a': 1.1}]
    >>> seeds(ranking, 2, apart=0.1)
    [{'a': 1.0}, {'a': 8.0}]

    Four twins of one forecast, and another kind that is forecast 4 % slower:

    >>> kinds = [(a, 1.0) for a in (1, 1.01, 1.02, 1.03)] + [(64, 1.04)]
    >>> seeds([{"configuration": {"a": a}, "seconds": s} for a, s in kinds], 2)
    [{'a': 1}, {'a': 64}]
    """
    forecast = _forecasts(ranking)
    in_order = _same_names(c for c, _ in forecast)
    if not in_order or most < 1:
        return []
    points = _coordinates([tuple(c.values()) for c in in_order])
    if not apart:
        known = {tuple(c[n] for n in in_order[0]): seconds for c, seconds in reversed(forecast)}
        seconds = np.array([known[tuple(c.values())] for c in in_order[:_looked_at]])
        of_interest = points[:_looked_at]
        return [in_order[i] for i in _fastest_together(of_interest, seconds, most)]
    chosen = list[int]()
    for i in range(len(in_order)):
        if len(chosen) == most:
            break
        if not chosen or cdist(points[[i]], points[chosen]).min() >= apart:
            chosen.append(i)
    return [in_order[i] for i in chosen]


_looked_at, _draws = 100, 2000


def _fastest_together(points: np.ndarray, seconds: np.ndarray, most: int) -> list[int]:
    """The fastest forecast; then always the one with which the fastest of those so far is expected to be fastest, over
    draws of what forecasts are off by."""
    off = _own**2 * _alike(points, points) + _noise**2 * np.eye(len(points))
    normal = np.random.default_rng(0).standard_normal((len(points), _draws))
    times = seconds[:, None] * np.exp(np.linalg.cholesky(off) @ normal)
    chosen, fastest = [0], times[0]
    while len(chosen) < min(most, len(points)):
        expected = np.minimum(fastest, times).mean(1)
        expected[chosen] = np.inf
        chosen.append(int(np.argmin(expected)))
        fastest = np.minimum(fastest, times[chosen[-1]])
    return chosen


def _directions(names: Sequence[str], parameters: Mapping[str, Any]) -> dict[str, str]:
    """Where no parameter gives the threads of a direction, as many as Kernel Tuner then launches."""
    return {d: n if n in parameters else own for d, n, own in zip("XYZ", names, ("256", "1", "1"))}


def _divisors(given: Any, default: str, parameters: Mapping[str, Any]) -> list[str]:
    """Kernel Tuner's grid_div_x and its like, as expressions whose product divides the problem."""
    if given is None:
        return [default if default in parameters else "1"]
    if callable(given):
        raise UsageError("a function for the grid's divisors cannot be read: give grid=, or a ranking")
    return [str(d) for d in ([given] if isinstance(given, (str, int)) else given)]


def _problem(searchspace: Any, options: Mapping[str, Any], grid: Sequence[str] = ()) -> dict[str, Any]:
    """What Kernel Tuner was given, as a tuning problem whose space is the configurations that it allows."""
    parameters = searchspace.tune_params
    names = options.get("block_size_names") or ["block_size_x", "block_size_y", "block_size_z"]
    kernel: dict[str, Any] = {"KernelName": options["kernel_name"], "LocalSize": _directions(names, parameters)}
    if grid:
        kernel["GlobalSize"] = dict(zip("XYZ", [str(g) for g in grid]))
    else:
        size = options["problem_size"]
        if callable(size):
            raise UsageError("a function for the problem's size cannot be read: give grid=, or a ranking")
        size = [size] if isinstance(size, (str, int, np.integer)) else list(size)
        kernel["ProblemSize"] = [s if isinstance(s, str) else int(s) for s in size]
        for direction, name in zip("XYZ", names):
            kernel[f"GridDiv{direction}"] = _divisors(options.get(f"grid_div_{direction.lower()}"), name, parameters)

    def plain(value: Any) -> Any:
        return value.item() if isinstance(value, np.generic) else value

    listed = [{"Name": n, "Values": [plain(v) for v in values]} for n, values in parameters.items()]
    return {
        "ConfigurationSpace": {
            "TuningParameters": listed,
            "Configurations": [[plain(v) for v in values] for values in searchspace.list],
        },
        "KernelSpecification": kernel,
    }


class ForecastStrategy:
    """A strategy for Kernel Tuner's ``tune_kernel(strategy=...)`` and ``tune_cache``: `measure_in_order` of its space.

    Its times are milliseconds, the ranking's seconds; ``strategy_options={"max_fevals": k}`` bounds how many.

    Parameters
    ----------
    ranking : sequence, optional
        As for `measure_in_order`.
    device : str, optional
        Instead of a ranking: one with a table of kernel times, ``"nvidia-a100"``. The ranking is then made, when tuning
        begins, of all that Kernel Tuner was given: its source, the configurations that its restrictions allow, blocks,
        grid and scalar arguments. ValueError where one of these is a Python function.
    source : path, optional
        Instead of Kernel Tuner's source, as in simulations, which have none.
    grid : str or sequence of str, optional
        Blocks in x, y and z as expressions of the parameters, where Kernel Tuner has them by a function or not at all.
    others
        Further fields of the request, as for `forecast_space`: ``forecasts``, ``within_s``, ``arguments``.

    Attributes
    ----------
    ranking : list or None
        As given, or as made of the problem that was tuned last.

    Examples
    --------
    >>> strategy = ForecastStrategy([{"configuration": {"a": 1}, "seconds": 1.0}])
    >>> len(strategy.ranking)
    1

    With a device, and nothing else to prepare:

    >>> kernel_tuner.tune_kernel("convolution_kernel", "convolution.cu", size, arguments, tune_params,
    ...                          strategy=ForecastStrategy(device="nvidia-a100"))  # doctest: +SKIP
    """

    def __init__(
        self,
        ranking: Sequence[Entry] | None = None,
        *,
        device: str | None = None,
        source: str | PathLike[str] | None = None,
        grid: str | Sequence[str] = (),
        **others: Any,
    ) -> None:
        if (ranking is None) == (device is None):
            raise UsageError("give a ranking, or the device to make one for")
        self.ranking = None if ranking is None else list(ranking)
        self._device = device or ""  # of a ranking none is asked for
        self._source, self._grid, self._others = source, _listed(grid), others

    def _ranked(self, searchspace: Any, kernel_source: Any, options: Mapping[str, Any]) -> list[Entry]:
        others = {"top": len(searchspace.list), **self._others}
        scalars = {
            str(i): str(a.item()) for i, a in enumerate(options.get("arguments") or ()) if isinstance(a, np.generic)
        }
        others["arguments"] = {**scalars, **{str(n): str(v) for n, v in others.get("arguments", {}).items()}}
        defines = options.get("defines")
        if defines is None:
            defines = {"kernel_tuner": 1}
        elif any(callable(value) for value in defines.values()):
            raise UsageError("a function for a macro cannot be read: give define= as NAME=VALUE, or a ranking")
        others["define"] = [*(f"{n}={v}" for n, v in defines.items()), *_listed(others.get("define", ()))]
        with tempfile.TemporaryDirectory() as folder:
            space, source = Path(folder) / "space.json", self._source
            space.write_text(json.dumps(_problem(searchspace, options, self._grid)))
            if source is None:
                given = kernel_source.kernel_sources[0]
                if isinstance(given, (str, PathLike)) and Path(given).suffix and Path(given).is_file():
                    source = given
                elif text := kernel_source.get_kernel_string(0):
                    source = Path(folder) / ("kernel" + {"OPENCL": ".cl", "HIP": ".hip"}.get(kernel_source.lang, ".cu"))
                    source.write_text(text)
                else:
                    raise UsageError("Kernel Tuner has no source: give source=, the file that is tuned")
            ranking = forecast_space(source, space, device=self._device, **others)["ranking"]
            return [{**dict(entry), "configuration": dict(entry["configuration"])} for entry in ranking]

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> list[dict[str, Any]]:
        """What Kernel Tuner calls."""
        from kernel_tuner.strategies.common import CostFunc
        from kernel_tuner.util import StopCriterionReached

        if (objective := tuning_options.get("objective", "time")) not in ("time", ["time"]):
            raise UsageError(f"forecasts are of times, and the objective is {objective}: tune for time")
        if self._device or self.ranking is None:  # of every problem a ranking of its own
            self.ranking = self._ranked(searchspace, runner.kernel_source, runner.kernel_options)
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
