"""SciPy's solvers take a plan where they take the matrix, and come to the same."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse.linalg as sl
from numpy.testing import assert_allclose

import sparsecast


@pytest.mark.parametrize("solver", ["cg", "gmres", "bicgstab", "minres", "lgmres"])
def test_systems(laplacian, solver):
    b = np.arange(900) % 7 - 3.0
    x, info = getattr(sl, solver)(sparsecast.plan(laplacian), b, rtol=1e-10)
    want, _ = getattr(sl, solver)(laplacian, b, rtol=1e-10)
    assert info == 0
    assert_allclose(x, want, rtol=1e-6, atol=1e-8)
    assert np.linalg.norm(laplacian @ x - b) < 1e-6 * np.linalg.norm(b)


def test_least_squares(matrix):
    b = np.ones(2000)
    assert_allclose(
        sl.lsqr(sparsecast.plan(matrix), b, atol=1e-10, btol=1e-10)[0], sl.lsqr(matrix, b, atol=1e-10, btol=1e-10)[0],
        rtol=1e-5, atol=1e-6,
    )  # fmt: skip


def test_eigsh(laplacian):
    got = sl.eigsh(sparsecast.plan(laplacian), k=4, which="LA", return_eigenvectors=False)
    assert_allclose(np.sort(got), np.sort(sl.eigsh(laplacian, k=4, which="LA", return_eigenvectors=False)), rtol=1e-8)


def test_lobpcg(laplacian):
    X = np.random.default_rng(3).standard_normal((900, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of accuracy beyond what was asked for
        got, _ = sl.lobpcg(sparsecast.plan(laplacian, vectors=4), X.copy(), tol=1e-7, maxiter=300)
        want, _ = sl.lobpcg(laplacian, X.copy(), tol=1e-7, maxiter=300)
    assert_allclose(got, want, rtol=1e-6)


def test_svds(matrix):
    got = sl.svds(sparsecast.plan(matrix), k=3, return_singular_vectors=False, rng=np.random.default_rng(1))
    want = sl.svds(matrix, k=3, return_singular_vectors=False, rng=np.random.default_rng(1))
    assert_allclose(np.sort(got), np.sort(want), rtol=1e-8)


def test_expm_multiply(laplacian):
    A, b = laplacian * -0.1, np.ones(900)
    got = sl.expm_multiply(sparsecast.plan(A), b, traceA=A.trace())
    assert_allclose(got, sl.expm_multiply(A, b), rtol=1e-8)
