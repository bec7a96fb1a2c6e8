"""What a plan computes, against SciPy's product of the same matrix."""

from __future__ import annotations

import copy
import gc
import pickle
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import sparsecast


def close(dtype):
    return {"rtol": 2e-5, "atol": 1e-4} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_products_are_those_of_scipy(matrix, rng, dtype, index, kind):
    A = kind(matrix.astype(dtype))
    A.indices, A.indptr = A.indices.astype(index), A.indptr.astype(index)
    x, u = rng.standard_normal(1500).astype(dtype), rng.standard_normal(2000).astype(dtype)
    X, U = rng.standard_normal((1500, 5)).astype(dtype), rng.standard_normal((2000, 3)).astype(dtype)
    P = sparsecast.plan(A)
    assert isinstance(P, LinearOperator)
    assert P.shape == A.shape and P.dtype == dtype
    for got, want in [
        (P @ x, A @ x),
        (P.matvec(x), A @ x),
        (P.dot(x), A @ x),
        (P(x), A @ x),
        (P * x, A @ x),
        (P @ X, A @ X),
        (P @ np.asfortranarray(X), A @ X),
        (P.matmat(X), A @ X),
        (P.rmatvec(u), A.T @ u),
        (P.rmatmat(U), A.T @ U),
        (P.T @ u, A.T @ u),
        (P.H @ U, A.T @ U),
        (P.T.T @ x, A @ x),
        (P.T.rmatvec(x), A @ x),
    ]:
        assert got.dtype == dtype and got.shape == want.shape
        assert_allclose(got, want, **close(dtype))


def test_single_and_double_precision_meet_as_in_scipy(matrix, rng):
    A = matrix.astype(np.float32)
    P = sparsecast.plan(A)
    x, u, X = rng.standard_normal(1500), rng.standard_normal(2000), rng.standard_normal((1500, 3))
    for got, want in [
        (P @ x, A @ x),
        (P @ X, A @ X),
        (P.T @ u, A.T @ u),
        (P.apply(x), A @ x),
        (P @ (x + 1j), A @ (x + 1j)),
        (P @ x.astype(np.float32), A @ x.astype(np.float32)),
        (P @ np.round(x).astype(np.int64), A @ np.round(x).astype(np.int64)),
    ]:
        assert got.dtype == want.dtype
        assert_allclose(got, want, **close(got.dtype if got.dtype.kind == "f" else np.float64))
    P.update_values(2 * A.data)
    assert_allclose(P @ x, 2 * (A @ x), rtol=1e-12, atol=1e-12)
    assert (sparsecast.plan(A, precision="single") @ x).dtype == np.float32


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint64, bool])
def test_integers_and_bool_are_converted_once(matrix, rng, dtype):
    A, x = (100 * matrix).astype(dtype), rng.standard_normal(1500)
    P = sparsecast.plan(A)
    assert P.dtype == np.float64 and f"converted from {A.dtype}" in repr(P)
    assert_allclose(P @ x, A @ x, rtol=1e-12, atol=1e-10)


def test_whole_numbers_that_a_double_does_not_hold_are_told(capfd, monkeypatch):
    monkeypatch.setattr(sparsecast._stderr, "_said", set())
    for values, told in [([2**53 - 1, 1], False), ([2**53 + 1, 1], True), ([1, -(2**53) - 1], True), ([], False)]:
        A = sp.csr_array((np.array(values, np.int64), np.arange(len(values)), [0, len(values), len(values)]), (2, 2))
        sparsecast._stderr._said.clear()
        sparsecast.plan(A)
        assert ("whole numbers of 2^53 and more are rounded" in capfd.readouterr().err) is told, values


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix])
def test_complex_matrices(matrix, rng, dtype, kind):
    A = kind((matrix * (1 + 2j) + 1j * matrix.power(2)).astype(dtype))
    P = sparsecast.plan(A)
    x, u, X = rng.standard_normal(1500), rng.standard_normal(2000), rng.standard_normal((1500, 3))
    for got, want in [
        (P @ x, A @ x),
        (P @ (x + 1j), A @ (x + 1j)),
        (P @ (X - 2j), A @ (X - 2j)),
        (P.T @ (u + 1j), A.T @ (u + 1j)),
        (P.H @ (u + 1j), A.conj().T @ (u + 1j)),
        (P.H @ u.astype(dtype), A.conj().T @ u.astype(dtype)),
        (P.rmatvec((u + 1j).astype(dtype)), A.conj().T @ (u + 1j).astype(dtype)),
        (P.H.H @ x.astype(dtype), A @ x.astype(dtype)),
        (P.rmatmat(np.ones((2000, 2)) + 1j), A.conj().T @ (np.ones((2000, 2)) + 1j)),
        (P.apply(x.astype(dtype), alpha=2j), 2j * (A @ x.astype(dtype))),
        (pickle.loads(pickle.dumps(P)) @ x.astype(np.float32), A @ x.astype(np.float32)),
    ]:
        assert got.dtype == want.dtype and got.shape == want.shape
        assert_allclose(got, want, **close(np.float32 if got.dtype == np.complex64 else np.float64))


