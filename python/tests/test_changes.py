"""A matrix that changes after it was planned: the product is of the new one, or ValueError says so."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.sparse.linalg import aslinearoperator, cg

import sparsecast

N = 60
X = np.linspace(1.0, 2.0, N)


def base(seed=4):
    """Positive definite, with places where there is no entry."""
    A = sp.random_array((N, N), density=0.05, format="csr", rng=np.random.default_rng(seed))
    A = (A + A.T + 4 * sp.eye_array(N)).tocsr()
    A.indptr, A.indices = A.indptr.astype(np.int32), A.indices.astype(np.int32)
    A.sort_indices()
    return A


def from_right_to_left(A):
    order = np.concatenate([np.arange(e - 1, b - 1, -1) for b, e in zip(A.indptr[:-1], A.indptr[1:])])
    return sp.csr_array((A.data[order], A.indices[order], A.indptr.copy()), shape=A.shape)


def twice(A):
    """Every entry as two halves."""
    C = A.tocoo()
    row, col, data = (np.r_[a, a] for a in (C.coords[0], C.coords[1], C.data / 2))
    order = np.lexsort((col, row))
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=N))]).astype(np.int32)
    return sp.csr_array((data[order], col[order].astype(np.int32), starts), shape=A.shape)


def put(A, **arrays):
    for name, array in arrays.items():
        setattr(A, name, array)
    return A


def with_gaps(A):
    wide = np.zeros(2 * A.nnz)
    wide[::2] = A.data
    return put(A, data=wide[::2])


def with_room(A):
    return put(A, data=np.r_[A.data, 9.0, 9.0], indices=np.r_[A.indices, 0, 0].astype(np.int32))


def band():
    diagonals = np.arange(1.0, 3 * N + 1).reshape(3, N)
    return sp.dia_array((diagonals, [-1, 0, 1]), shape=(N, N))


FORMS = {
    "csr": (base, {}),
    "csr_matrix": (lambda: sp.csr_matrix(base()), {}),
    "wide indices": (lambda: put(base(), indptr=base().indptr.astype(np.int64), indices=base().indices.astype(np.int64)), {}),
    "indices of uint16": (lambda: put(base(), indptr=base().indptr.astype(np.uint16), indices=base().indices.astype(np.uint16)), {}),
    "out of order": (lambda: from_right_to_left(base()), {}),
    "entries twice": (lambda: twice(base()), {}),
    "strided": (lambda: with_gaps(base()), {}),
    "room behind": (lambda: with_room(base()), {}),
    "the other byte order": (lambda: put(base(), data=base().data.astype(">f8")), {}),
    "integers": (lambda: (100 * base()).ceil().astype(np.int64), {}),
    "float32": (lambda: base().astype(np.float32), {}),
    "complex": (lambda: base() * (1 + 2j), {}),
    "single": (base, {"storage": "single"}),
    "half": (base, {"storage": "half"}),
    "complex in bfloat16": (lambda: base() * (1 + 2j), {"storage": "bfloat16"}),
    "sell": (base, {"kernel": "sell"}),
    "few products": (base, {"iterations": 5}),
    "precision": (base, {"precision": "single"}),
    "csc": (lambda: base().tocsc(), {}),
    "csc_matrix": (lambda: sp.csc_matrix(base()), {}),
    "csc, half": (lambda: base().tocsc(), {"storage": "half"}),
    "coo": (lambda: base().tocoo(), {}),
    "bsr": (lambda: base().tobsr((2, 2)), {}),
    "bsr of columns": (lambda: put(base().tobsr((2, 2)), data=np.asfortranarray(base().tobsr((2, 2)).data)), {}),
    "dia": (band, {}),
    "lil": (lambda: base().tolil(), {}),
    "dok": (lambda: base().todok(), {}),
}


def entries(A):
    """The values that are an array of numbers."""
    if A.format == "lil":
        for row in A.data:
            row[:] = [3 * value for value in row]
    elif A.format == "dok":
        for key in list(A.keys()):
            A[key] = 3 * A[key]
    else:
        A.data *= 3


def absent(A):
    return next((i, j) for i in (0, N // 2, N - 1) for j in range(N) if A.tocsr()[i, j] == 0)


def set_at(A, place, value):
    A[place] = value


def replace_index(A):
    """Entries of the same values elsewhere."""
    if A.format == "coo":
        A.coords = (A.coords[1].copy(), A.coords[0][::-1].copy())
    elif A.format == "dia":
        A.offsets = A.offsets + 1
    else:
        A.indices = A.indices.copy()
        write_index(A)


def write_index(A):
    """Indices in place, still in order: the last entry of every line goes on by one where there is room."""
    if A.format in ("csr", "csc", "bsr"):
        size = (A.shape[0] if A.format == "csc" else A.shape[1]) // (A.blocksize[1] if A.format == "bsr" else 1)
        for begin, end in zip(A.indptr[:-1].astype(int), A.indptr[1:].astype(int)):
            line = A.indices[begin:end]
            if end > begin and line.max() + 1 < size:
                A.indices[begin + int(np.argmax(line))] += 1
    elif A.format == "coo":
        A.coords[1][:] = A.coords[1][::-1].copy()
    else:
        raise NotImplementedError


def another_array(A):
    if A.format == "lil":
        A.data = np.array([[3 * value for value in row] for row in A.data] + [[]], dtype=object)[:-1]
    else:
        A.data = 3 * A.data


def move_pointer(A):
    """The first entry of a line becomes the last of the one before."""
    k = next(k for k in range(1, A.indptr.size - 1) if A.indptr[k] < A.indptr[k + 1])
    A.indptr = A.indptr.copy()
    A.indptr[k] += 1


CHANGES = {
    "A.data *= 3": entries,
    "A.data[:] = 7": lambda A: A.data.__setitem__(slice(None), 7) if A.format not in ("lil", "dok") else entries(A),
    "A *= 3": lambda A: A.__imul__(3),
    "A /= 2": lambda A: A.__itruediv__(2),
    "A.data = 3 * A.data": another_array,
    "A.data in another type": lambda A: setattr(A, "data", (3 * A.data).astype(np.complex64 if A.dtype.kind == "c" else np.float32)),
    "an entry that is there": lambda A: set_at(A, (0, int(A.tocsr()[[0]].indices[0])), 50),
    "an entry that was not there": lambda A: set_at(A, absent(A), 50),
    "A[0] = 0": lambda A: set_at(A, (0, slice(None)), 0),
    "A.setdiag": lambda A: A.setdiag(50),
    "A.setdiag beside": lambda A: A.setdiag(50, k=7),
    "A.resize": lambda A: A.resize((N, N - 1)),
    "A.resize of rows": lambda A: A.resize((N - 1, N)),
    "A.resize to more": lambda A: A.resize((N, N + 1)),
    "eliminate_zeros": lambda A: (A.data.__setitem__(slice(0, 3), 0), A.eliminate_zeros()),
    "other indices": replace_index,
    "indices in place": write_index,
    "a row that ends earlier": move_pointer,
}


def product(P, x, how):
    return {
        "P @ x": lambda: P @ x,
        "P @ X": lambda: (P @ np.stack([x, x], axis=1))[:, 0],
        "P @ x of float32": lambda: P @ x.astype(np.float32),
        "P @ complex": lambda: P @ (x + 0j),
        "P.matvec": lambda: P.matvec(x),
        "P.matmat": lambda: P.matmat(x[:, None])[:, 0],
        "P.T.rmatvec": lambda: np.conj(P.T.rmatvec(np.conj(x))),
        "P.apply": lambda: P.apply(x.astype(P.dtype)),
        "(2 * P) @ x": lambda: ((2 * P) @ x) / 2,
        "(P + P) @ x": lambda: ((P + P) @ x) / 2,
        "P.T.T @ x": lambda: P.T.T @ x,
    }[how]()


WAYS = ["P @ x", "P @ X", "P @ x of float32", "P @ complex", "P.matvec", "P.matmat", "P.T.rmatvec", "P.apply"]
WAYS += ["(2 * P) @ x", "(P + P) @ x", "P.T.T @ x"]


def changed(form, change):
    """The matrix, its plan, and the matrix after the change; None where SciPy has no such change of it."""
    make, wishes = FORMS[form]
    A = make()
    P = sparsecast.plan(A, **wishes)
    near = 1e-2 if "storage" in wishes else 1e-5
    old = A @ X
    assert_allclose(P @ X, old, rtol=near)
    try:
        CHANGES[change](A)
        new = A.copy()
        if new.shape == (N, N) and np.allclose(new @ X, old, rtol=1e-3):
            return None
    except (NotImplementedError, TypeError, AttributeError, IndexError, ValueError):
        return None  # SciPy has no such change of this format, or no product after it
    return A, P, near


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("form", FORMS)
def test_a_product_is_of_the_new_matrix_or_says_so(form, change):
    found = changed(form, change)
    if found is None:
        return
    A, P, near = found
    for how in WAYS:
        try:
            y = product(P, X, how)
        except ValueError as told:
            assert "changed after it was planned" in str(told) and "\n" not in str(told)
        else:
            assert A.shape == (N, N), how
            assert_allclose(y, A @ X, rtol=near, err_msg=how)
    for call in (P.verify, lambda: pickle.dumps(P), lambda: copy.copy(P), lambda: sparsecast.plan(P), lambda: P.planned_matrix):
        if form == "few products" and change in ("A.data *= 3", "A.data[:] = 7", "A *= 3", "A /= 2"):
            break  # which are in the arrays that it multiplies
        with pytest.raises(ValueError, match="changed after it was planned"):
            call()


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("form", FORMS)
def test_the_remedy_that_an_error_names_works(form, change):
    found = changed(form, change)
    if found is None:
        return
    A, P, near = found
    try:
        P @ X
    except ValueError as told:
        if "update_values(A)" in str(told):
            P.update_values(A)
        else:
            assert "plan(A)" in str(told)
            try:
                P = sparsecast.plan(A, **FORMS[form][1])
            except (TypeError, ValueError):
                return  # it is no matrix any more
    assert_allclose(P @ np.resize(X, A.shape[1]), A @ np.resize(X, A.shape[1]), rtol=near)
    P.verify()
    entries(A)
    with pytest.raises(ValueError, match="changed after it was planned"):
        P @ np.resize(X, A.shape[1]), P.verify()


SAME = {
    "sorted": lambda A: A.sort_indices(),
    "summed": lambda A: A.sum_duplicates(),
    "no zeros eliminated": lambda A: A.eliminate_zeros(),
    "pruned": lambda A: A.prune(),
    "the same values elsewhere": lambda A: setattr(A, "data", A.data.copy()),
    "the same indices elsewhere": lambda A: setattr(A, "indices", A.indices.copy()),
    "checked": lambda A: A.check_format(),
    "asked for": lambda A: (A.nnz, A.has_sorted_indices, A.has_canonical_format, repr(A), A.T, A.tocsr(), A.diagonal()),
    "multiplied": lambda A: (A @ X, 3 * A, A + A, abs(A), A.copy()),
    "set to what it was": lambda A: set_at(A, (0, 0), A.tocsr()[0, 0]),
}


@pytest.mark.parametrize("same", SAME)
@pytest.mark.parametrize("form", FORMS)
def test_who_changes_nothing_hears_nothing(form, same):
    make, wishes = FORMS[form]
    A = make()
    P, want = sparsecast.plan(A, **wishes), A @ X
    near = 1e-2 if "storage" in wishes else 1e-5
    try:
        SAME[same](A)
        if not np.allclose(A @ X, want):
            return  # SciPy's own of indices that are none
    except (NotImplementedError, TypeError, AttributeError, IndexError, ValueError):
        return
    for _ in range(3):
        assert_allclose(P @ X, want, rtol=near)
        P.verify()
    entries(A)  # what is there now is what is watched
    with pytest.raises(ValueError, match="changed after it was planned"):
        P @ X, P.verify()


@pytest.mark.parametrize("form", ["csc", "coo", "bsr", "integers", "out of order", "csr", "half"])
def test_arrays_of_a_matrix_that_is_gone_are_watched(form):
    make, wishes = FORMS[form]
    A = make()
    data, P = A.data, sparsecast.plan(A, **wishes)
    before = P @ X
    del A
    gc.collect()
    assert_allclose(P @ X, before)
    data *= 3
    with pytest.raises(ValueError, match="changed after it was planned"):
        P @ X


def test_a_plan_keeps_no_matrix_alive_that_it_does_not_multiply_by():
    A, gone = base().tocsc(), []
    references = [weakref.finalize(A, gone.append, "matrix"), weakref.finalize(A.data, gone.append, "values")]
    P = sparsecast.plan(A)
    del A
    gc.collect()
    assert gone == ["matrix", "values"] and not any(one.alive for one in references)
    assert_allclose(P @ X, base() @ X)
    P.verify()


@pytest.mark.parametrize("form", FORMS)
def test_one_value_of_many_is_found_by_verify(form):
    A = base()
    A = sp.block_diag([A] * 30, format="csr")
    A.indptr, A.indices = A.indptr.astype(np.int32), A.indices.astype(np.int32)
    like, wishes = FORMS[form][0](), FORMS[form][1]
    A = A.asformat(like.format)
    if like.format not in ("lil", "dok"):
        A.data = A.data.astype(like.dtype)
    P, x = sparsecast.plan(A, **wishes), np.ones(A.shape[0])
    P @ x
    P.verify()
    if A.format in ("lil", "dok"):
        A[7, 7] = 1000
    else:
        A.data.reshape(-1)[np.flatnonzero(A.data.reshape(-1))[13]] = 1000
    try:
        assert_allclose(P @ x, A @ x, rtol=1e-2)
    except (AssertionError, ValueError):
        with pytest.raises(ValueError, match="changed after it was planned"):
            P.verify()


def test_new_values_of_a_plan_of_many_are_verified():
    A = sp.block_diag([base()] * 30, format="csr")
    for kernel in ("csr", "sell"):
        for values in (2 * A.data, A.data.copy()):
            P = sparsecast.plan(A, kernel=kernel)
            P.update_values(values)
            P.verify()
            values[13] += 1
            with pytest.raises(ValueError, match="changed after it was planned"):
                P.verify()


@pytest.mark.parametrize("form", FORMS)
def test_a_matrix_gives_new_values_in_any_form(form):
    make, wishes = FORMS[form]
    A = make()
    P = sparsecast.plan(A, **wishes)
    near = 1e-2 if "storage" in wishes else 1e-5
    other = (2 * A).tocoo() if A.dtype.isnative else 2 * A.astype(float)
    P.update_values(other)
    assert_allclose(P @ X, other @ X, rtol=near)
    P.verify()
    with pytest.raises(ValueError, match="at other positions than the planned"):
        P.update_values(sp.eye_array(N, format="csr"))
    with pytest.raises(ValueError, match="at other positions than the planned"):
        P.update_values(sp.csr_array((N, N + 1)))
    assert_allclose(P @ X, other @ X, rtol=near)


def test_solvers_and_operators_meet_the_change():
    A = base().tocsc()
    P = sparsecast.plan(A)
    b = np.ones(N)
    calls = (
        lambda: cg(P, b),
        lambda: sparsecast.solve.cg(P, b),
        lambda: aslinearoperator(P) @ X,
        lambda: P.T @ X,
        lambda: P.H @ X,
        lambda: P.rmatvec(X),
        lambda: P.rmatmat(np.ones((N, 2))),
        lambda: (P @ P) @ X,
        lambda: (P**2) @ X,
        lambda: P @ A,
        lambda: A @ P,
        lambda: P.T @ X.astype(np.longdouble),
        lambda: P.astype(np.float32),
        lambda: sparsecast.forecast(P),
    )
    for call in calls:
        call()
    A.data *= 2
    for call in calls:
        with pytest.raises(ValueError, match="changed after it was planned"):
            call()


def test_plans_of_a_plan_watch_the_same_matrix():
    A = base().tocsc()
    P = sparsecast.plan(A)
    others = [sparsecast.plan(P), copy.copy(P), P.astype(np.float32), sparsecast.plan(P, storage="half")]
    others += [sparsecast.plan(others[-1]), sparsecast.plan(others[-1], storage="single")]
    assert [Q.dtype == np.float64 for Q in others] == [True, True, False, True, True, True]
    for Q in others:
        assert_allclose(Q @ X, A @ X, rtol=1e-2)
        Q.verify()
    apart = [pickle.loads(pickle.dumps(P)), copy.deepcopy(P)]
    before = A @ X
    A.data *= 2
    for Q in others:
        with pytest.raises(ValueError, match="changed after it was planned"):
            Q @ X
        Q.update_values(A)
        assert_allclose(Q @ X, A @ X, rtol=1e-2)
    for Q in apart:
        assert_allclose(Q @ X, before)


def test_a_second_plan_in_double_precision_meets_the_change():
    A = base().astype(np.float32).tocsc()
    P = sparsecast.plan(A)
    assert (P @ X).dtype == np.float64
    A.data *= 2
    with pytest.raises(ValueError, match="changed after it was planned"):
        P @ X
    P.update_values(A)
    assert_allclose(P @ X, A @ X, rtol=1e-12)


class Tensor:
    """What a plan asks of a sparse tensor of PyTorch."""

    def __init__(self, A):
        self.shape, self.arrays = A.shape, (A.indptr, A.indices, A.data)

    def crow_indices(self):
        return self.arrays[0].view()

    def col_indices(self):
        return self.arrays[1].view()

    def values(self):
        return self.arrays[2].view()


class Coordinates:
    """What a plan asks of PyData's arrays."""

    def __init__(self, A):
        self.data, self.coords = A.data, np.array(A.coords)

    def to_scipy_sparse(self):
        return sp.coo_array((self.data, tuple(self.coords)), shape=(N, N))


