"""The commands as functions: the same engine and the same documents, within this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from os import PathLike, fspath
from typing import Any

from . import _calibration, _core
from ._matrix import lend
from ._plan import Plan
from ._tables import Evaluation, Forecasts, Measurements, Table

__all__ = [
    "devices",
    "evaluate",
    "forecast",
    "kernel",
    "measure",
    "optimize",
    "profiles",
    "run_document",
    "structure",
    "traffic",
]

Progress = Callable[[float, float, str], None]


def _with_matrices(arguments: list[str], paths: list[str]) -> list[str]:
    """The matrices right behind the command: an option that takes several values would take them for its own."""
    return [arguments[0], *paths, *arguments[1:]]


def run_document(arguments: list[str], progress: Progress | None = None) -> dict[str, Any]:
    """The document of a command; its remarks go to stderr."""
    return json.loads(_core.run([*arguments, "--json"], lambda line: print(line, file=sys.stderr), progress))


def _path(A: Any, stack: ExitStack, name: str) -> str:
    """What stands for a matrix on a command line: a file's path, or a name for one in memory."""
    if isinstance(A, (str, PathLike)):
        return fspath(A)
    if isinstance(A, Plan):
        A = A._lent.matrix
    lent = _core.LentMatrix(lend(A, name).csr)
    stack.callback(lambda kept: None, lent)  # the name holds as long as the object
    return lent.path


def _threads(threads: Any) -> list[str]:
    return ["--threads", str(_core.most_threads(0 if threads == "auto" else int(threads)))]


def _precision(A: Any, precision: str | None) -> list[str]:
    if precision is None:
        single = getattr(getattr(A, "dtype", None), "itemsize", 8) == 4
        precision = "single" if single else "double"
    return ["--precision", precision]


def _task(vectors: int, transposed: bool) -> list[str]:
    return (["--vectors", str(int(vectors))] if vectors != 1 else []) + (["--transposed"] if transposed else [])


def _ensure_calibrated(device: str, threads: Any, precision: list[str]) -> None:
    wishes = _core.Wishes(
        device=device,
        profile="",
        single=precision[1] == "single",
        threads=_core.most_threads(0 if threads == "auto" else int(threads)),
        iterations=0,
        vectors=1,
        transposed=False,
    )
    if device == "host" or device.startswith(("opencl:", "cuda:")):
        _calibration.ensure(wishes, device)


def _caption(document: dict[str, Any]) -> str:
    m = document["matrix"]
    text = f"{m['name']}: {m['rows']:,} × {m['cols']:,}, {m['nonzeros']:,} non-zeros, on {document['device']['name']}"
    return f"{text} in {document['precision']} precision"


def structure(A: Any, *, name: str = "matrix") -> dict[str, Any]:
    """Everything that a forecast knows of a matrix: sizes, row lengths, locality.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file
    name : str
        What the matrix is called.

    Returns
    -------
    dict
        The field "structure" of `sparsecast info --json`.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> sparsecast.structure(sp.eye_array(100, format="csr"))["row_max"]
    1
    """
    with ExitStack() as stack:
        return run_document(["info", _path(A, stack, name), *_threads("auto")])["structure"]


def forecast(
    A: Any,
    device: str = "host",
    *,
    profile: str | PathLike[str] | None = None,
    iterations: int | None = None,
    vectors: int = 1,
    transposed: bool = False,
    threads: Any = "auto",
    precision: str | None = None,
    model: str = "best",
    probe: bool = False,
    name: str = "matrix",
) -> Forecasts:
    """How long every kernel will take on a matrix, on a machine that is here or one that is not.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file or a structure
    device : str
        ``"host"``, ``"cuda:0"``, the name of a profile or of a machine of the catalogue.
    profile : path, optional
        A profile file instead.
    iterations : int, optional
        Ranks by what finishes so many products first, conversion included.
    vectors, transposed
        Which product: of so many vectors at once, of the transpose.
    threads : "auto" or int
        Of the host.
    precision : "single" or "double", optional
        That of the matrix by default.
    model : str
        A model's name, "best" or "all".
    probe : bool
        Times some products of the host's calibration again, which tells whether it has drifted.
    name : str
        What the matrix is called.

    Returns
    -------
    Forecasts

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.random_array((2000, 2000), density=0.01, format="csr", rng=1)
    >>> table = sparsecast.forecast(A, "nvidia-h100")
    >>> table.recommended["kernel"] == table[0]["kernel"]
    True
    """
    shown = _precision(A, precision)
    arguments = [
        "predict",
        "--device",
        device,
        "--model",
        model,
        *shown,
        *_threads(threads),
        *_task(vectors, transposed),
    ]
    if profile is not None:
        arguments += ["--profile", fspath(profile)]
    else:
        _ensure_calibrated(device, threads, shown)
    if iterations is not None:
        arguments += ["--iterations", str(int(iterations))]
    if not probe:
        arguments.append("--no-probe")
    with ExitStack() as stack:
        document = run_document(_with_matrices(arguments, [_path(A, stack, name)]))
    return Forecasts(document, document["forecasts"], _caption(document))