@pytest.mark.parametrize("kernel", ["csr", "csr-merge", "sell", "bsr"])
def test_complex_values_are_updated_and_kept_apart_from_real_ones(matrix, rng, kernel):
    A = (matrix * (1 + 2j)).tocsr()
    P, x = sparsecast.plan(A, kernel=kernel), rng.standard_normal(1500)
    new = A.data * 1j
    P.update_values(new)
    assert_allclose(P @ x, type(A)((new, A.indices, A.indptr), shape=A.shape) @ x, rtol=1e-12, atol=1e-12)
    real = sparsecast.plan(matrix)
    with pytest.raises(TypeError, match="complex"):
        real.update_values(matrix.data * 1j)
    with pytest.raises(TypeError, match="complex"):
        real.apply(x, alpha=1j)
    with pytest.raises(sparsecast.Error, match="no product of complex values"):
        sparsecast.plan(A, kernel="ell")


def test_few_products_are_planned_without_a_look(matrix, rng, tmp_path):
    x = rng.standard_normal(1500)
    P = sparsecast.plan(matrix, iterations=39)
    assert P.kernel == "csr" and "few products" in P.strategy["reason"]
    assert_allclose(P @ x, matrix @ x, rtol=1e-12, atol=1e-12)
    P.verify()  # it multiplies the arrays as they are
    P.update_values(2 * matrix.data)
    assert_allclose(P @ x, 2 * (matrix @ x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("storage", "digits"), [("single", 24), ("half", 11), ("bfloat16", 8)])
def test_values_rounded_for_storage_are_summed_in_double(matrix, rng, storage, digits):
    matrix = matrix.copy()
    matrix.data += np.copysign(0.01, matrix.data)  # no denormal numbers
    x = rng.standard_normal(1500)
    P = sparsecast.plan(matrix, storage=storage)
    exponents = np.frexp(matrix.data)[1]
    rounded = matrix.copy()
    rounded.data = np.ldexp(np.rint(np.ldexp(matrix.data, digits - exponents)), exponents - digits)
    assert P.dtype == np.float64 and 0 < P.storage_error <= 2.0**-digits
    assert pickle.loads(pickle.dumps(P)).storage_error == P.storage_error
    assert_allclose(P @ x, rounded @ x, rtol=1e-12, atol=1e-12)
    P.update_values(matrix.data * 2)  # a power of two: rounded alike
    assert_allclose(P @ x, 2 * (rounded @ x), rtol=1e-12, atol=1e-12)


def test_what_a_storage_does_not_hold_is_refused(matrix):
    huge = matrix.copy()
    huge.data[0] = 1e300
    with pytest.raises(ValueError, match="exceeds the range of half"):
        sparsecast.plan(huge, storage="half")
    with pytest.raises(ValueError, match="storage"):
        sparsecast.plan(matrix, storage="quarter")


def test_values_that_are_not_finite_pass_through(matrix, rng):
    A, x = matrix.copy(), rng.standard_normal(1500)
    A.data[[17, 400]] = np.nan, np.inf
    P = sparsecast.plan(A)
    assert np.isnan(A @ x).any() and np.isinf(A @ x).any()
    assert_allclose(P @ x, A @ x, rtol=1e-12, atol=1e-12)
    assert_allclose(P.T @ np.ones(2000), A.T @ np.ones(2000), rtol=1e-12, atol=1e-12)


def test_a_dense_array_of_it_is_refused(matrix):
    with pytest.raises(TypeError, match="no dense array"):
        np.asarray(sparsecast.plan(matrix))


@pytest.mark.parametrize("kernel", ["csr", "sell", "ell", "coo", "csr-merge"])
def test_a_named_kernel_multiplies(matrix, rng, kernel):
    P = sparsecast.plan(matrix, kernel=kernel)
    assert P.kernel == kernel and P.predicted_s == 0
    x, X = rng.standard_normal(1500), rng.standard_normal((1500, 3))
    assert_allclose(P @ x, matrix @ x, rtol=1e-12, atol=1e-12)
    assert_allclose(P @ X, matrix @ X, rtol=1e-12, atol=1e-12)
    assert_allclose(P.rmatvec(matrix @ x), matrix.T @ (matrix @ x), rtol=1e-12, atol=1e-12)


def test_vectors_of_every_kind_come_in(matrix, rng):
    P = sparsecast.plan(matrix)
    x = rng.standard_normal(3000)[::2]
    for given in (x, x.tolist(), x.astype(np.float32), np.round(x).astype(int), x > 0, x + 1j * x[::-1], x[:, None]):
        want = matrix @ np.asarray(given)
        got = P @ given
        assert got.shape == want.shape
        assert_allclose(got, want, rtol=1e-6, atol=1e-6)
    assert (P @ np.zeros((1500, 0))).shape == (2000, 0)
    Y = rng.standard_normal((1500, 8))
    assert_allclose(P @ Y[:, 2:6], matrix @ Y[:, 2:6], rtol=1e-12, atol=1e-12)


def test_it_stands_in_expressions_of_operators(matrix, rng):
    P, u = sparsecast.plan(matrix), rng.standard_normal(2000)
    S = P @ P.T + 2 * aslinearoperator(sp.eye_array(2000))
    assert_allclose(S @ u, matrix @ (matrix.T @ u) + 2 * u, rtol=1e-10, atol=1e-10)


def test_apply_scales_adds_and_writes_where_it_is_told(matrix, rng):
    P = sparsecast.plan(matrix)
    x, u, X = rng.standard_normal(1500), rng.standard_normal(2000), rng.standard_normal((1500, 4))
    y = rng.standard_normal(2000)
    want = 2 * (matrix @ x) - 3 * y
    assert P.apply(x, out=y, alpha=2, beta=-3) is y
    assert_allclose(y, want, rtol=1e-12, atol=1e-12)
    assert_allclose(P.apply(u, transposed=True), matrix.T @ u, rtol=1e-12, atol=1e-12)
    Y = np.full((2000, 6), np.nan)
    P.apply(X, out=Y[:, 1:5])
    assert_allclose(Y[:, 1:5], matrix @ X, rtol=1e-12, atol=1e-12)
    assert np.isnan(Y[:, [0, 5]]).all()
    assert_allclose(P.apply(X, out=np.full((2000, 4), np.nan, order="F")), matrix @ X, rtol=1e-12, atol=1e-12)


def test_new_values_take_the_place_of_the_old(matrix, rng):
    A = matrix.copy()
    x = rng.standard_normal(1500)
    for kernel in (None, "csr", "sell"):
        P = sparsecast.plan(A, kernel=kernel)
        values = rng.standard_normal(A.nnz)
        P.update_values(values)
        B = sp.csr_array((values, A.indices, A.indptr), shape=A.shape)
        assert_allclose(P @ x, B @ x, rtol=1e-12, atol=1e-12)
        assert_allclose(pickle.loads(pickle.dumps(P)) @ x, B @ x, rtol=1e-12, atol=1e-12)
        P.verify()


def test_values_changed_in_place_are_taken_after_they_are_told(rng):
    A = sp.random_array((40, 40), density=0.1, format="csr", rng=rng)
    P = sparsecast.plan(A)
    A.data *= 2
    with pytest.raises(ValueError, match="changed after it was planned"):
        P @ np.ones(40)
    P.update_values(A.data)
    assert_allclose(P @ np.ones(40), A @ np.ones(40))


def test_a_pickle_plans_again(matrix, rng):
    P = sparsecast.plan(matrix.astype(np.float32), iterations=200, threads=1, precision="double")
    Q = pickle.loads(pickle.dumps(P))
    assert Q.dtype == P.dtype and Q.threads == 1 and Q.strategy["iterations"] == 200
    x = rng.standard_normal(1500)
    assert_allclose(Q @ x, P @ x)
    assert_allclose(copy.deepcopy(P) @ x, P @ x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("storage", [None, "single"])
def test_a_plan_in_another_type(matrix, rng, dtype, storage):
    P = sparsecast.plan(matrix, threads=1, storage=storage)
    Q, x = P.astype(dtype), rng.standard_normal(1500)
    assert Q.dtype == dtype and Q.threads == 1 and P.dtype == np.float64
    if storage is None:
        assert (Q @ x).dtype == np.result_type(dtype, np.float64)
    assert_allclose(Q @ x, matrix.astype(dtype) @ x, rtol=1e-5, atol=1e-5)


def test_memory_mapped_arrays_are_borrowed(matrix, rng, tmp_path):
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(matrix, name))
    arrays = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("data", "indices", "indptr")]
    A, x = sp.csr_array(tuple(arrays), shape=matrix.shape), rng.standard_normal(1500)
    P = sparsecast.plan(A, kernel="csr")
    assert np.may_share_memory(P.planned_matrix.data, arrays[0])
    assert_allclose(P @ x, matrix @ x, rtol=1e-12, atol=1e-12)


