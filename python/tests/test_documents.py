"""Questions as functions: answers with attributes, whose documents are the command's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import types

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecast
from sparsecast._native import _core


def test_a_structure_is_the_one_of_info(matrix, tmp_path):
    from scipy.io import mmwrite

    file = tmp_path / "m.mtx"
    mmwrite(file, matrix)
    here = sparsecast.structure(matrix, name="m")
    assert here["rows"] == 2000 and here["nonzeros"] == matrix.nnz
    assert here == sparsecast.structure(file)
    command = [sys.executable, "-m", "sparsecast", "info", file, "--json"]
    assert here == json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["structure"]


def test_a_forecast_is_a_table(laplacian):
    table = sparsecast.forecast(laplacian, iterations=50)
    assert len(table) >= 6 and table.document["schema"] == "sparsecast/predict/1"
    assert table.recommended.kernel in [row.kernel for row in table]
    assert table["csr"].low <= table["csr"].seconds <= table["csr"].high and table["csr"]["low_s"] == table["csr"].low
    assert table[0].to_dict() == table.to_dict()["forecasts"][0] and table[0]["tier"] == table[0].tier
    frame = table.to_pandas()
    assert len(frame) == len(table) and {"kernel", "seconds", "total_s"} <= set(frame.columns)
    assert "<td>csr</td>" in table._repr_html_() and "csr" in repr(table)
    assert "bound by" not in repr(table), "of the host nothing is known there, so the column is left out"
    with pytest.raises(KeyError):
        table["no such kernel"]


def test_forecasts_for_machines_that_are_not_here(matrix):
    here, there = sparsecast.forecast(matrix, "amd-mi250"), sparsecast.forecast(matrix.astype(np.float32), "amd-mi250")
    assert here.document["device"]["name"] == "amd-mi250" and here[0]["tier"] == "data sheet"
    assert there.document["precision"] == "single"


def test_measured_and_judged(laplacian, tmp_path):
    table = sparsecast.measure(laplacian, kernels=["csr", "sell"], name="L")
    assert {row["kernel"] for row in table} == {"csr", "sell"} and all(row["seconds"] > 0 for row in table)
    assert table.document["matrix"]["name"] == "L" and len(table.to_pandas()) == 2
    judged = sparsecast.evaluate([laplacian, sp.eye_array(500, format="csr")], kernels=["csr"], model="sparsecast")
    assert len(judged.cases) == 2 and judged[0]["cases"] == 2 and judged.selection
    strategy = sparsecast.plan_report(laplacian, verify=True)
    assert strategy["measured_s"] > 0


def test_what_is_no_field_is_refused(laplacian):
    with pytest.raises(sparsecast.Error, match="there is no colour"):
        _core.predict(None, None, matrix="x.mtx", colour="red")
    with pytest.raises(ValueError, match="not one of single, double"):
        sparsecast.forecast(laplacian, precision="half")
    with pytest.raises(KeyError):
        sparsecast.forecast(laplacian, "nvidia-h100")[0]["to_dict"]


def test_a_described_processor_has_threads_of_its_own(laplacian):
    seconds = [
        sparsecast.forecast(laplacian, "intel-xeon-8480", threads=threads).recommended.seconds
        for threads in ("auto", 56, 4)
    ]
    assert seconds[0] == seconds[1] != seconds[2]


def test_threads_ask_at_once(laplacian):
    alone = sparsecast.forecast(laplacian, "nvidia-h100").recommended.seconds
    told = []
    threads = [
        threading.Thread(target=lambda: told.append(sparsecast.forecast(laplacian, "nvidia-h100").recommended.seconds))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [alone] * 4


def test_devices_and_profiles():
    assert sparsecast.devices()[0]["device"] == "host"
    assert len(sparsecast.devices(catalogue=True)) >= 30
    assert "host" in sparsecast.profiles().to_pandas()["name"].tolist()


def test_the_time_of_a_kernel_from_its_code(tmp_path):
    source = tmp_path / "twice.ptx"
    source.write_text(
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry twice(.param .u64 p0)\n{\n.reg .f32 %f<3>;\n.reg .b32 %r<5>;\n.reg .b64 %rd<5>;\n"
        "ld.param.u64 %rd1, [p0];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n"
        "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.s32 %r4, %r2, %r3, %r1;\n"
        "mul.wide.s32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd2, %rd3;\nld.global.f32 %f1, [%rd4];\n"
        "add.f32 %f2, %f1, %f1;\nst.global.f32 [%rd4], %f2;\nret;\n}\n"
    )
    document = sparsecast.kernel(source, grid=(2048,), block=(256,), device="nvidia-a100")
    assert document["schema"] == "sparsecast/kernel/1" and document["kernel"] == "twice"
    assert all(estimate["seconds"] > 0 for estimate in document["estimates"])


def test_a_cluster_without_a_profile_is_told(matrix):
    with pytest.raises(sparsecast.Error) as caught:
        sparsecast.cluster.predict(matrix[:1500], "no such profile", [2, 4])  # square: iterates
    assert caught.value.code == "bad_input" and caught.value.place.file == "no such profile"


def test_progress_is_told_and_ends_what_it_does_not_like():
    told = []
    _core.calibrate(None, lambda done, left, what: told.append((done, what)), quick=True, minutes=0.0001, threads=1)
    assert told and told[-1][0] == 1

    def stop(_done, _left, _what):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        _core.calibrate(None, stop, quick=True, minutes=0.01, threads=1)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals are the main thread's")
def test_ctrl_c_ends_a_calibration():
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in a shell's background
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            sparsecast.calibrate(quick=False, progress=False, seconds=3600)  # longer than ctest waits for a test
    finally:
        signal.signal(signal.SIGINT, before)
    assert sparsecast.structure(sp.eye_array(3, format="csr"))["rows"] == 3  # and Python goes on


FIRST = """
import warnings, sys, scipy.sparse as sp, numpy as np, sparsecast
A = sp.random_array((3000, 2000), density=5e-3, format="csr", rng=1)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for threads in (1, "auto"):
        P = sparsecast.plan(A, threads=threads)
        assert np.allclose(P @ np.ones(2000), A @ np.ones(2000))
        print(sorted({f.tier for f in P.forecast}), sorted({f.tier for f in sparsecast.forecast(A, threads=threads)}))
    print(sparsecast.evaluate([A], kernels=["csr"], threads=1, progress=False)[0].kernel)
    print([str(w.message) for w in told])
