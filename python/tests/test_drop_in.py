"""SciPy's arrays with planned products: what a product returns, what may change between two, what travels."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import pickle
import threading
import weakref
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from numpy.testing import assert_allclose, assert_array_equal

import sparsecast
from sparsecast import drop_in

KINDS = [(sparsecast.csr_array, sp.csr_array), (sparsecast.csr_matrix, sp.csr_matrix)]


def fresh(M):
    """SciPy's product knows nothing of ours."""
    return sp.csr_array((M.data.copy(), M.indices.copy(), M.indptr.copy()), shape=M.shape)


@pytest.fixture
def large(rng):
    """Large enough that products are timed."""
    return sp.random_array((4000, 3000), density=0.01, format="csr", rng=rng)


@pytest.mark.parametrize(("ours", "theirs"), KINDS)
def test_a_plan_comes_with_the_second_product(ours, theirs, matrix, rng):
    A, x = ours(matrix), rng.standard_normal(matrix.shape[1])
    assert isinstance(A, theirs) and sp.issparse(A) and A.plan is None
    assert_array_equal(A @ x, matrix @ x)
    assert A.plan is None
    assert_allclose(A @ x, matrix @ x, rtol=1e-12, atol=1e-12)
    assert isinstance(A.plan, sparsecast.Plan) and A.plan.shape == A.shape
    assert_allclose(A.plan @ x, matrix @ x, rtol=1e-12, atol=1e-12)


def test_plan_after_is_of_the_class_and_of_an_array(matrix):
    A, B = sparsecast.csr_array(matrix), sparsecast.csr_array(matrix)
    A.plan_after, x = 0, np.ones(matrix.shape[1])
    A @ x, B @ x
    assert A.plan is not None and B.plan is None
    B.T @ np.ones(matrix.shape[0])
    assert B.plan is not None, "products of the transpose count"


@pytest.mark.parametrize(("ours", "theirs"), KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128, np.int32, bool])
def test_types_and_shapes_are_scipys(ours, theirs, dtype, rng):
    A = theirs(sp.random_array((300, 200), density=0.05, format="csr", rng=rng).astype(dtype))
    B = ours(A)
    vectors = [rng.standard_normal(200), np.arange(200), np.ones(200, np.float32), 1j * np.ones(200), np.ones(400)[::2]]
    vectors += [np.ones(200, np.complex64), np.ones((200, 1)), rng.standard_normal((200, 3)), np.zeros((200, 0))]
    vectors += [np.asfortranarray(rng.standard_normal((200, 3))), np.asmatrix(np.ones((200, 2))), list(range(200))]
    vectors += [np.ones(200, np.longdouble), np.ones(200, ">f8")]
    for x in vectors:
        wanted = A @ x
        for _ in range(3):
            got = B @ x
            assert type(got) is type(wanted) and got.dtype == wanted.dtype and got.shape == wanted.shape
            assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
    u = rng.standard_normal(300)
    for _ in range(3):
        assert_allclose(u @ B, u @ A, rtol=1e-4, atol=1e-4)
        assert_allclose(B.T @ u, A.T @ u, rtol=1e-4, atol=1e-4)
        assert_allclose(np.ones((4, 300)) @ B, np.ones((4, 300)) @ A, rtol=1e-4, atol=1e-4)


def test_what_is_no_vector_is_refused_as_scipy_does(matrix):
    A = sparsecast.csr_array(matrix)
    A.plan_after = 0
    A @ np.ones(1500)
    for wrong in (np.ones(1499), np.ones((1499, 2)), 3.0, "x", None, np.ones((1500, 2, 2))):
        raised = []
        for M in (matrix, A):
            try:
                M @ wrong
            except Exception as error:
                raised.append((type(error), str(error)))
        assert len(raised) == 2 and raised[0] == raised[1], wrong