def measure(
    A: Any,
    device: str = "host",
    *,
    kernels: Iterable[str] | None = None,
    every: bool = False,
    iterations: int | None = None,
    vectors: int = 1,
    transposed: bool = False,
    threads: Any = "auto",
    precision: str | None = None,
    name: str = "matrix",
) -> Measurements:
    """What every kernel takes on a matrix, by the same kernels that are forecast.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file
    device : str
    kernels : iterable of str, optional
        Only these.
    every : bool
        Also kernels that are forecast to take ten times as long as the best.
    iterations, vectors, transposed, threads, precision, name
        As in :func:`forecast`.

    Returns
    -------
    Measurements

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> table = sparsecast.measure(sp.eye_array(1000, format="csr"), kernels=["csr"])
    >>> table[0]["kernel"], table[0]["seconds"] > 0
    ('csr', True)
    """
    arguments = ["measure", "--device", device, *_precision(A, precision), *_threads(threads)]
    arguments += _task(vectors, transposed)
    if kernels is not None:
        arguments += ["--kernels", ",".join(kernels)]
    if every:
        arguments.append("--all")
    if iterations is not None:
        arguments += ["--iterations", str(int(iterations))]
    with ExitStack() as stack:
        document = run_document(_with_matrices(arguments, [_path(A, stack, name)]))
    return Measurements(document, document["measurements"], _caption(document))


def evaluate(
    matrices: Iterable[Any],
    device: str = "host",
    *,
    kernels: Iterable[str] | None = None,
    model: str = "all",
    threads: Any = "auto",
    precision: str = "double",
    progress: bool = False,
) -> Evaluation:
    """Forecast against measured, every model and kernel, on matrices.

    Parameters
    ----------
    matrices : iterable of scipy.sparse matrices and paths of files or folders
    device, kernels, threads, precision
        As in :func:`measure`.
    model : str
        A model's name or "all".
    progress : bool
        Draws a bar on stderr.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.random_array((500, 500), density=0.02, format="csr", rng=1)
    >>> table = sparsecast.evaluate([A], kernels=["csr"], model="sparsecast")
    >>> table[0]["kernel"], table[0]["cases"]
    ('csr', 1)
    """
    shown = ["--precision", precision]
    _ensure_calibrated(device, threads, shown)
    arguments = ["evaluate", "--device", device, "--model", model, *shown, *_threads(threads)]
    if kernels is not None:
        arguments += ["--kernels", ",".join(kernels)]
    bar = _calibration.Bar() if progress else None
    with ExitStack() as stack:
        if bar is not None:
            stack.callback(bar.close)
        paths = [_path(A, stack, f"matrix {number}") for number, A in enumerate(matrices, 1)]
        document = run_document(_with_matrices(arguments, paths), progress=bar)
    return Evaluation(document, document["summary"])


