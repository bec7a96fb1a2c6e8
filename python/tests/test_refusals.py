"""What is refused: one clear exception each, and Python goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import sparsecast


@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble])
def test_values_that_are_too_wide(matrix, dtype):
    with pytest.raises(TypeError, match="are not supported, only float32, float64"):
        sparsecast.plan(matrix.astype(dtype))


@pytest.mark.parametrize("thing", [np.ones(3), np.ones((3, 3)), [[1.0]], None, "A", 3.0])
def test_what_is_no_sparse_matrix(thing):
    with pytest.raises(TypeError, match="a sparse matrix of SciPy is needed"):
        sparsecast.plan(thing)
    with pytest.raises((TypeError, sparsecast.Error)):
        sparsecast.structure(thing)


def test_shapes_that_do_not_match(matrix):
    P = sparsecast.plan(matrix)
    for call in (
        lambda: P @ np.ones(7),
        lambda: P @ np.ones((7, 2)),
        lambda: P.rmatvec(np.ones(7)),
        lambda: P @ 3.0,
        lambda: P.apply(np.ones(1500), out=np.ones(3)),
        lambda: P.apply(np.ones((1500, 2)), out=np.ones((2000, 3))),
        lambda: P.apply(np.ones(7)),
        lambda: P.apply(np.ones(1500), beta=1.0),
        lambda: P.update_values(np.ones(3)),
        lambda: P.update_values(np.ones((matrix.nnz, 1))),
    ):
        with pytest.raises(ValueError):
            call()


def test_a_wrong_call_is_an_error_of_the_package(matrix):
    P = sparsecast.plan(matrix)
    for call in (
        lambda: sparsecast.plan(matrix, iterations=0),
        lambda: sparsecast.plan(matrix, threads=0),
        lambda: sparsecast.plan(matrix, storage="quarter"),
        lambda: sparsecast.plan(matrix, products={}),
        lambda: sparsecast.forecast(matrix, precision="half"),
        lambda: sparsecast.accelerated(after=-1),
        lambda: P.update_values(np.ones(3)),
        lambda: P.powers(np.ones(1500)),
    ):
        with pytest.raises(sparsecast.Error) as refused:
            call()
        assert refused.value.code == "usage" and refused.value.reason and isinstance(refused.value, ValueError)


def test_no_module_raises_a_bare_value_error():
    modules = sorted(Path(sparsecast.__file__).parent.glob("*.py"))
    assert len(modules) > 15
    assert [file.name for file in modules if "raise ValueError" in file.read_text()] == []


def test_an_out_that_cannot_take_the_result(matrix):
    P, x = sparsecast.plan(matrix), np.ones(1500)
    fixed = np.ones(2000)
    fixed.flags.writeable = False
    for out, kind in (
        (fixed, ValueError),
        (np.ones(4000)[::2], ValueError),
        (np.ones(2000, np.float32), ValueError),
        ([0.0] * 2000, TypeError),
    ):
        with pytest.raises(kind):
            P.apply(x, out=out)


def test_an_out_that_overlaps_x(laplacian):
    P, x = sparsecast.plan(laplacian), np.ones(1000)
    with pytest.raises(ValueError, match="overlap"):
        P.apply(x[:900], out=x[:900])
    with pytest.raises(ValueError, match="overlap"):
        P.apply(x[:900], out=x[100:])
    X = np.ones((900, 3))
    with pytest.raises(ValueError, match="overlap"):
        P.apply(X, out=X)
    both = np.ones((900, 8))
    with pytest.raises(ValueError, match="overlap"):
        P.apply(both[:, :3], out=both[:, 2:5])
    with pytest.raises(ValueError, match="overlap"):
        P.gram(both[:, 0], out=both.reshape(-1)[:900])


def test_an_out_between_the_columns_of_x_does_not_overlap_it(laplacian):
    both = np.ones((900, 8))
    assert np.may_share_memory(both[:, :3], both[:, 3:6])
    sparsecast.plan(laplacian).apply(both[:, :3], out=both[:, 3:6])
    assert np.allclose(both[:, 3:6], laplacian @ np.ones((900, 3))) and np.all(both[:, [0, 1, 2, 6, 7]] == 1)


COMPLEX = [2 + 3j, np.complex64(2 + 3j), np.complex128(2 + 3j), np.clongdouble(2 + 3j), np.array(2 + 3j), np.complex64(2)]


@pytest.mark.parametrize("value", COMPLEX, ids=repr)
def test_an_imaginary_part_is_never_dropped(laplacian, value):
    P, x = sparsecast.plan(laplacian, powers=2), np.ones(900)
    y = np.ones(900)
    with pytest.raises(TypeError, match="^alpha and beta are complex, and the matrix is real$"):
        P.apply(x, alpha=value)
    with pytest.raises(TypeError, match="^alpha and beta are complex, and the matrix is real$"):
        P.apply(x, out=y, beta=value)
    coefficients = np.array([value, 1.0])
    with pytest.raises(TypeError, match="^coefficients of type complex"):
        P.polynomial(x, coefficients)
    with pytest.raises(TypeError, match="^coefficients of type complex"):
        P.chebyshev(x, list(coefficients), (0.0, 8.0))
    for interval in ((value, 8.0), (0.0, value)):
        with pytest.raises(TypeError, match="^an end of the interval is a real number, not"):
            P.chebyshev(x, [1.0, 1.0], interval)
    with pytest.raises(ValueError, match="^products must look like"):
        sparsecast.plan(laplacian, products={"A": value, "A.T": 1})
    Q = sparsecast.plan(laplacian.astype(complex), powers=2)
    assert np.allclose(Q.apply(x.astype(complex), alpha=value), complex(value) * (laplacian @ x))
    assert np.allclose(Q.polynomial(x, coefficients), complex(value) * x + laplacian @ x)


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2), np.array(2.0), np.longdouble(2), True])
def test_numbers_of_every_real_type_are_factors(laplacian, value):
    x = np.ones(900)
    assert np.allclose(sparsecast.plan(laplacian).apply(x, alpha=value), float(value) * (laplacian @ x))
    with pytest.raises(TypeError):
        sparsecast.plan(laplacian).apply(x, alpha=str(value))


def test_arrays_that_contradict_each_other(matrix):
    for spoil in (
        lambda A: A.indices.__setitem__(5, 10**6),
        lambda A: A.indices.__setitem__(5, -1),
        lambda A: A.indptr.__setitem__(3, 10**6),
        lambda A: A.indptr.__setitem__(0, 1),
        lambda A: setattr(A, "indices", A.indices[:10]),
        lambda A: setattr(A, "data", A.data[:10]),
    ):
        A = matrix.copy()
        spoil(A)
        with pytest.raises(ValueError):
            sparsecast.plan(A)


def put(A, **arrays):
    """A matrix whose arrays were set one by one, past the constructor."""
    B = A.copy()
    for name, array in arrays.items():
        setattr(B, name, array)
    return B


@pytest.mark.parametrize("format, name", [("csr", "indices"), ("csr", "indptr"), ("csc", "indices"), ("csc", "indptr")])
def test_indices_in_floating_point_are_whole_numbers_or_refused(matrix, format, name):
    A = matrix.asformat(format)
    x = np.ones(A.shape[1])
    floats = getattr(A, name).astype(np.float64)
    assert np.allclose(sparsecast.plan(put(A, **{name: floats})) @ x, A @ x)
    for wrong in (floats[7] + 0.5, np.nan, np.inf, 1e300):
        floats[7] = wrong
        with pytest.raises(ValueError, match=rf"{name}\[7\] is .* not a whole number"):
            sparsecast.plan(put(A, **{name: floats}))


def test_rows_and_offsets_in_floating_point(rng):
    A = sp.random_array((30, 30), density=0.1, format="coo", rng=rng)
    A.coords = (A.coords[0] + 0.5, A.coords[1])
    with pytest.raises(ValueError, match="row.0. is .* not a whole number"):
        sparsecast.plan(A)
    D = sp.dia_array((np.ones((2, 9)), [0, 1]), shape=(9, 9))
    D.offsets = np.array([0.0, 1.5])
    with pytest.raises(ValueError, match="offsets.1. is 1.5, not a whole number"):
        sparsecast.plan(D)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("wrong", [-1, 10**6])
def test_an_index_outside_is_named_and_sorting_is_no_remedy(matrix, format, wrong):
    A = matrix.asformat(format)
    if format == "coo":
        A.coords = (A.coords[0], A.coords[1].copy())
        A.coords[1][5] = wrong
    else:
        A = put(A, indices=A.indices.copy())
        A.indices[5] = wrong
    with pytest.raises(ValueError, match=rf"\[5\] is .*(column|row) {wrong} of \d+, counted from 0") as told:
        sparsecast.plan(A)
    assert "sort" not in str(told.value)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "int8", ">i4", ">i8"])
def test_indices_of_other_widths_and_orders(rng, dtype):
    A = sp.random_array((24, 18), density=0.2, format="csr", rng=rng)
    x = np.ones(18)
    B = put(A, indptr=A.indptr.astype(dtype), indices=A.indices.astype(dtype))
    assert np.allclose(sparsecast.plan(B) @ x, A @ x)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("dtype", [">f8", ">f4", ">c16", ">i8"])
def test_values_of_the_other_byte_order(rng, format, dtype):
    A = (8 * sp.random_array((24, 18), density=0.2, format="csr", rng=rng)).asformat(format)
    A.data = A.data.astype(dtype)
    right = A.astype(A.dtype.newbyteorder("=")) @ np.ones(18)
    assert np.allclose(sparsecast.plan(A) @ np.ones(18), right, rtol=1e-6)


def test_indices_are_looked_at_before_values_are_converted(rng):
    A = sp.random_array((24, 18), density=0.2, format="csr", rng=rng)
    for dtype in (np.int64, ">f8"):
        B = put(A, indices=A.indices + 0.5, data=A.data.astype(dtype))
        with pytest.raises(ValueError, match="indices.0. is .* not a whole number"):
            sparsecast.plan(B)


@pytest.mark.parametrize("dtype, large", [("uint32", 2**32 - 1), ("uint64", 2**64 - 1)])
def test_large_unsigned_indices_do_not_become_negative(rng, dtype, large):
    A = sp.random_array((24, 18), density=0.2, format="csr", rng=rng)
    indices = A.indices.astype(dtype)
    indices[3] = large
    with pytest.raises(ValueError, match=rf"indices\[3\] is (column )?{large}"):
        sparsecast.plan(put(A, indices=indices))


def test_the_remedy_of_complex_values_keeps_their_imaginary_parts(matrix):
    with pytest.raises(TypeError, match=r"A\.astype\(complex\)"):
        sparsecast.plan(matrix.astype(np.clongdouble))
    with pytest.raises(TypeError, match=r"A\.astype\(float\)"):
        sparsecast.plan(matrix.astype(np.longdouble))


def test_a_matrix_changed_after_planning(rng):
    A = sp.random_array((30, 30), density=0.03, format="csr", rng=rng)
    x = np.ones(30)
    for array in ("data", "indices", "indptr"):
        B = A.copy()
        P = sparsecast.plan(B)
        getattr(B, array)[3] += 1
        for call in (lambda: P @ x, lambda: P.rmatvec(x), lambda: P.apply(x), P.verify):
            with pytest.raises(ValueError, match="changed after it was planned"):
                call()
    large = sp.random_array((3000, 3000), density=0.01, format="csr", rng=rng)
    P = sparsecast.plan(large)
    large.data[12345] += 1
    with pytest.raises(ValueError, match="changed after it was planned"):
        P.verify()


def test_wrong_wishes(matrix):
    for wishes in (
        {"threads": 0},
        {"threads": "all"},
        {"iterations": 0},
        {"vectors": 0},
        {"precision": "half"},
        {"kernel": "no-such-kernel"},
    ):
        with pytest.raises(ValueError):
            sparsecast.plan(matrix, **wishes)
    with pytest.raises(sparsecast.Error) as caught:
        sparsecast.plan(matrix, device="no-such-machine")
    assert caught.value.code == "unavailable" and caught.value.remedy


def test_errors_tell_code_place_and_remedy(tmp_path):
    broken = tmp_path / "broken.mtx"
    broken.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 x 3\n")
    with pytest.raises(sparsecast.Error) as caught:
        sparsecast.structure(broken)
    assert caught.value.code == "bad_input"
    assert caught.value.place.line == 3 and caught.value.place.file.endswith("broken.mtx")
    assert isinstance(caught.value, ValueError)
    with pytest.raises(sparsecast.Error) as caught:
        sparsecast.forecast(sp.eye_array(3, format="csr"), "nvidia-h99")
    assert caught.value.code == "usage" and "nvidia-h100" in caught.value.remedy


NO_COUNTS = [0, -1, -1000, 1.5, 2.0, "2", True, 2**62 * 2, np.float64(3), [1]]


@pytest.mark.parametrize("value", NO_COUNTS)
def test_numbers_that_count_nothing(matrix, value):
    for question in (sparsecast.forecast, sparsecast.measure, sparsecast.plan):
        for name in ("vectors", "iterations", "threads"):
            with pytest.raises(ValueError, match=f"{name} must be .*whole number from 1 to"):
                question(matrix, **{name: value})
    for question in (sparsecast.plan_report, sparsecast.evaluate):
        with pytest.raises(ValueError, match="threads must be 'auto' or a whole number"):
            question([matrix] if question is sparsecast.evaluate else matrix, threads=value)
    with pytest.raises(ValueError, match="iterations must be a whole number"):
        sparsecast.plan_report(matrix, iterations=value)
    with pytest.raises(ValueError, match="max_blocks must be a whole number"):
        sparsecast.plan_report(matrix, max_blocks=value)
    with pytest.raises(ValueError, match="vectors must be a whole number from 1 to 1048576, not 1048577"):
        sparsecast.forecast(matrix, vectors=2**20 + 1)


def test_whole_numbers_of_numpy_count(matrix):
    told = sparsecast.forecast(matrix, "nvidia-h100", vectors=np.int32(2), iterations=np.int64(7))
    assert told.document["vectors"] == 2


@pytest.mark.parametrize("value", ["no", "False", 2, -1, 0.0, None, [1]])
def test_what_is_neither_true_nor_false(matrix, value):
    P = sparsecast.plan(matrix)
    for call in (
        lambda: sparsecast.plan(matrix, transposed=value),
        lambda: sparsecast.forecast(matrix, transposed=value),
        lambda: sparsecast.measure(matrix, transposed=value),
        lambda: P.apply(np.ones(P.shape[1]), transposed=value),
    ):
        with pytest.raises(ValueError, match="transposed must be True or False, not"):
            call()


@pytest.mark.parametrize("value", ["no", 2, [1]])
def test_switches_are_true_or_false(matrix, laplacian, value):
    for name, call in {
        "catalogue": sparsecast.devices,
        "progress": lambda progress: sparsecast.evaluate([matrix], progress=progress),
        "quick": lambda quick: sparsecast.calibrate(quick, progress=False),
        "fresh": lambda fresh: sparsecast.calibrate(fresh=fresh, progress=False),
        "last": lambda last: sparsecast.plan(laplacian, powers=2).powers(np.ones(900), last=last),
    }.items():
        with pytest.raises(ValueError, match=f"{name} must be True or False, not"):
            call(**{name: value})
    for name, call in {"probe": sparsecast.forecast, "every": sparsecast.measure, "verify": sparsecast.plan_report}.items():
        with pytest.raises(ValueError):
            call(matrix, **{name: value})


SOURCE = "kernel void twice(global float* x) {\n#ifdef BIG\nx[get_global_id(0)] *= 2;\n#else\nwrong\n#endif\n}"


def test_one_name_stands_for_a_list_of_it(tmp_path):
    (tmp_path / "twice.cl").write_text(SOURCE)

    def asked(**wishes):
        return sparsecast.kernel(tmp_path / "twice.cl", **{"grid": (2048,), "block": (256,), "device": "nvidia-a100", **wishes})

    one = asked(define="BIG=1")
    assert one["estimates"][0]["seconds"] == asked(define=["BIG=1"])["estimates"][0]["seconds"]
    for grid in [(64.7,), (64, 1, 1, 2), (), ("64",), "64", (0,), (True,)]:
        for name in ("grid", "block"):
            with pytest.raises(ValueError, match=name):
                asked(define="BIG=1", **{name: grid})
    with pytest.raises(ValueError, match="ways must name one way or more"):
        sparsecast.cluster.predict(tmp_path / "a.mtx", tmp_path / "b.json", [2], ways=[])


def test_evaluate_takes_folders_and_one_matrix(tmp_path, matrix):
    folder = tmp_path / "fold"
    folder.mkdir()
    with pytest.raises(sparsecast.Error, match="no matrix in the folder"):
        sparsecast.evaluate([folder])
    scipy.io.mmwrite(folder / "one.mtx", matrix)
    (tmp_path / "bad.mtx").write_text("no matrix")
    (folder / "notes.txt").write_text("no matrix")
    asked = {"kernels": "csr", "model": "sparsecast"}
    for given in (folder, str(folder), [str(folder)], folder / "one.mtx", [folder / "one.mtx", tmp_path / "bad.mtx"], matrix):
        table = sparsecast.evaluate(given, **asked)
        assert [(row.kernel, row.cases) for row in table] == [("csr", 1)], given
    for given in (tmp_path / "bad.mtx", [tmp_path / "bad.mtx"] * 2, str(tmp_path / "none.mtx")):
        with pytest.raises(sparsecast.Error) as refused:
            sparsecast.evaluate(given, **asked)
        assert refused.value.code == "bad_input"


def test_the_truth_of_numpy_counts(laplacian):
    P = sparsecast.plan(laplacian, transposed=np.True_)
    assert P.strategy["transposed"] is True
    x = np.arange(900.0)
    assert np.array_equal(P.apply(x, transposed=1), P.apply(x, transposed=np.True_))


@pytest.mark.parametrize("names", [[], "", (), ["csr", ""], [None], "csr,"])
def test_no_kernel_is_not_every_kernel(matrix, names):
    for question in (sparsecast.plan, sparsecast.forecast, sparsecast.measure):
        with pytest.raises(ValueError, match="kernels must name one kernel or more"):
            question(matrix, kernels=names)


@pytest.mark.parametrize("name", ["", 5, ["csr"]])
def test_a_kernel_is_a_name(matrix, name):
    with pytest.raises(ValueError, match="kernel must be the name of a kernel or None"):
        sparsecast.plan(matrix, kernel=name)


def test_arrays_of_more_dimensions_are_refused_in_one_line(matrix):
    P = sparsecast.plan(matrix)
    X = np.zeros((2, P.shape[1], 3))
    for call in (lambda: P @ X, lambda: P.dot(X), lambda: X @ P, lambda: P.T @ X, lambda: P.H @ X.tolist()):
        with pytest.raises(ValueError, match="^x has 3 dimensions; a plan multiplies arrays of one or two$"):
            call()
