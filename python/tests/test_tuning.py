"""Measuring by forecast, alone and within Kernel Tuner's simulation mode."""

from __future__ import annotations

import json

import kernel_tuner
import numpy as np
import pytest

from sparsecast import tuning
from sparsecast.tuning import ForecastStrategy, measure_in_order, seeds


def space():
    """Twelve configurations whose times are forecast in the right order but for two."""
    true = {(a, b): 1.0 + a / 10 + 3 * b for a in (1, 2, 4, 8) for b in (0, 1, 2)}
    ranking = [{"configuration": {"a": a, "b": b}, "seconds": t * 1e-3} for (a, b), t in true.items()]
    ranking[0]["seconds"], ranking[3]["seconds"] = ranking[3]["seconds"], ranking[0]["seconds"]
    return true, ranking


def test_the_rest_is_not_measured_where_it_cannot_be_faster():
    true, ranking = space()
    measured = measure_in_order(ranking, lambda c: true[c["a"], c["b"]] * 1e-3)
    assert min(measured, key=lambda m: m[1])[0] == {"a": 1, "b": 0}
    assert len(measured) == 2  # (2, 0), which is forecast to be the fastest, takes 9 % longer than was forecast
    assert len(measure_in_order(ranking, lambda c: 1.0, most=2)) == 2


def test_what_does_not_run_is_passed_over():
    _, ranking = space()
    assert measure_in_order(ranking, lambda c: None) == []


@pytest.mark.parametrize("failed", [None, float("inf"), float("nan"), 1e20])
def test_what_tuners_mark_as_failed_is_no_time(failed):
    true, ranking = space()
    measured = measure_in_order(ranking, lambda c: failed if c["a"] == 2 else true[c["a"], c["b"]] * 1e-3)
    assert min(measured, key=lambda m: m[1])[0] == {"a": 1, "b": 0}
    assert len(measured) < 6 and all(c["a"] != 2 for c, _ in measured)
    for wrong in (0, -1.0):
        with pytest.raises(ValueError, match="give seconds"):
            measure_in_order(ranking, lambda c: wrong)


def test_parameters_are_told_apart_by_name():
    ranking = [
        {"configuration": {"a": 1, "b": 2}, "seconds": 3.0},
        {"configuration": {"b": 1, "a": 2}, "seconds": 1.0},
        {"configuration": {"a": 1, "b": 2}, "seconds": 2.0},
    ]
    asked = []
    measure_in_order(ranking, lambda c: asked.append(c) or 2.0 * c["b"])
    assert asked == [{"a": 2, "b": 1}, {"a": 1, "b": 2}] or asked == [{"a": 2, "b": 1}]
    assert seeds(ranking, 3) == [{"a": 2, "b": 1}, {"a": 1, "b": 2}]  # each once
    assert seeds(ranking, 3, apart=0.1) == [{"a": 2, "b": 1}, {"a": 1, "b": 2}]
    with pytest.raises(ValueError, match="other parameters"):
        seeds([*ranking, {"configuration": {"a": 1, "c": 2}, "seconds": 3.0}])


@pytest.mark.parametrize("seconds", [None, float("nan"), 0, -1.0])
def test_a_ranking_has_times(seconds):
    _, ranking = space()
    ranking[5]["seconds"] = seconds
    with pytest.raises(ValueError, match="no time of"):
        seeds(ranking)
    with pytest.raises(ValueError, match="no time of"):
        measure_in_order(ranking, lambda c: 1.0)