@pytest.mark.parametrize("make", [base, lambda: from_right_to_left(base())])
def test_tensors_of_pytorch_are_watched(make):
    A = make()
    T = Tensor(A)
    P = sparsecast.plan(T)
    assert_allclose(P @ X, A @ X)
    P.verify()
    A.data *= 2
    with pytest.raises(ValueError, match="changed after it was planned"):
        P @ X
    P.update_values(T)
    assert_allclose(P @ X, A @ X)


def test_arrays_of_pydata_are_watched():
    C = Coordinates(base().tocoo())
    P = sparsecast.plan(C)
    P.verify()
    for change in (lambda: C.data.__imul__(2), lambda: setattr(C, "data", 3 * C.data)):
        change()
        with pytest.raises(ValueError, match="changed after it was planned"):
            P @ X
        P.update_values(C)
        assert_allclose(P @ X, C.to_scipy_sparse() @ X)


@pytest.mark.parametrize("kernel", ["csr", "csr-merge", "csr-scalar", "sell", "jad", "ell", "hyb", "coo"])
def test_a_plan_says_whether_it_holds_a_copy(kernel):
    A = sp.random_array((2000, 1500), density=4e-3, format="csr", rng=np.random.default_rng(1))
    x = np.ones(1500)
    P = sparsecast.plan(A, kernel=kernel)
    before = P @ x
    A.data[5007] += 100  # among those that are looked at by no product
    now = P @ x
    assert P.holds_copy == np.array_equal(now, before)
    assert P.holds_copy == ("holds a copy" in repr(P))
    P.update_values(A)
    assert_allclose(P @ x, A @ x)


