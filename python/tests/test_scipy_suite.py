"""A part of SciPy's own tests with plans, or arrays whose products are planned, in place of its own (tests/python/scipy_suite)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "tests" / "python" / "scipy_suite"
PARTS = ["_isolve.tests.test_lsqr", "_isolve.tests.test_lgmres", "_eigen.lobpcg", "_eigen.arpack"]
PARTS += ["tests.test_interface"]
SLOW = pytest.param("tests.test_expm_multiply", marks=pytest.mark.slow)


def run(plugin, parts, *more, **environment):
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", plugin, "-p", "no:cacheprovider"]
    for _ in range(2):  # lsqr's tests compare last digits, and NumPy's sums depend on where their memory lies
        done = subprocess.run(
            [*command, "--pyargs", *(f"scipy.sparse.{part}" for part in parts), *more],
            env={**os.environ, "PYTHONPATH": str(PLUGIN), "OPENBLAS_NUM_THREADS": "1", **environment},
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            return
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.parametrize("part", [*PARTS, SLOW])
def test_scipys_tests_pass_on_plans(part):
    run("plans", [f"linalg.{part}"])


def test_scipys_tests_of_csr_pass_on_the_subclasses():
    run("drop_in", ["tests.test_base", "tests.test_csr"], "-k", "CSR or csr")


@pytest.mark.parametrize("plugin", ["plans", "drop_in"])
def test_scipys_tests_of_the_exponential_pass_in_part(plugin):
    more = {"DROP_IN": "accelerated"} if plugin == "drop_in" else {}
    run(plugin, ["linalg.tests.test_expm_multiply"], "-k", "test_complex or single_timepoint or dtype", **more)


@pytest.mark.parametrize("part", ["_isolve.tests.test_lgmres", SLOW])
def test_scipys_tests_pass_on_its_own_arrays_that_are_accelerated(part):
    run("drop_in", [f"linalg.{part}"], DROP_IN="accelerated")
