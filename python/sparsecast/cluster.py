"""Iterated products on clusters."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from os import PathLike, fspath
from typing import Any

from ._answers import matrix_of, threads_within
from ._native import _core
from ._text import names_of

__all__ = ["predict"]


def predict(
    A: Any,
    cluster: str | PathLike[str],
    processes: Iterable[int],
    *,
    ways: Iterable[str] | str | None = None,
    formats: Iterable[str] | str | None = None,
    model: str | None = None,
    name: str = "matrix",
) -> _core.ClusterPrediction:
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
    ClusterPrediction
        By key as in the document of `sparsecast cluster predict`.
    """
    return _core.cluster_predict(
        lambda line: print(line, file=sys.stderr),
        None,
        matrix=matrix_of(A, name),
        profile=fspath(cluster),
        processes=list(processes),
        schemes=names_of(ways, "ways"),
        formats=names_of(formats, "formats"),
        model=model,
        threads=threads_within("auto"),
    )