@pytest.mark.parametrize("kernel", ["csr", "sell"])
def test_a_symmetric_matrix_may_become_another(kernel):
    A = sp.random_array((3000, 3000), density=2e-3, format="csr", rng=np.random.default_rng(1))
    A = sp.csr_array(A + A.T)
    u = np.random.default_rng(2).standard_normal(3000)
    P = sparsecast.plan(A, kernels=kernel, products={"A": 1, "A.T": 1})
    assert P.strategy["transpose"]["storage"] == "symmetric"
    A.data[5007] += 100  # among those that are looked at by no product
    assert not np.allclose(P.T @ u, A.T @ u)
    assert P.holds_copy and "holds a copy" in repr(P)
    P.update_values(A)
    assert_allclose(P.T @ u, A.T @ u)
    assert_allclose(P.gram(u), A.T @ (A @ u))
    told = P.strategy["transpose"]
    assert told["storage"] == "shared" and "no longer symmetric" in told["reason"] and told["seconds"] == 0
    assert P.holds_copy == (kernel == "sell")
    assert pickle.loads(pickle.dumps(P)).strategy["transpose"]["storage"] != "symmetric"


@pytest.mark.parametrize("form", [sparsecast.csr_array, sp.csr_array])
def test_arrays_that_take_plans_by_themselves_see_that_a_matrix_is_no_longer_symmetric(form):
    A = sp.random_array((3000, 3000), density=5e-3, format="csr", rng=np.random.default_rng(1))
    A = form(sp.csr_array(A + A.T))
    u = np.random.default_rng(2).standard_normal(3000)
    with sparsecast.accelerated(after=0):
        for step in range(4):
            A.data[5007 + step] += 100
            expected = A.toarray()
            assert_allclose(A.T @ u, expected.T @ u, rtol=1e-9, atol=1e-9)
            assert_allclose(A @ u, expected @ u, rtol=1e-9, atol=1e-9)


def test_what_is_converted_is_a_copy():
    A = base()
    assert not sparsecast.plan(A, kernel="csr").holds_copy
    assert sparsecast.plan(A.tocsc(), kernel="csr").holds_copy
    assert sparsecast.plan(A.astype(np.float32), kernel="csr", precision="double").holds_copy
    assert sparsecast.plan(A, kernel="csr", storage="single").holds_copy
    assert sparsecast.plan(from_right_to_left(A), kernel="csr").holds_copy
    P = sparsecast.plan(A)
    assert P.holds_copy == (P.kernel not in ("csr", "csr-merge", "csr-scalar"))
