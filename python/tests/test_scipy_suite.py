"""A part of SciPy's own tests with plans of kernel csr in place of sparse matrices (tests/python/scipy_suite)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "tests" / "python" / "scipy_suite"
PARTS = ["_isolve.tests.test_lsqr", "_isolve.tests.test_lgmres", "_eigen.lobpcg", "_eigen.arpack"]
PARTS += [f"tests.test_{name}" for name in ("expm_multiply", "interface")]


@pytest.mark.parametrize("part", PARTS)
def test_scipys_tests_pass_on_plans(part):
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "plans", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--pyargs", f"scipy.sparse.linalg.{part}"],
        env={**os.environ, "PYTHONPATH": str(PLUGIN)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