def test_a_plan_for_few_products_is_pickled(matrix):
    P = pickle.loads(pickle.dumps(sparsecast.plan(matrix, iterations=5)))
    assert_allclose(P @ np.ones(1500), matrix @ np.ones(1500), rtol=1e-12, atol=1e-12)


def test_it_says_what_it_is(matrix):
    P = sparsecast.plan(matrix, iterations=100)
    assert P.kernel in repr(P) and "2000 × 1500" in repr(P) and "forecast" in repr(P)
    assert P.strategy["strategy"][0]["kernel"] in P.kernel
    assert P.break_even is None or P.break_even >= 0
    assert P.forecast[P.strategy["best_single"]["kernel"]]["seconds"] > 0
    assert P.nbytes > 0 and P.conversion_s >= 0
    assert "converted from csc" in repr(sparsecast.plan(matrix.tocsc()))


INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
DTYPES = [bool, *INTEGERS, np.float32, np.float64, np.complex64, np.complex128]


@pytest.mark.parametrize("dtype", DTYPES)
def test_answers_are_in_the_precision_of_plans(matrix, dtype):
    A = (100 * matrix).astype(dtype)
    P = sparsecast.plan(A, kernel="csr")
    single = P.dtype in (np.float32, np.complex64)
    word = ("complex-" if P.dtype.kind == "c" else "") + ("single" if single else "double")
    told = sparsecast.forecast(A)
    assert told.answer.precision == word
    assert told["csr"].bytes == P.nbytes
    assert sparsecast.measure(A, kernels="csr").answer.precision == word
    assert sparsecast.plan_report(A)["precision"] == word
    assert sparsecast.forecast(P).answer.precision == word
    assert sparsecast.forecast(sparsecast.plan(A, precision="single")).answer.precision.endswith("single")