def optimize(
    A: Any,
    device: str = "host",
    *,
    profile: str | PathLike[str] | None = None,
    iterations: int | None = None,
    max_blocks: int | None = None,
    verify: bool = False,
    threads: Any = "auto",
    precision: str | None = None,
    name: str = "matrix",
) -> dict[str, Any]:
    """The best strategy of row blocks for a matrix, and on request the truth about it.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file
    device, profile, iterations, threads, precision, name
        As in :func:`forecast`.
    max_blocks : int, optional
        At most so many blocks.
    verify : bool
        Measures the plan and every single kernel, in turns.

    Returns
    -------
    dict
        The document of `sparsecast optimize --json`.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> document = sparsecast.optimize(sp.eye_array(5000, format="csr"))
    >>> document["strategy"][0]["first_row"], document["predicted_s"] > 0
    (0, True)
    """
    shown = _precision(A, precision)
    arguments = ["optimize", "--device", device, "--no-probe", *shown, *_threads(threads)]
    if profile is not None:
        arguments += ["--profile", fspath(profile)]
    else:
        _ensure_calibrated(device, threads, shown)
    if iterations is not None:
        arguments += ["--iterations", str(int(iterations))]
    if max_blocks is not None:
        arguments += ["--max-blocks", str(int(max_blocks))]
    if verify:
        arguments.append("--verify")
    with ExitStack() as stack:
        return run_document(_with_matrices(arguments, [_path(A, stack, name)]))


def devices(*, catalogue: bool = False) -> Table:
    """The devices that are here, or all machines that are described.

    Examples
    --------
    >>> import sparsecast
    >>> sparsecast.devices()[0]["device"]
    'host'
    >>> "nvidia-h100" in [machine["name"] for machine in sparsecast.devices(catalogue=True)]
    True
    """
    document = run_document(["devices", *(["--catalogue"] if catalogue else [])])
    return Table(document, document["devices"])


def profiles() -> Table:
    """The devices that were measured, and how much is known of each.

    Examples
    --------
    >>> import sparsecast
    >>> "host" in [profile["name"] for profile in sparsecast.profiles()]
    True
    """
    document = run_document(["profiles", "list"])
    return Table(document, document["profiles"])


def traffic(
    program: str | PathLike[str],
    *,
    call: str | None = None,
    machine: str | None = None,
    time_limit: float | None = None,
) -> dict[str, Any]:
    """The bytes that an annotated MATLAB program moves. GNU Octave runs it.

    Parameters
    ----------
    program : path
    call : str, optional
        How a function file is called: ``"x = cg(1000)"``.
    machine : str, optional
        A profile, file or name: bytes per cache level, and seconds.
    time_limit : float, optional
        Seconds that the program may run.

    Returns
    -------
    dict
        The document of `sparsecast traffic --json`.
    """
    arguments = ["traffic", fspath(program)]
    if call is not None:
        arguments += ["--call", call]
    if machine is not None:
        arguments += ["--machine", machine]
    if time_limit is not None:
        arguments += ["--time-limit", str(time_limit)]
    return run_document(arguments)


def kernel(
    source: str | PathLike[str],
    *,
    device: str | None = None,
    name: str | None = None,
    grid: tuple[int, ...] | None = None,
    block: tuple[int, ...] | None = None,
    arguments: dict[str, Any] | None = None,
    buffers: dict[str, Any] | None = None,
    define: Iterable[str] = (),
    options: Iterable[str] = (),
) -> dict[str, Any]:
    """The time of a GPU kernel from its code: PTX, CUDA or OpenCL C source, or a graph.

    Parameters
    ----------
    source : path
    device : str, optional
        Whose times of instructions.
    name : str, optional
        Which kernel, where the file has several.
    grid, block : tuples of int, optional
        Blocks, and threads of a block.
    arguments, buffers : dict, optional
        Values of parameters, and bytes behind pointers, by name or position.
    define : iterable of str
        NAME=VALUE for the compiler.
    options : iterable of str
        Further options of `sparsecast kernel`.

    Returns
    -------
    dict
        The document of `sparsecast kernel --json`.
    """
    line = ["kernel", fspath(source)]
    for option, value in (("--device", device), ("--kernel", name)):
        if value is not None:
            line += [option, value]
    for option, shape in (("--grid", grid), ("--block", block)):
        if shape is not None:
            line += [option, "x".join(str(int(count)) for count in shape)]
    for option, named in (("--arg", arguments), ("--buffer", buffers)):
        for key, value in (named or {}).items():
            line += [option, f"{key}={value}"]
    for value in define:
        line += ["--define", value]
    return run_document([*line, *options])
