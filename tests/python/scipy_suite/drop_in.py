"""A plugin for SciPy's own tests: those of CSR run on sparsecast's subclasses, every product of which is planned.

    pytest -p drop_in --pyargs scipy.sparse.tests.test_base scipy.sparse.tests.test_csr -k "CSR or csr"
                                                                            with this folder on PYTHONPATH

With DROP_IN=accelerated it is SciPy's own classes within sparsecast.accelerated(after=0) that are tested, of all formats.
"""

from __future__ import annotations

import importlib
import os

import sparsecast
from sparsecast import _live

_within = sparsecast.accelerated(after=0) if os.environ.get("DROP_IN") == "accelerated" else None
_planned = 0
_product = _live.Live.product


def _counted(self, *arguments):
    global _planned
    before = self.products
    result = _product(self, *arguments)
    _planned += self.products > before
    return result


_live.Live.product = _counted

if _within is None:
    for name in ("csr_array", "csr_matrix"):
        ours = getattr(sparsecast, name)
        ours.plan_after = 0
        for tests in ("test_base", "test_csr"):
            setattr(importlib.import_module(f"scipy.sparse.tests.{tests}"), name, ours)


def pytest_sessionstart(session):
    if _within:
        _within.__enter__()


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"products planned: {_planned}")


def pytest_sessionfinish(session):
    if _within:
        _within.__exit__(None, None, None)
    if _planned == 0:
        session.exitstatus = 1  # nothing was tested