@pytest.mark.parametrize("kernel", ["csr", "csr-scalar", "ell", "sell", "hyb", "coo"])
def test_a_named_kernel_is_held_against_csr(rng, kernel):
    lengths = np.where(np.arange(5000) % 50 == 0, 300, 4)  # ell pads them all
    columns = np.concatenate([rng.choice(5000, n, replace=False) for n in lengths])
    A = sp.csr_array((np.ones(columns.size), (np.repeat(np.arange(5000), lengths), columns)), shape=(5000, 5000))
    pays = sparsecast.plan(A, kernel=kernel).break_even
    told = sparsecast.forecast(A)
    spent = (told[kernel].preprocess or 0) - (told["csr"].preprocess or 0)
    if kernel in ("csr", "csr-scalar"):
        assert pays == 0
    elif told[kernel].seconds >= told["csr"].seconds:
        assert pays is None and spent > 0
    else:
        assert (pays - 1) * (told["csr"].seconds - told[kernel].seconds) <= 1.01 * spent
    if kernel == "ell":
        assert pays is None


def test_plans_for_other_products_are_one_kernel(matrix, rng):
    X, u = rng.standard_normal((1500, 8)), rng.standard_normal(2000)
    P, Q = sparsecast.plan(matrix, vectors=8), sparsecast.plan(matrix, transposed=True)
    assert len(P.strategy["strategy"]) == len(Q.strategy["strategy"]) == 1
    assert P.predicted_s > 0 and Q.predicted_s > 0
    assert_allclose(P @ X, matrix @ X, rtol=1e-12, atol=1e-12)
    assert_allclose(Q.T @ u, matrix.T @ u, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("form", ["csc", "coo", "bsr", "dia", "lil", "dok"])
def test_other_formats_are_converted(laplacian, rng, form):
    x = rng.standard_normal(900)
    P = sparsecast.plan(laplacian.asformat(form))
    assert f"converted from {form}" in repr(P)
    assert_allclose(P @ x, laplacian @ x, rtol=1e-12, atol=1e-12)


def test_entries_out_of_order_are_put_in_order_in_a_copy():
    arrays = np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 0, 1, 1], np.int32), np.array([0, 2, 4], np.int32)
    before = [array.copy() for array in arrays]
    A = sp.csr_array(arrays, shape=(2, 3))
    P = sparsecast.plan(A)
    assert_allclose(P @ np.array([1.0, 10.0, 100.0]), [102.0, 70.0])
    for now, then in zip((A.data, A.indices, A.indptr), before):
        np.testing.assert_array_equal(now, then)
    with pytest.raises(ValueError, match="sorted in a copy"):
        P.update_values(np.ones(4))