def tuned(tmp_path, ranking, true, most, **options):
    """What is measured of `true` in Kernel Tuner's simulation mode, in order."""
    values = [sorted({c[i] for c in true}) for i in (0, 1)]
    cache = {
        "device_name": "a device",
        "kernel_name": "k",
        "problem_size": 12,
        "tune_params_keys": ["a", "b"],
        "tune_params": {"a": values[0], "b": values[1]},
        "objective": "time",
        "cache": {
            f"{a},{b}": {"a": a, "b": b, "time": t, "times": [t], "compile_time": 1, "verification_time": 0,
                         "benchmark_time": 1, "strategy_time": 0, "framework_time": 0, "timestamp": "2026-01-01"}
            for (a, b), t in true.items()
        },
    }  # fmt: skip
    file = tmp_path / "cache.json"
    file.write_text(json.dumps(cache))
    results, _ = kernel_tuner.tune_kernel(
        "k", "", 12, [], cache["tune_params"], cache=str(file), simulation_mode=True, lang="C", quiet=True,
        strategy=ranking if isinstance(ranking, ForecastStrategy) else ForecastStrategy(ranking),
        strategy_options={"max_fevals": most}, **options,
    )  # fmt: skip
    return [(r["a"], r["b"]) for r in results]


def test_within_kernel_tuner(tmp_path):
    true, ranking = space()
    measured = tuned(tmp_path, ranking, true, 6)
    assert measured[0] == (2, 0)  # forecast to be the fastest
    assert (1, 0) in measured[:3]  # which is the fastest
    assert len(measured) < 6  # all with b = 1 are expected to take three times as long


def test_what_is_measured_moves_the_rest(tmp_path):
    # With larger a forecasts are too low, by up to half, and the fastest is forecast to be tenth of twelve.
    true = {(a, b): 1.0 + 0.01 * b + 0.05 * a for a in (1, 2, 4, 8) for b in (0, 1, 2)}
    ranking = [{"configuration": {"a": a, "b": b}, "seconds": 1e-3 * t / a**0.2} for (a, b), t in true.items()]
    measured = tuned(tmp_path, ranking, true, 12)
    assert measured[0] == (4, 0)
    assert measured.index((1, 0)) == 4
    assert (1, 0) in tuned(tmp_path, ranking[3:], true, 12)  # which this ranking lacks

    with pytest.raises(ValueError, match="same problem"):
        tuned(tmp_path, [{"configuration": {"c": 1}, "seconds": 1.0}], true, 2)


def test_other_objectives_than_time_are_refused(tmp_path):
    true, ranking = space()
    with pytest.raises(ValueError, match="tune for time"):
        tuned(tmp_path, ranking, true, 6, objective="GFLOP/s", objective_higher_is_better=True)


def test_every_problem_has_a_ranking_of_its_own(tmp_path, monkeypatch):
    def ranked(self, searchspace, *_):
        names = list(searchspace.tune_params)
        return [{"configuration": dict(zip(names, v)), "seconds": 1.0} for v in searchspace.list]

    monkeypatch.setattr(ForecastStrategy, "_ranked", ranked)
    true, _ = space()
    strategy = ForecastStrategy(device="nvidia-a100")
    tuned(tmp_path, strategy, true, 2)
    assert len(strategy.ranking) == 12
    tuned(tmp_path, strategy, {c: t for c, t in true.items() if c[0] > 2}, 2)
    assert len(strategy.ranking) == 6


def test_blocks_without_a_parameter_are_kernel_tuners():
    # kernel_tuner.util.get_thread_block_dimensions: 256 threads in x where no parameter is called block_size_x.
    from kernel_tuner.searchspace import Searchspace

    problem = tuning._problem(Searchspace({"per_thread": [1, 4]}, [], 1024), {"kernel_name": "k", "problem_size": 4096})
    assert problem["KernelSpecification"]["LocalSize"] == {"X": "256", "Y": "1", "Z": "1"}
    assert tuning._problem(Searchspace({"x": [64]}, [], 1024), {
        "kernel_name": "k", "problem_size": 4096, "block_size_names": ["x"]
    })["KernelSpecification"]["LocalSize"] == {"X": "x"}  # fmt: skip


