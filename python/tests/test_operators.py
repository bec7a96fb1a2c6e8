"""A plan where SciPy's own operator stands, aslinearoperator(A): what comes out, its type and shape, or the kind of error."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from numpy.testing import assert_allclose
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import sparsecast

N = 30


def square():
    A = sp.random_array((N, N), density=0.2, format="csr", rng=np.random.default_rng(3))
    return (A + A.T + 10 * sp.eye_array(N)).tocsr()


def flat():
    return sp.random_array((20, N), density=0.2, format="csr", rng=np.random.default_rng(4))


MATRICES = {
    "symmetric": square,
    "rectangular": flat,
    "float32": lambda: flat().astype(np.float32),
    "complex": lambda: (flat() * (1 + 2j)).tocsr(),
    "complex64": lambda: (flat() * (1 + 2j)).astype(np.complex64).tocsr(),
    "complex and square": lambda: (square() * (1 + 2j)).tocsr(),
    "integers": lambda: (10 * flat()).astype(int),
    "csr_matrix": lambda: sp.csr_matrix(square()),
    "csc": lambda: flat().tocsc(),
    "no rows": lambda: sp.csr_array((0, N)),
    "one entry": lambda: sp.csr_array(np.array([[2.0]])),
}


class Derived(np.ndarray):
    pass


def vectors(n):
    x = np.random.default_rng(1).standard_normal(n)
    fixed = x.copy()
    fixed.flags.writeable = False
    return {
        "x": x,
        **{t: np.round(9 * x).astype(t) for t in ("f2", "f4", "g", "i1", "i8", "c8", "c16", "G", ">f8")},
        "unsigned": np.round(9 * abs(x)).astype(np.uint64),
        "bool": x > 0,
        "complex": x + 1j,
        "list": x.tolist(),
        "tuple": tuple(x.tolist()),
        "column": x[:, None],
        "row": x[None, :],
        "column of lists": x[:, None].tolist(),
        "matrix": np.matrix(x[:, None]),
        "matrix of two": np.matrix(np.stack([x, x], axis=1)),
        "masked": np.ma.masked_array(x, mask=x > 1),
        "derived": x.view(Derived),
        "strided": np.repeat(x, 2)[::2],
        "from the end": x[::-1],
        "fixed": fixed,
        "broadcast": np.broadcast_to(np.float64(2.0), (n,)),
        "two": np.stack([x, 2 * x], axis=1),
        "two by columns": np.asfortranarray(np.stack([x, 2 * x], axis=1)),
        "two with gaps": np.stack([x, 2 * x, 3 * x], axis=1)[:, ::2],
        "none": np.zeros((n, 0)),
        "three dimensions": np.zeros((2, n, 3)),
        "too few": np.zeros(n + 2)[:-1],
        "two, too many": np.zeros((n + 1, 2)),
        "a number": 2.0,
        "no dimension": np.array(2.0),
        "None": None,
        "a text": "abc",
        "objects": x.astype(object),
        "texts": np.array(["a"] * n),
        "sparse": sp.eye_array(n, format="csr"),
        "sparse matrix": sp.csr_matrix(sp.eye_array(n)),
    }


# By whether the vector is as long as a row (1) or a column (0).
CALLS = {
    "P @ v": (1, lambda P, v: P @ v),
    "P * v": (1, lambda P, v: P * v),
    "P(v)": (1, lambda P, v: P(v)),
    "P.dot": (1, lambda P, v: P.dot(v)),
    "P.matvec": (1, lambda P, v: P.matvec(v)),
    "P.matmat": (1, lambda P, v: P.matmat(v)),
    "P.rmatvec": (0, lambda P, v: P.rmatvec(v)),
    "P.rmatmat": (0, lambda P, v: P.rmatmat(v)),
    "v @ P": (0, lambda P, v: v @ P),
    "v @ P.T": (1, lambda P, v: v @ P.T),
    "P.T @ v": (0, lambda P, v: P.T @ v),
    "P.H @ v": (0, lambda P, v: P.H @ v),
    "P.adjoint()": (0, lambda P, v: P.adjoint() @ v),
    "P.transpose()": (0, lambda P, v: P.transpose() @ v),
    "P.T.matvec": (0, lambda P, v: P.T.matvec(v)),
    "P.T.rmatvec": (1, lambda P, v: P.T.rmatvec(v)),
    "P.H.matmat": (0, lambda P, v: P.H.matmat(v)),
    "P.T.H @ v": (1, lambda P, v: P.T.H @ v),
    "P.H.T.rmatvec": (0, lambda P, v: P.H.T.rmatvec(v)),
    "2 * P": (1, lambda P, v: (2 * P) @ v),
    "P / 2": (1, lambda P, v: (P / 2) @ v),
    "-P": (1, lambda P, v: (-P) @ v),
    "P + P": (1, lambda P, v: (P + P) @ v),
    "P - 2 * P": (1, lambda P, v: (P - 2 * P) @ v),
    "P.H @ P": (1, lambda P, v: (P.H @ P) @ v),
    "P ** 2": (1, lambda P, v: (P**2) @ v),
    "1j * P": (1, lambda P, v: (1j * P) @ v),
    "(1j * P).H": (0, lambda P, v: (1j * P).H @ v),
    "aslinearoperator(P)": (1, lambda P, v: aslinearoperator(P) @ v),
}


def outcome(call, operator, vector):
    try:
        return call(operator, vector)
    except Exception as error:
        return error


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", MATRICES)
def test_a_plan_does_what_an_operator_does(name, call):
    A = MATRICES[name]()
    P, theirs = sparsecast.plan(A), aslinearoperator(A.astype(float) if A.dtype.kind == "i" else A)
    side, of = CALLS[call]
    for what, vector in vectors(A.shape[side]).items():
        got, want = outcome(of, P, vector), outcome(of, theirs, vector)
        if isinstance(want, Exception):
            if sp.issparse(vector) and 1 in vector.shape:
                continue  # SciPy takes a sparse column for a vector, and then for none
            assert isinstance(got, (TypeError, ValueError)), f"{what}: {got!r}, not {want!r}"
            continue
        assert not isinstance(got, Exception), f"{what}: {got!r}"
        if isinstance(want, LinearOperator):
            assert isinstance(got, LinearOperator) and got.shape == want.shape and got.dtype == want.dtype, what
        elif sp.issparse(want):
            assert sp.issparse(got) and got.dtype == want.dtype and got.shape == want.shape, what
            assert_allclose(got.toarray(), want.toarray(), rtol=1e-5, err_msg=what)
        else:
            assert type(got) is type(want) and got.shape == want.shape and got.dtype == want.dtype, what
            if want.dtype != object:
                assert_allclose(got, want, rtol=1e-4, atol=1e-4, err_msg=what)


USES = {
    "svds": lambda A: np.sort(sl.svds(A, k=3, return_singular_vectors=False, rng=np.random.default_rng(0))),
    "svds by lobpcg": lambda A: np.sort(
        sl.svds(A, k=2, solver="lobpcg", return_singular_vectors=False, rng=np.random.default_rng(0))
    ),
    "eigsh": lambda A: sl.eigsh(A, k=3, return_eigenvectors=False, v0=np.ones(N)),
    "eigs": lambda A: np.sort(sl.eigs(A, k=3, return_eigenvectors=False, v0=np.ones(N)).real),
    "lsqr": lambda A: sl.lsqr(A, np.ones(N))[0],
    "lsmr": lambda A: sl.lsmr(A, np.ones(N))[0],
    "gmres": lambda A: sl.gmres(A, np.ones(N), rtol=1e-8)[0],
    "cg": lambda A: sl.cg(A, np.ones(N), rtol=1e-8)[0],
    "minres": lambda A: sl.minres(A, np.ones(N), rtol=1e-8)[0],
    "bicg": lambda A: sl.bicg(A, np.ones(N), rtol=1e-8)[0],
    "qmr": lambda A: sl.qmr(A, np.ones(N), rtol=1e-8)[0],
    "cgs": lambda A: sl.cgs(A, np.ones(N), rtol=1e-8)[0],
    "onenormest": sl.onenormest,
    "expm_multiply": lambda A: sl.expm_multiply(0.1 * aslinearoperator(A), np.ones(N), traceA=0.1 * 10 * N),
    "a preconditioner": lambda A: sl.cg(square(), np.ones(N), M=A, rtol=1e-8)[0],
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("use", USES)
def test_functions_of_scipy_take_a_plan(use):
    A = square()
    for P in (sparsecast.plan(A), sparsecast.plan(A.tocsc()).T, sparsecast.plan(A).H):
        assert_allclose(USES[use](P), USES[use](aslinearoperator(A)), rtol=1e-5, atol=1e-5)


def test_plans_and_their_operators_are_copied_and_pickled():
    A, x = flat(), np.linspace(1, 2, N)
    P = sparsecast.plan(A)
    for Q in (copy.copy(P), copy.deepcopy(P), pickle.loads(pickle.dumps(P))):
        assert isinstance(Q, sparsecast.Plan) and isinstance(Q, LinearOperator)
        assert_allclose(Q @ x, A @ x)
    assert_allclose((copy.copy(2 * P)) @ x, 2 * (A @ x))


def test_a_sparse_matrix_and_a_plan_make_a_sparse_matrix():
    A, B, C = flat(), square(), flat().T.tocsc()
    P = sparsecast.plan(A)
    for got, want in [(P @ B, A @ B), (C @ P, C @ A), (P.T @ A, A.T @ A), (A.T @ P, A.T @ A), (P.H @ A, A.T @ A)]:
        assert sp.issparse(got)
        assert_allclose(got.toarray(), want.toarray())
    with pytest.raises(ValueError):
        P @ A
    with pytest.raises(TypeError, match="no dense array"):
        np.asarray(P)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("kernel", ["csr", "csr-merge", "sell", "bsr"])
def test_infinities_stay_what_scipy_makes_of_them(dtype, kernel):
    M = sp.csr_array(np.array([[1 + 2j, 3j], [0, 1]], dtype=dtype))
    x = np.array([np.inf, 1.0], dtype=dtype)
    X = np.column_stack([x, x])
    P = sparsecast.plan(M, kernel=kernel)
    with np.errstate(invalid="ignore"):
        for mine, theirs in (
            (P @ x, M @ x),
            (P @ X, M @ X),
            (P.T @ x, M.T @ x),
            (P.T @ X, M.T @ X),
            (P.H @ x, M.conj().T @ x),
            (P.rmatvec(x), M.conj().T @ x),
            (P.apply(x, transposed=True), M.T @ x),
        ):
            np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(P.apply(x, alpha=2.0), [complex(np.inf, np.inf), 2])


def test_parts_of_real_values_and_infinities_stay_apart():
    A = sp.csr_array(np.diag([2.0, 3.0]))
    with np.errstate(all="raise"):
        y = sparsecast.plan(A) @ np.array([np.inf + 1j, 1 + 0j])
    np.testing.assert_array_equal(y, [complex(np.inf, 2), 3])
