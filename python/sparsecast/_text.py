"""Numbers as people read them, names as they give them."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["bytes_text", "names_of", "seconds_text"]


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


def names_of(names: Iterable[str] | str | None) -> list[str] | None:
    """Names in a list, or in one text with commas between them."""
    return names.split(",") if isinstance(names, str) else None if names is None else list(names)
