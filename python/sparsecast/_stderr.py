"""What is told beside an answer, which nothing else depends on."""

from __future__ import annotations

import contextlib
import sys

__all__ = ["tell"]


def tell(text: str, end: str = "\n") -> None:
    """Prints on stderr, where there is one: a daemon has closed it, a program with windows has none."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(text, file=sys.stderr, end=end, flush=True)
