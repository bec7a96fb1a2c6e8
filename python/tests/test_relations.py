"""Relations that must hold whatever the matrix: between an answer and its own parts, between ways to ask for it, between a
matrix and others made of it, and between a plan's products.

What they guard against is an answer that is wrong and looks sure, in places where nobody knows the right one."""

from __future__ import annotations

import functools
import http.server
import io
import itertools
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tarfile
import threading

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sparsecast

# SPARSECAST_RELATIONS: examples of each relation; scripts run more of them than the suite does.
CASES = int(os.environ.get("SPARSECAST_RELATIONS", "100"))


def quickly(cases: int = CASES):
    return settings(max_examples=cases, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


few = quickly(max(5, CASES // 20))
of_each = quickly(max(5, CASES // 3))  # where several are asked


@st.composite
def matrices(draw, most_rows: int = 400, square: bool = False):
    """Bands, stencils, graphs with hubs, blocks, dense and empty rows; their rows and columns sometimes permuted."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows = draw(st.integers(1, most_rows))
    cols = rows if square else draw(st.integers(1, most_rows))
    kind = draw(st.sampled_from(["random", "band", "hubs", "blocks", "dense rows", "empty"]))
    if kind == "band":
        offsets = sorted({int(k) for k in rng.integers(-min(5, rows - 1), min(5, cols - 1) + 1, size=4)})
        A = sp.diags_array([1.0 + rng.random() for _ in offsets], offsets=offsets, shape=(rows, cols))
    elif kind == "blocks":
        part = rng.standard_normal((3, 3))
        A = sp.kron(sp.random_array((max(1, rows // 3), max(1, cols // 3)), density=0.05, rng=rng), part)
    else:
        A = sp.random_array((rows, cols), density=0.0 if kind == "empty" else 0.03, rng=rng)
        if kind == "hubs":
            A = A + sp.coo_array((np.ones(cols), (np.zeros(cols, int), np.arange(cols))), shape=(rows, cols))
        if kind == "dense rows":
            full = rng.integers(0, rows, size=2)
            A = A + sp.coo_array((np.ones(2 * cols), (np.repeat(full, cols), np.tile(np.arange(cols), 2))), shape=(rows, cols))
    A = sp.csr_array(A)
    if draw(st.booleans()) and not square:
        A = A[rng.permutation(A.shape[0])][:, rng.permutation(A.shape[1])]
    A = sp.csr_array(A)
    A.sum_duplicates()
    A.sort_indices()
    return A


def by_kernel(forecast) -> dict[str, dict]:
    return {row["kernel"]: row for row in forecast}


def same_answers(told, asked, what):
    told, asked = by_kernel(told), by_kernel(asked)
    assert told.keys() == asked.keys(), what
    for kernel, row in asked.items():
        assert told[kernel]["seconds"] == pytest.approx(row["seconds"], rel=1e-9), (kernel, what)
        assert told[kernel]["bytes"] == row["bytes"], (kernel, what)


# Who is asked: every model of the host's, one thread and all cores, kernels of GPUs by their data sheets, and, for
# scripts/relations, whose calibration of half a minute the suite has no time for, PoCL's.
ASKED = {
    **{f"host, {model}": {"model": model, "threads": 1} for model in ("sparsecast", "guo", "wang-normal", "wang-uniform")},
    "host, all cores": {"threads": "auto"},
    "nvidia-h100": {"device": "nvidia-h100"},
    "amd-mi210": {"device": "amd-mi210"},
}
if CASES > 100:
    ASKED["opencl:0"] = {"device": "opencl:0"}


@pytest.fixture(scope="module")
def calibrated_devices():
    if "opencl:0" not in ASKED:
        return
    if not any(one["device"] == "opencl:0" for one in sparsecast.devices()):
        pytest.skip("no OpenCL here")
    sparsecast.calibrate(device="opencl:0", progress=False, seconds=3)


# An answer and its parts


@pytest.mark.parametrize("asked", ASKED)
@given(A=matrices())
@of_each
def test_intervals_hold_their_forecast_and_totals_are_sums(calibrated_devices, asked, A):
    answer = sparsecast.forecast(A, **ASKED[asked])
    table = by_kernel(answer)
    if not table:
        # The papers' models are fitted to their grids alone, and may have none of a calibration of seconds.
        assert ASKED[asked].get("model", "sparsecast") != "sparsecast"
        return
    beyond = [one for one in answer.document["forecasts"] if one.get("beyond")]
    assert answer.recommended["kernel"] in table or len(beyond) == len(table)
    for one in answer.document["forecasts"]:
        assert 0 < one["low_s"] <= one["seconds"] <= one["high_s"] < 1e3, one
        if one.get("parts"):
            assert sum(part["seconds"] for part in one["parts"]) == pytest.approx(one["seconds"], rel=1e-9), one["kernel"]
            if ASKED[asked].get("device", "host") != "host":
                launch = sum(part["seconds"] for part in one["parts"] if part["name"] == "launch")
                assert one["seconds"] > 0.999 * launch, one


@given(matrices())
@quickly()
def test_a_forecast_is_not_below_the_bytes_over_the_fastest_bandwidth_seen(A):
    # No cache of a host of today delivers 10 TB/s to one core.
    for one in sparsecast.forecast(A, threads=1).document["forecasts"]:
        if one["bytes"]:
            assert one["seconds"] > one["bytes"] / 10e12, one["kernel"]


# A matrix and its other forms


@given(matrices())
@few
def test_every_form_of_a_matrix_is_answered_alike(A):
    names = {"mtx": pathlib.Path("a.mtx"), "npz": pathlib.Path("a.npz")}
    scipy.io.mmwrite(names["mtx"], A, precision=17)
    sp.save_npz(names["npz"], sp.csr_matrix(A))
    asked = sparsecast.forecast(A, threads=1)
    structure = pathlib.Path("a.json")
    structure.write_text(json.dumps(sparsecast.structure(A)))
    for form in [*names.values(), A.tocsc(), A.tocoo(), sp.csr_matrix(A), structure]:
        same_answers(sparsecast.forecast(form, threads=1), asked, type(form))


# Every kind of recipe whose size is a number of rows, and those of grids.
RECIPES = st.one_of(
    st.tuples(
        st.sampled_from(["constant", "normal", "uniform", "powerlaw", "random", "geometric"]),
        st.integers(200, 4000), st.integers(3, 12), st.integers(1, 10**6),
    ).map(lambda p: [p[0], "--rows", str(p[1]), "--row-mean", str(p[2]), "--seed", str(p[3])]),
    st.tuples(st.sampled_from(["poisson2d", "poisson3d", "stencil27"]), st.integers(2, 12)).map(
        lambda p: [p[0], "--size", str(p[1])]
    ),
)  # fmt: skip


@given(recipe=RECIPES)
@few
def test_a_recipe_makes_one_matrix_whatever_it_is_written_to(recipe):
    written = [pathlib.Path(f"recipe{ending}") for ending in (".mtx", ".mtx.gz", ".npz")]
    for threads, file in enumerate(written, 1):
        words = ["generate", *recipe, "-o", str(file), "--threads", str(threads), "--quiet"]
        subprocess.run([sys.executable, "-m", "sparsecast", *words], check=True)
    A = sp.csr_array(scipy.io.mmread(written[0]))
    asked = sparsecast.forecast(A, threads=1)
    for file in written:
        same_answers(sparsecast.forecast(file, threads=1), asked, (recipe, file))


class Mirror(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def mirror(tmp_path_factory):
    """Folder and address of a server that has the collection's layout below each name."""
    folder = tmp_path_factory.mktemp("mirror")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Mirror, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


NUMBERS = itertools.count()  # a name is kept once, so that each matrix has one of its own


@given(A=matrices(), group=st.sampled_from(["HB", "Grund"]))
@few
def test_a_name_is_the_matrix_that_is_kept_below_it(mirror, A, group):
    folder, address = mirror
    name = f"m{next(NUMBERS)}"
    scipy.io.mmwrite("a.mtx", A, precision=17)
    text = pathlib.Path("a.mtx").read_bytes()
    kept = folder / name
    (kept / "files").mkdir(parents=True, exist_ok=True)
    (kept / "MM" / group).mkdir(parents=True, exist_ok=True)
    # name, rows, columns, entries; real, binary, of two or three dimensions, definite; symmetries, kind
    line = f"{group},{name},{A.shape[0]},{A.shape[1]},{A.nnz},1,0,0,0,0,0,made by a test,{A.nnz}"
    (kept / "files" / "ssstats.csv").write_text(f"1\n01-Jan-2026 00:00:00\n{line}\n")
    with tarfile.open(kept / "MM" / group / f"{name}.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo(f"{name}/{name}.mtx")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    os.environ["SPARSECAST_COLLECTION_URL"] = f"{address}/{name}"
    try:
        told = sparsecast.forecast(f"ss:{group}/{name}", threads=1)
    except sparsecast.Error as error:
        if "libcurl" in str(error) or "libarchive" in str(error):
            pytest.skip(str(error))
        raise
    finally:
        del os.environ["SPARSECAST_COLLECTION_URL"]
    same_answers(told, sparsecast.forecast(A, threads=1), name)


@given(matrices())
@few
def test_the_command_says_the_same_from_any_folder_and_in_any_locale(A):
    scipy.io.mmwrite("a.mtx", A, precision=17)
    file = pathlib.Path("a.mtx").resolve()
    asked = by_kernel(sparsecast.forecast(file, threads=1))
    for folder, locale in ((".", "C"), ("/", "de_DE.UTF-8"), (str(file.parent.parent), "tr_TR.UTF-8")):
        done = subprocess.run(
            [sys.executable, "-m", "sparsecast", "predict", str(file), "--threads", "1", "--json"],
            cwd=folder, env={**os.environ, "LANG": locale, "LC_ALL": locale}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        told = {one["kernel"]: one for one in json.loads(done.stdout)["forecasts"]}
        assert told.keys() == asked.keys()
        for kernel, row in asked.items():
            assert told[kernel]["seconds"] == pytest.approx(row["seconds"], rel=1e-9), (kernel, folder, locale)


@pytest.mark.parametrize("asked", [{"threads": 1}, {"device": "nvidia-h100"}])
@given(A=matrices(), seed=st.integers(0, 10**6))
@quickly()
def test_permuting_rows_and_columns_changes_no_bytes_of_formats_that_store_entries_alone(asked, A, seed):
    rng = np.random.default_rng(seed)
    B = sp.csr_array(A[rng.permutation(A.shape[0])][:, rng.permutation(A.shape[1])])
    B.sort_indices()
    before, after = by_kernel(sparsecast.forecast(A, **asked)), by_kernel(sparsecast.forecast(B, **asked))
    for kernel in ("csr", "csr-scalar", "csr-merge", "coo", "ell", "hyb", "jad"):
        if kernel in before and kernel in after:
            assert after[kernel]["bytes"] == before[kernel]["bytes"], kernel


@pytest.mark.parametrize("asked", ASKED)
@given(A=matrices(), copies=st.sampled_from([2, 3]))
@of_each
def test_a_matrix_beside_copies_of_itself_takes_longer(calibrated_devices, asked, A, copies):
    if A.nnz < 50:
        return
    many = sp.csr_array(sp.block_diag([A] * copies))
    one = by_kernel(sparsecast.forecast(A, **ASKED[asked]))
    all_of_them = by_kernel(sparsecast.forecast(many, **ASKED[asked]))
    kernels = one.keys() & all_of_them.keys()
    if ASKED[asked].get("threads") == "auto":  # each kernel is forecast on the threads that suit the fastest
        kernels = set()
        assert min(f["seconds"] for f in all_of_them.values()) > 0.9 * min(f["seconds"] for f in one.values())
    for kernel in kernels:
        low, high = one[kernel]["seconds"], all_of_them[kernel]["seconds"]
        # A residual is learned, so a forecast may bend; it may not turn.
        assert high > 0.9 * low, (kernel, low, high)


# A plan and its products


@given(matrices(), st.integers(0, 10**6), st.sampled_from([1, 2]), st.sampled_from([0, 1, 1000]))
@quickly()
def test_products_agree_to_the_rounding_of_their_sums(A, seed, threads, iterations):
    rng = np.random.default_rng(seed)
    x, u, X = rng.standard_normal(A.shape[1]), rng.standard_normal(A.shape[0]), rng.standard_normal((A.shape[1], 4))
    P = sparsecast.plan(A, threads=threads, **({"iterations": iterations} if iterations else {}))
    sizes = abs(A)

    def agrees(y, exact, magnitude, longest):
        assert np.all(np.abs(y - exact) <= 2 * (longest + 4) * np.finfo(float).eps * magnitude + 1e-300)

    longest_row, longest_column = np.diff(A.indptr).max(initial=0), np.bincount(A.indices, minlength=1).max(initial=0)
    agrees(P @ x, A @ x, sizes @ np.abs(x), longest_row)
    agrees(P.T @ u, A.T @ u, sizes.T @ np.abs(u), longest_column)
    agrees(P @ X, A @ X, sizes @ np.abs(X), longest_row)
    agrees(P @ (2 * x), 2 * (A @ x), 2 * (sizes @ np.abs(x)), longest_row)
    y = rng.standard_normal(A.shape[0])
    expected = 0.5 * (A @ x) - 2 * y
    agrees(P.apply(x, out=y.copy(), alpha=0.5, beta=-2), expected, sizes @ np.abs(x) + 2 * np.abs(y), longest_row)
    z = rng.standard_normal(A.shape[1])
    both = P @ (x + 1j * z)
    agrees(both.real, A @ x, sizes @ np.abs(x), longest_row)
    agrees(both.imag, A @ z, sizes @ np.abs(z), longest_row)
    turned = sparsecast.plan((A * 1j).tocsr(), threads=threads) @ z
    assert np.all(turned.real == 0)
    agrees(turned.imag, A @ z, sizes @ np.abs(z), longest_row)
    again = pickle.loads(pickle.dumps(P))
    assert np.array_equal(again @ x, P @ x)
    assert again.predicted_s == P.predicted_s
    kernels = [[block["kernel"] for block in one.strategy["strategy"]] for one in (P, again)]
    assert kernels[0] == kernels[1]
    assert np.array_equal(sparsecast.plan(A, threads=threads, kernel="csr") @ x, sparsecast.plan(A, threads=threads, kernel="csr") @ x)
