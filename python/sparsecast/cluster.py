"""Iterated products on clusters."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from os import PathLike, fspath
from typing import Any

from ._documents import _path, _threads, run_document

__all__ = ["predict"]


def predict(
    A: Any,
    cluster: str | PathLike[str],
    processes: Iterable[int],
    *,
    ways: Iterable[str] | None = None,
    formats: Iterable[str] | None = None,
    model: str | None = None,
    name: str = "matrix",
) -> dict[str, Any]:
    """Every way to deal a matrix to processes, forecast, and which to take.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file
    cluster : path
        A cluster's profile, from `sparsecast cluster calibrate`.
    processes : iterable of int
        Numbers of processes to choose from.
    ways : iterable of str, optional
        Of "2du", "g1dr", "l1dr".
    formats : iterable of str, optional
        Of "csr", "coo".
    model : str, optional
        "sparsecast", "microbench", "svr", "linear" or "all".
    name : str
        What the matrix is called.

    Returns
    -------
    dict
        The document of `sparsecast cluster predict --json`.
    """
    arguments = ["--cluster", fspath(cluster), *_threads("auto")]
    for option, values in (("--processes", processes), ("--way", ways), ("--format", formats)):
        if values is not None:
            arguments += [option, ",".join(str(value) for value in values)]
    if model is not None:
        arguments += ["--model", model]
    with ExitStack() as stack:
        return run_document(["cluster", "predict", _path(A, stack, name), *arguments])