def test_a_single_text_is_one_expression():
    strategy = ForecastStrategy(device="nvidia-a100", grid="2**20 // block_size_x")
    assert strategy._grid == ["2**20 // block_size_x"]


SCALE = """
extern "C" __global__ void scale(float *y, const float *x, float a, int n) {
  for (int k = 0; k < per_thread; ++k) {
    int i = (blockIdx.x * per_thread + k) * block_size_x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
  }
}
"""


class Options(dict):
    """As Kernel Tuner's."""

    __getattr__ = dict.__getitem__


def asked(options, restrictions, **arguments):
    """What the strategy asks for, of Kernel Tuner's own searchspace and source."""
    from kernel_tuner.core import KernelSource
    from kernel_tuner.searchspace import Searchspace

    space = Searchspace({"block_size_x": [32, 64, 128], "per_thread": [1, 4]}, restrictions, 1024)
    strategy = ForecastStrategy(device="nvidia-a100-pcie-40gb", **arguments)
    return strategy._ranked(space, KernelSource("scale", SCALE, "CUDA"), Options(kernel_name="scale", **options))


def test_a_ranking_is_made_of_what_kernel_tuner_was_given():
    options = {
        "problem_size": 1 << 20,
        "grid_div_x": ["block_size_x", "per_thread"],
        "arguments": [np.zeros(4, np.float32), np.zeros(4, np.float32), np.float32(2), np.int32(1 << 20)],
    }
    ranking = asked(options, ["block_size_x * per_thread <= 128"])
    found = {(r["configuration"]["block_size_x"], r["configuration"]["per_thread"]): r for r in ranking}
    assert set(found) == {(32, 1), (64, 1), (128, 1), (32, 4)}
    assert found[32, 4]["grid"][0] == 8192 and found[128, 1]["grid"][0] == 8192 and found[128, 1]["block"][0] == 128
    assert [r["seconds"] for r in ranking] == sorted(r["seconds"] for r in ranking)

    by_function = asked(options, lambda block_size_x, per_thread: block_size_x == 64 and per_thread == 4)
    assert [r["configuration"] for r in by_function] == [{"block_size_x": 64, "per_thread": 4}]
    for name in ("problem_size", "grid_div_x"):
        with pytest.raises(ValueError, match="function"):
            asked({**options, name: lambda p: 3}, None)


def test_a_strategy_needs_a_ranking_or_a_device():
    with pytest.raises(ValueError, match="give a ranking"):
        ForecastStrategy()
    with pytest.raises(ValueError, match="give a ranking"):
        ForecastStrategy([], device="nvidia-a100")


def test_seeds_pass_over_twins():
    ranking = [{"configuration": {"a": a, "b": b}, "seconds": a + 10 * b} for b in (0, 1) for a in (1, 2, 64)]
    assert seeds(ranking, 2) == [{"a": 1, "b": 0}, {"a": 2, "b": 0}]
    assert seeds(ranking, 3, apart=0.5) == [{"a": 1, "b": 0}, {"a": 1, "b": 1}, {"a": 64, "b": 0}]
    assert seeds([], 3) == []


def test_seeds_cover_what_forecasts_may_be_off_by():
    alike = [({"a": a, "b": 0}, 1 + a / 100) for a in (1, 2, 3, 4)]
    other = ({"a": 64, "b": 1}, 1.06)
    ranking = [{"configuration": c, "seconds": s} for c, s in [*alike, other]]
    assert seeds(ranking, 3)[:1] == [alike[0][0]]
    assert other[0] in seeds(ranking, 3), "its error is its own"
    slow = [{"configuration": {"a": 64, "b": 1}, "seconds": 20.0}]
    assert slow[0]["configuration"] not in seeds([*ranking[:4], *slow], 4), "no error makes up for that"
    assert seeds(ranking, 9) == seeds(ranking[::-1], 9), "whatever the order they come in"
    assert len(seeds(ranking, 9)) == 5
    assert seeds(ranking, 0) == []