CHANGES = {
    "a value": lambda M, rng: M.data.__setitem__(rng.integers(M.nnz), 1e3),
    "a value through a view": lambda M, rng: M.data[7:].__setitem__(rng.integers(M.nnz - 7), 1e3),
    "all values": lambda M, rng: M.data.__setitem__(slice(None), rng.random(M.nnz)),
    "another array": lambda M, rng: setattr(M, "data", rng.random(M.nnz)),
    "scaled": lambda M, rng: setattr(M, "data", M.data.__imul__(1.5)),
    "an index": lambda M, rng: M.indices.__setitem__(M.indptr[5], 0),
    "indices out of order": lambda M, rng: M.indices.__setitem__(slice(None), M.indices[::-1].copy()),
    "row pointers": lambda M, rng: M.indptr.__setitem__(slice(1, -1), np.sort(rng.integers(0, M.nnz, M.shape[0] - 1))),
    "setdiag": lambda M, rng: M.setdiag(rng.standard_normal()),
    "an entry": lambda M, rng: M.__setitem__((3, 4), 5.0),
    "zeros": lambda M, rng: (M.data.__setitem__(slice(0, 50), 0), M.eliminate_zeros()),
    "fewer columns": lambda M, rng: M.resize(M.shape[0], M.shape[1] - 5),
    "more columns": lambda M, rng: M.resize(M.shape[0], M.shape[1] + 5),
    "fewer rows": lambda M, rng: M.resize(M.shape[0] - 9, M.shape[1]),
    "infinity": lambda M, rng: M.data.__setitem__(3, np.inf),
    "another type": lambda M, rng: setattr(M, "data", M.data.astype(np.float32)),
}


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_in_the_next_product(change, size, large, matrix, rng):
    M = sparsecast.csr_array((large if size == "large" else matrix).copy())
    for _ in range(3):
        M @ np.ones(M.shape[1])
        M.T @ np.ones(M.shape[0])
    for _ in range(3):
        CHANGES[change](M, rng)
        x, u = rng.standard_normal(M.shape[1]), rng.standard_normal(M.shape[0])
        for _ in range(3):
            assert_allclose(M @ x, fresh(M) @ x, rtol=1e-5, atol=1e-4)
            assert_allclose(M.T @ u, fresh(M).T @ u, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("columns", [5, -5])
def test_a_transpose_alone_meets_another_shape(size, columns, large, matrix):
    M = sparsecast.csr_array((large if size == "large" else matrix).copy())
    M.plan_after = 0
    u = np.ones(M.shape[0])
    for _ in range(3):
        M.T @ u, u @ M
    M.resize(M.shape[0], M.shape[1] + columns)
    for _ in range(3):
        assert_allclose(M.T @ u, fresh(M).T @ u, rtol=1e-5, atol=1e-4)
        assert_allclose(u @ M, u @ fresh(M), rtol=1e-5, atol=1e-4)


def test_a_matrix_of_the_older_kind_takes_another_shape(matrix):
    M = sparsecast.csr_matrix(matrix)
    M.plan_after = 0
    M @ np.ones(1500)
    M.set_shape((1500, 2000))
    assert_allclose(M @ np.ones(2000), matrix.reshape(1500, 2000) @ np.ones(2000), rtol=1e-12, atol=1e-12)


def test_memory_that_others_have_is_read_as_it_is(large):
    x = np.ones(large.shape[1])
    M = sparsecast.csr_array(large)
    for _ in range(5):
        M @ x
    assert np.may_share_memory(M.data, large.data)
    for place in (0, 7777, large.nnz - 1):
        large.data[place] += 1e5
        assert_allclose(M @ x, fresh(large) @ x, rtol=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), KINDS)
def test_copies_and_pickles_are_of_the_subclass_and_without_a_plan(ours, theirs, matrix):
    A = ours(matrix)
    x = np.ones(matrix.shape[1])
    for _ in range(3):
        A @ x
    ways = [pickle.loads(pickle.dumps(A)), A.copy(), copy.copy(A), copy.deepcopy(A), A.T.T.copy()]
    for B in [*ways, pickle.loads(pickle.dumps(A.T)).T]:
        assert type(B) is ours and B.plan is None
        for _ in range(3):
            assert_allclose(B @ x, matrix @ x, rtol=1e-12, atol=1e-12)
    assert len(pickle.dumps(A)) < len(pickle.dumps(theirs(matrix))) + 200


