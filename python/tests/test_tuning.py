"""Measuring by forecast, alone and within Kernel Tuner's simulation mode."""

from __future__ import annotations

import json

import kernel_tuner
import pytest

from sparsecast.tuning import ForecastStrategy, measure_in_order


def space():
    """Twelve configurations whose times are forecast in the right order but for two."""
    true = {(a, b): 1.0 + a / 10 + 3 * b for a in (1, 2, 4, 8) for b in (0, 1, 2)}
    ranking = [
        {"configuration": {"a": a, "b": b}, "seconds": t * 1e-3, "low_s": 0.7e-3 * t, "high_s": 1.4e-3 * t}
        for (a, b), t in true.items()
    ]
    ranking[0]["seconds"], ranking[3]["seconds"] = ranking[3]["seconds"], ranking[0]["seconds"]
    return true, ranking


def test_the_rest_is_not_measured_where_it_cannot_be_faster():
    true, ranking = space()
    measured = measure_in_order(ranking, lambda c: true[c["a"], c["b"]] * 1e-3)
    assert min(measured, key=lambda m: m[1])[0] == {"a": 1, "b": 0}
    assert len(measured) == 3  # the lower bound of a = 8, 1.26 ms, is above the best, 1.1 ms
    assert len(measure_in_order(ranking, lambda c: 1.0, most=2)) == 2


def test_what_does_not_run_is_passed_over():
    _, ranking = space()
    assert measure_in_order(ranking, lambda c: None) == []


def test_within_kernel_tuner(tmp_path):
    true, ranking = space()
    cache = {
        "device_name": "a device",
        "kernel_name": "k",
        "problem_size": 12,
        "tune_params_keys": ["a", "b"],
        "tune_params": {"a": [1, 2, 4, 8], "b": [0, 1, 2]},
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
        strategy=ForecastStrategy(ranking), strategy_options={"max_fevals": 6},
    )  # fmt: skip
    assert [(r["a"], r["b"]) for r in results] == [(2, 0), (1, 0), (4, 0)]
    assert min(r["time"] for r in results) == pytest.approx(1.1)