def test_arrays_are_borrowed_and_kept(rng):
    A = sp.random_array((300, 300), density=0.05, format="csr", rng=rng)
    want = A @ np.ones(300)
    A.data.flags.writeable = A.indices.flags.writeable = A.indptr.flags.writeable = False
    P = sparsecast.plan(A, kernel="csr")
    del A
    gc.collect()
    [np.empty(5000) for _ in range(100)]
    assert_allclose(P @ np.ones(300), want)


def test_empty_matrices_have_products():
    for shape in ((0, 0), (0, 5), (5, 0), (3, 4)):
        P = sparsecast.plan(sp.csr_array(shape))
        assert (P @ np.ones(shape[1])).tolist() == [0.0] * shape[0]
        assert P.rmatvec(np.ones(shape[0])).tolist() == [0.0] * shape[1]
        assert (P @ np.ones((shape[1], 2))).shape == (shape[0], 2)


def test_results_own_memory_that_nobody_else_has(rng):
    """Large ones come out of memory that is kept from one to the next."""
    A = sp.random_array((200_000, 50), density=0.05, format="csr", rng=rng)
    P, x = sparsecast.plan(A, kernel="csr"), np.ones(50)
    first = P @ x
    want = first.copy()
    others = [P @ (2 * x) for _ in range(3)] + [P @ np.ones((50, 2)), P.apply(3 * x)]
    assert first.flags.owndata and first.flags.writeable and first.flags.aligned
    assert not any(np.may_share_memory(one, two) for one in others for two in (first, *others) if one is not two)
    np.testing.assert_array_equal(first, want)
    del others
    first.resize(300_000, refcheck=False)
    np.testing.assert_array_equal(first[:200_000], want)
    del first
    np.testing.assert_array_equal(P @ x, want)


def test_results_of_many_threads_and_of_plans_that_are_gone(rng):
    A = sp.random_array((100_000, 50), density=0.05, format="csr", rng=rng)
    x = np.ones(50)
    want, kept = A @ x, []

    def work():
        P = sparsecast.plan(A, kernel="csr", threads=1)
        for _ in range(40):
            y = P @ x
            assert_allclose(y, want, rtol=1e-12)
        kept.append(y)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert len(kept) == 4
    for y in kept:
        assert_allclose(y, want, rtol=1e-12)


def test_trials_measure_before_the_choice_and_tell():
    A = sp.random_array((3000, 3000), density=0.004, format="csr", rng=5)
    P = sparsecast.plan(A, trials=2, threads=1)
    report = P.trials
    if report["tried"]:  # else a test before this one has tried them
        assert len(report["tried"]) == 2 and all(one["seconds"] > 0 for one in report["tried"])
        assert report["spent_s"] > 0
    assert 0 <= report["left_to_win"] <= 1
    x = np.linspace(1, 2, 3000)
    np.testing.assert_allclose(P @ x, A @ x)
    assert sparsecast.plan(A, threads=1).trials is None


def test_an_online_plan_is_right_from_the_first_product_on():
    A = sp.random_array((3000, 3000), density=0.004, format="csr", rng=6)
    P = sparsecast.plan(A, trials="online", threads=1)
    x = np.linspace(1, 2, 3000)
    expected = A @ x
    for _ in range(60):
        np.testing.assert_allclose(P @ x, expected)
    assert P.health() is None or isinstance(P.health(), str)
    with pytest.raises(ValueError, match="trials must be"):
        sparsecast.plan(A, trials="many")
