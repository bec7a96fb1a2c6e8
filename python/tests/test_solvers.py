"""SciPy's solvers take a plan where they take the matrix, and come to the same."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
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


@pytest.mark.parametrize("solver", ["cg", "gmres", "bicgstab", "minres"])
def test_planned_solvers_take_as_many_iterations_as_scipys(laplacian, solver):
    b, counts = np.arange(900) % 7 - 3.0, [0, 0]

    def counted(number):
        def callback(_state):
            counts[number] += 1

        return {"callback": callback, **({"callback_type": "pr_norm"} if solver == "gmres" else {})}

    solution = getattr(sparsecast.solve, solver)(laplacian, b, rtol=1e-8, **counted(0))
    want, info = getattr(sl, solver)(laplacian, b, rtol=1e-8, **counted(1))
    # BiCGSTAB's residuals jump: how products were rounded moves the end by a few of some forty iterations.
    assert solution[1] == info == 0 and abs(counts[0] - counts[1]) <= (counts[1] / 4 if solver == "bicgstab" else 0)
    assert counts[1] > 5
    # One more or less of its iterations leaves both within the residual asked for, 6e-7, times the inverse's norm of 50.
    assert_allclose(solution[0], want, rtol=1e-6, atol=3e-5 if solver == "bicgstab" else 1e-7)
    assert solution.products >= counts[0]
    assert isinstance(solution.operator, sparsecast.Plan) and solution.operator.strategy["iterations"] == 100
    assert solution.forecast_s == solution.products * solution.operator.predicted_s > 0
    assert solution.planning_s > 0 and solution.solving_s > 0


def test_planned_lobpcg_is_scipys(laplacian):
    X = np.random.default_rng(3).standard_normal((900, 4))
    M = sp.diags_array(1 / laplacian.diagonal(), format="csr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it is stopped before it has converged
        got = sparsecast.solve.lobpcg(laplacian, X.copy(), M=M, tol=1e-6, maxiter=60, retResidualNormsHistory=True)
        want = sl.lobpcg(laplacian, X.copy(), M=M, tol=1e-6, maxiter=60, retResidualNormsHistory=True)
    assert len(got) == len(want) == 3 and len(got[2]) == len(want[2])
    assert_allclose(got[0], want[0], rtol=1e-6)
    assert got.operator.strategy["iterations"] == 60 and got.products > 10


def test_planned_solvers_have_scipys_signatures():
    for name in ("cg", "gmres", "bicgstab", "minres", "lobpcg"):
        ours, theirs = (inspect.signature(getattr(module, name)) for module in (sparsecast.solve, sl))
        assert list(ours.parameters) == [*theirs.parameters, "iterations"]


def test_planned_solvers_take_operators_and_refuse_what_a_plan_refuses(laplacian):
    b = np.ones(900)
    P = sparsecast.plan(laplacian, kernel="csr")
    solution = sparsecast.solve.cg(P, b, rtol=1e-8)
    assert solution.operator is P and solution.forecast_s is None  # a named kernel is not forecast
    shifted = sparsecast.solve.cg(P + 2 * sl.aslinearoperator(sp.eye_array(900)), b, rtol=1e-10)
    assert_allclose(shifted[0], sl.spsolve(laplacian + 2 * sp.eye_array(900), b), rtol=1e-6)
    with pytest.raises(TypeError, match="only float32, float64"):
        sparsecast.solve.cg(laplacian.astype(np.longdouble), b)
    with pytest.raises(TypeError, match="sparse matrix of SciPy"):
        sparsecast.solve.cg(np.eye(3), np.ones(3))
    with pytest.raises(TypeError, match="no_such"):
        sparsecast.solve.cg(laplacian, b, no_such=1)
    for iterations in (0, -3, "a", 2.5):
        with pytest.raises(ValueError, match="iterations must be a whole number from 1"):
            sparsecast.solve.cg(laplacian, b, iterations=iterations)
