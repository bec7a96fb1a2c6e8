"""Numbers as people read them, names and numbers as they give them."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any

import numpy as np

from ._errors import UsageError

__all__ = ["bytes_text", "factor", "factors", "names_of", "real", "seconds_text", "truth", "whole", "whole_or_none"]

MOST_ITERATIONS = 2**63 - 1
MOST_VECTORS = 2**20  # as ProductKind::vectors has it
MOST_THREADS = 2**31 - 1


def _scaled(value: float, steps: list[tuple[float, str]]) -> str:
    size, unit = next((one for one in steps if abs(value) >= one[0]), steps[-1])
    return f"{value / size:.3g} {unit}"


def seconds_text(seconds: float | None) -> str:
    """``3.2e-6`` as ``"3.2 µs"``; none as ``"–"``, what is not known as ``"?"``."""
    if not seconds:
        return "?" if seconds is None else "–"
    return _scaled(seconds, [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")])


def bytes_text(size: float | None) -> str:
    """``3.2e6`` as ``"3.2 MB"``; nothing as ``"?"``."""
    return "?" if size is None else _scaled(size, [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")])


def whole(name: str, value: Any, most: int, other: str = "") -> int:
    """A whole number from 1 to `most`, as the command takes it; `other`: what else may stand there."""
    try:
        number = 0 if isinstance(value, bool) else index(value)
    except TypeError:
        number = 0
    if not 1 <= number <= most:
        raise UsageError(f"{name} must be {other}a whole number from 1 to {most}, not {value!r}")
    return number


def whole_or_none(name: str, value: Any, most: int) -> int | None:
    return None if value is None else whole(name, value, most)


def truth(name: str, value: Any) -> bool:
    """True or False, also NumPy's, and 1 or 0. Others are none: the text "no" would count as True."""
    if not isinstance(value, (bool, np.bool_, int, np.integer)) or value not in (0, 1):
        raise UsageError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def _is_complex(value: Any) -> bool:
    """Of Python, or a scalar or an array of any library."""
    return isinstance(value, complex) or "complex" in str(getattr(value, "dtype", ""))


def factor(value: Any, complex_too: bool, refusal: str) -> complex:
    """A number; where only real ones make sense, TypeError with that text for those of a complex type."""
    if type(value) is float:
        return value
    if isinstance(value, (str, bytes)):
        raise TypeError(f"a number is needed, not {value!r}")
    if not complex_too and (_is_complex(value) or complex(value).imag != 0):
        raise TypeError(refusal)
    return complex(value)


def factors(alpha: Any, beta: Any, complex_too: bool) -> tuple[complex, complex]:
    """Those of a product and of what it is added to."""
    refusal = "alpha and beta are complex, and the matrix is real"
    return factor(alpha, complex_too, refusal), factor(beta, complex_too, refusal)


def real(name: str, value: Any) -> float:
    """A real number."""
    return factor(value, False, f"{name} is a real number, not {value!r}").real


def names_of(names: Iterable[str] | str | None, what: str = "kernels") -> list[str] | None:
    """Names in a list, or in one text with commas between them. No name at all is refused: it would mean every one."""
    if names is None:
        return None
    listed = names.split(",") if isinstance(names, str) else list(names)
    if not listed or not all(isinstance(name, str) and name for name in listed):
        raise UsageError(f"{what} must name one {what[:-1]} or more, or be None for all, not {names!r}")
    return listed