def test_results_of_operations_are_scipys(matrix):
    A, S = sparsecast.csr_array(matrix), matrix
    for _ in range(3):
        A @ np.ones(S.shape[1])
    assert type(A.T) is drop_in.csc_array and type(A.T.T) is sparsecast.csr_array and type(A.tocoo()) is sp.coo_array
    pairs = [(A[5:9], S[5:9]), (2 * A, 2 * S), (A + A, S + S), (A @ A.T, S @ S.T), (abs(A), abs(S))]
    pairs.append((A.tocsc(), S.tocsc()))
    for got, wanted in pairs:
        assert got.format == wanted.format and isinstance(got, type(wanted)) and (got != wanted).nnz == 0
    assert_allclose(A.sum(axis=0), S.sum(axis=0), atol=1e-12)
    assert_allclose(sl.norm(A), sl.norm(S))


def test_solvers_take_it_for_the_matrix_that_it_is(laplacian):
    A, b = sparsecast.csr_array(laplacian), np.ones(laplacian.shape[0])
    x, info = sl.cg(A, b, rtol=1e-10)
    assert info == 0 and A.plan is not None
    assert_allclose(A @ x, b, atol=1e-7)
    assert_allclose(sl.spsolve(A, b), x, rtol=1e-6)


def test_vectors_of_one_dimension_are_scipys(rng):
    v = sparsecast.csr_array(np.array([0.0, 1.0, 2.0]))
    assert v.ndim == 1 and [v @ np.ones(3) for _ in range(3)] == [3.0] * 3 and v.plan is None


def test_nothing_is_kept_alive(matrix):
    A = sparsecast.csr_array(matrix.copy())
    A.plan_after = 0
    A @ np.ones(matrix.shape[1])
    gone = weakref.ref(A)
    del A
    gc.collect()
    assert gone() is None


def test_threads_multiply_at_once_while_values_change(large):
    M, x, wrong = sparsecast.csr_array(large.copy()), np.ones(large.shape[1]), []
    wanted = {scale: scale * (large @ x) for scale in (1.0, 2.0)}

    def multiply():
        for _ in range(50):
            y = M @ x
            if not any(np.allclose(y, w) for w in wanted.values()):
                wrong.append(y)

    threads = [threading.Thread(target=multiply) for _ in range(4)]
    for thread in threads:
        thread.start()
    for k in range(40):
        M.data = large.data * (1.0 + k % 2)
    for thread in threads:
        thread.join()
    assert not wrong


def of_a_worker(A, x):
    import os

    for _ in range(3):
        y = A @ x
    return y, A.plan.threads, int(os.environ.get("OMP_NUM_THREADS", 0))


def test_workers_of_joblib_keep_to_their_share_of_the_cores(large):
    joblib = pytest.importorskip("joblib")  # comes with scikit-learn
    A, x = sparsecast.csr_array(large), np.ones(large.shape[1])
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        answers = joblib.Parallel(n_jobs=2)(joblib.delayed(of_a_worker)(A, x) for _ in range(4))
    for y, threads, allowed in answers:
        assert_allclose(y, large @ x, rtol=1e-12, atol=1e-12)
        assert threads == allowed == 1


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_pool(method, large):
    A, x = sparsecast.csr_array(large), np.ones(large.shape[1])
    for _ in range(8):
        A @ x  # with threads that a child by fork has not
    try:
        context = multiprocessing.get_context(method)
    except ValueError:
        pytest.skip(f"there is no {method} here")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        futures = [pool.submit(of_a_worker, A, x) for _ in range(4)]
        for future in futures:
            assert_allclose(future.result(timeout=120)[0], large @ x, rtol=1e-12, atol=1e-12)


def test_threadpoolctl_limits_products(large):
    threadpoolctl = pytest.importorskip("threadpoolctl")
    A, x = sparsecast.csr_array(large), np.ones(large.shape[1])
    with threadpoolctl.threadpool_limits(1):
        for _ in range(3):
            assert_allclose(A @ x, large @ x, rtol=1e-12, atol=1e-12)
        assert A.plan.threads == 1
