"""What was measured here: taken quickly where something needs it for the first time, and on request."""

from __future__ import annotations

import sys
import time
import warnings
from threading import Lock
from typing import Any

from . import _core
from ._errors import CalibrationWarning

__all__ = ["calibrate", "ensure"]

_BUDGET_S = 13.0  # of a first look, for all numbers of threads together
_FIXED_S = 2.0  # of one number of threads, beside the matrices: bandwidth, latency, the last matrix begun
_lock = Lock()


def ensure(wishes: _core.Wishes, device: str) -> None:
    """Measures quickly what forecasts for these wishes lack, and says so."""
    if not _core.missing_calibrations(wishes):
        return
    with _lock:
        missing = _core.missing_calibrations(wishes)
        if not missing:
            return
        start, lacking = time.monotonic(), missing
        while lacking and time.monotonic() - start < 10 * _BUDGET_S:  # on a busy machine a turn may not do
            for number, threads in enumerate(lacking):
                left = _BUDGET_S - (time.monotonic() - start)
                seconds = max(0.05 * _BUDGET_S, left / (len(lacking) - number) - _FIXED_S)
                arguments = ["calibrate", "--quick", "--device", device, "--json", "--quiet"]
                arguments += ["--minutes", str(seconds / 60)]
                _core.run(arguments + (["--threads", str(threads)] if threads else []))
            lacking = _core.missing_calibrations(wishes)
        counts = f" with {' and '.join(map(str, missing))} threads" if missing != [0] else ""
        warnings.warn(
            f"{device} was not calibrated{counts}; a quick calibration took {time.monotonic() - start:.0f} s and is "
            "kept. sparsecast.calibrate(quick=False) takes a thorough one",
            CalibrationWarning,
            stacklevel=4,
        )


class Bar:
    """A line of progress on a terminal or in a notebook's stderr, redrawn some times a second."""

    def __init__(self) -> None:
        self._drawn = 0.0
        self._width = 0

    def __call__(self, done: float, seconds_left: float, what: str) -> None:
        now = time.monotonic()
        if now - self._drawn < 0.1 and done < 1:
            return
        self._drawn = now
        filled = round(30 * min(max(done, 0.0), 1.0))
        left = f"{seconds_left:.0f} s left  " if seconds_left >= 0 else ""
        line = f"{100 * done:3.0f} %|{'█' * filled}{' ' * (30 - filled)}| {left}{what}"
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def close(self) -> None:
        """Leaves the line as it is and begins another."""
        if self._width:
            sys.stderr.write("\n")


def calibrate(
    quick: bool = True,
    progress: bool = True,
    *,
    device: str = "host",
    threads: int | None = None,
    precision: str = "double",
    seconds: float | None = None,
    fresh: bool = False,
) -> dict[str, Any]:
    """Measures a device, so that forecasts of it can be made; what is measured is kept.

    Ctrl-C ends it between two measurements; a later call goes on from there.

    Parameters
    ----------
    quick : bool
        A first look within a minute. Without it a host takes some minutes per number of threads.
    progress : bool
        Draws a bar on stderr.
    device : str
        ``"host"``, ``"opencl:0"``, ``"cuda:0"``.
    threads : int, optional
        Of the host. By default all cores, then one.
    precision : "double" or "single"
    seconds : float, optional
        Begins no new measurement after so many seconds per number of threads.
    fresh : bool
        Forgets what was measured before.

    Returns
    -------
    dict
        The document of `sparsecast calibrate --json`.

    Examples
    --------
    >>> import sparsecast
    >>> done = sparsecast.calibrate(progress=False, threads=1, seconds=0.1)
    >>> done["device"]
    'host'
    """
    from ._documents import run_document

    bar = Bar() if progress else None
    arguments = ["calibrate", "--device", device, "--precision", precision]
    if quick:
        arguments.append("--quick")
    if fresh:
        arguments.append("--fresh")
    if threads is not None:
        arguments += ["--threads", str(threads)]
    if seconds is not None:
        arguments += ["--minutes", str(seconds / 60)]
    try:
        return run_document(arguments, progress=bar)
    finally:
        if bar is not None:
            bar.close()