"""


def first_use(home):
    environment = {**os.environ, "SPARSECAST_HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", FIRST], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_first_use_answers_by_what_ships_and_measures_nothing_first(tmp_path):
    ships = "['shipped'] ['shipped']"
    assert first_use(tmp_path / "new") == [ships, ships, "csr", "[]"]
    kept = {file: json.loads(file.read_text())["looks"] for file in (tmp_path / "new" / "probes").glob("first-*.json")}
    assert "observed" in first_use(tmp_path / "new")[0]  # evaluate() has measured csr since
    for file, looks in kept.items():  # a second process may add its own, until two agree
        assert json.loads(file.read_text())["looks"][: len(looks)] == looks


def test_a_first_use_needs_no_folder_to_write_into(tmp_path):
    (tmp_path / "file").write_text("no folder can be made below a file")
    assert first_use(tmp_path / "file" / "home")[0] == "['shipped'] ['shipped']"


def test_tables_show_intervals_as_pictures_in_notebooks():
    told = sparsecast.forecast(sp.eye_array(5000, format="csr"))
    assert told._repr_html_().count("<svg") == len(told)
    nothing = sparsecast._tables.Table(None, [])
    assert "svg" not in nothing._repr_html_() and nothing._repr_html_().count("<th>") == 0


def test_progress_is_tqdms_where_that_is_installed(monkeypatch):
    class Fake:
        def __init__(self, total, bar_format):
            self.n, self.total, self.said, self.closed = 0, total, [], False

        def set_postfix_str(self, text, refresh):
            self.said.append(text)

        def update(self, more):
            self.n += more

        def close(self):
            self.closed = True

    here = sparsecast._calibration
    monkeypatch.setattr(here, "find_spec", lambda name: None)
    with here.bar(True) as plain:
        assert isinstance(plain, here.Bar)
    monkeypatch.setattr(here, "find_spec", lambda name: name == "tqdm")
    monkeypatch.setattr(here, "import_module", lambda name: types.SimpleNamespace(tqdm=Fake))
    with here.bar(True) as bar:
        bar(0.25, 7, "csr")
        bar(0.5, -1, "sell")
    assert (bar._bar.n, bar._bar.total, bar._bar.said, bar._bar.closed) == (50, 100, ["7 s left  csr", "sell"], True)
