"""What the library says to Python is what can be typed in Python."""

from __future__ import annotations

import functools
import inspect

import pytest
import scipy.sparse as sp

import sparsecast
from sparsecast._native import _core


@pytest.mark.parametrize("name, arguments", _core.functions().items())
def test_functions_that_are_named_are_there(name, arguments):
    call, _, fixed = name.rstrip(")").partition("(")
    parameters = inspect.signature(functools.reduce(getattr, call.split("."), sparsecast)).parameters
    assert set(arguments) | {part.split("=")[0] for part in fixed.split(",") if part} <= set(parameters)


def test_a_missing_calibration_is_told_as_a_call(monkeypatch, tmp_path, matrix):
    monkeypatch.setenv("SPARSECAST_HOME", str(tmp_path))
    with pytest.raises(sparsecast.Error) as raised:  # a paper's model, which nothing ships for
        _core.predict(None, None, matrix=sparsecast._answers.matrix_of(matrix), device="host", model="guo")
    assert 'sparsecast.calibrate(device="host"' in raised.value.remedy
    assert raised.value.remedy in str(raised.value)


def test_an_unknown_machine_is_told_with_the_call_that_lists_them():
    with pytest.raises(sparsecast.Error) as raised:
        sparsecast.forecast(sp.eye_array(3, format="csr"), "no-such-machine")
    assert "sparsecast.devices(catalogue=True)" in raised.value.remedy
    assert "--" not in str(raised.value)


def test_parameters_are_called_as_the_function_calls_them(matrix):
    with pytest.raises(sparsecast.Error) as raised:
        sparsecast.plan(matrix, kernel="csr", kernels="ell")
    assert str(raised.value) == "kernel is csr, which kernels leaves out; omit kernel or kernels"
    with pytest.raises(sparsecast.Error) as raised:  # cluster.predict() calls another one so
        sparsecast.plan(matrix, device="no-such-machine")
    assert "profile=" in raised.value.remedy and "cluster=" not in raised.value.remedy


def test_a_remark_is_made_once_a_process(capsys):
    from sparsecast._stderr import tell_once

    line = "a remark that no other test makes"
    for _ in range(3):
        tell_once(line)
    assert capsys.readouterr().err == line + "\n"
