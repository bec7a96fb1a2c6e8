"""A home of the tests' own: a copy of one that was calibrated, or one short calibration for all of them."""

from __future__ import annotations

import os

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecast


@pytest.fixture(scope="session", autouse=True)
def calibrated():
    assert os.environ.get("SPARSECAST_HOME"), "scripts/test-python gives the tests a home of their own"
    wanted = {"csr", "sell", "ell", "coo", "csr-merge"}
    A = sp.eye_array(100, format="csr")
    for times in range(21):  # a busy machine may need some more turns
        if times:
            sparsecast.calibrate(progress=False, seconds=1.5)
        known = [
            {row["kernel"] for row in sparsecast.forecast(A, threads=threads) if row["tier"] == "measured"}
            for threads in (1, "auto")
        ]
        if all(wanted <= kernels for kernels in known):
            return
    pytest.fail(f"calibrated only {known}")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # examples write files


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture(scope="session")
def matrix():
    return sp.random_array((2000, 1500), density=4e-3, format="csr", rng=np.random.default_rng(2))


@pytest.fixture(scope="session")
def laplacian():
    return sp.diags_array([-1.0, -1.0, 4.1, -1.0, -1.0], offsets=[-30, -1, 0, 1, 30], shape=(900, 900), format="csr")
