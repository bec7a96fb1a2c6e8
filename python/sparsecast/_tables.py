"""Answers as tables: rows to go through, text, HTML, and pandas where it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import log
from typing import TYPE_CHECKING, Any, TypeVar

from ._text import bytes_text, seconds_text

if TYPE_CHECKING:
    import pandas

    from . import _core

__all__ = ["Evaluation", "Forecasts", "Measurements", "Table"]

Row = TypeVar("Row", bound=Any)
Column = tuple[str, str, Callable[[Any], str]]  # heading, field of a row, how it is written


def _plain(value: Any) -> str:
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _percent(value: float | None) -> str:
    return "?" if value is None else f"{100 * value:.1f} %"


class Table(Sequence[Row]):
    """Rows of an answer, in its order: each with attributes, and readable by key as documents are.

    Attributes
    ----------
    answer
        The whole answer, with attributes for all that it says.
    """

    columns: tuple[Column, ...] = ()

    def __init__(self, answer: Any, rows: list[Row], caption: str = "") -> None:
        self.answer = answer
        self.caption = caption
        self._rows = rows

    @property
    def document(self) -> dict[str, Any]:
        """The answer as the document that the command prints."""
        return self.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """The answer as the document that the command prints."""
        return self.answer.to_dict()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        """A row by its number, or by its kernel's name."""
        if isinstance(index, str):
            for row in self._rows:
                if row.get("kernel") == index:
                    return row
            raise KeyError(index)
        return self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with every field of the rows but nested ones. Needs pandas."""
        import pandas

        rows = [row.to_dict() for row in self]
        return pandas.DataFrame([{k: v for k, v in row.items() if not isinstance(v, (list, dict))} for row in rows])

    def _columns(self) -> tuple[Column, ...]:
        """Those that some row says something in."""
        if self.columns:
            says = lambda column: any(row.get(column[1]) is not None for row in self._rows)
            return tuple(one for one in self.columns if says(one) or not self._rows)
        rows = [row.to_dict() for row in self._rows]
        names = dict.fromkeys(name for row in rows for name, value in row.items() if not isinstance(value, (list, dict)))
        return tuple((name, name, _plain) for name in names)

    def _cells(self) -> list[list[str]]:
        return [[write(row.get(field)) for _, field, write in self._columns()] for row in self._rows]

    def __repr__(self) -> str:
        head = [heading for heading, _, _ in self._columns()]
        lines = [head, *self._cells()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        text = ["".join(f"  {cell:>{w}}" for cell, w in zip(line[1:], widths[1:])) for line in lines]
        text = [(line[0].ljust(widths[0]) + rest).rstrip() for line, rest in zip(lines, text)]
        return "\n".join(([self.caption, ""] if self.caption else []) + text)

    def _bars(self) -> list[str]:
        """Intervals as pictures on one logarithmic scale; none where rows have no interval."""
        spans = [[row.get(field) or 0 for field in ("low_s", "seconds", "high_s")] for row in self._rows]
        logs = [[log(x) for x in span] if min(span) > 0 else [] for span in spans]
        least, most = min((s[0] for s in logs if s), default=0.0), max((s[2] for s in logs if s), default=0.0)
        at = [[4 + 120 * (x - least) / (most - least) for x in s] if most > least else [] for s in logs]
        return [
            f'<svg width="128" height="12" stroke="currentColor"><path d="M{s[0]:.0f} 6H{s[2]:.0f}"/>'
            f'<circle cx="{s[1]:.0f}" cy="6" r="3"/></svg>' if s else "" for s in at
        ] if any(at) else []

    def _repr_html_(self) -> str:
        bars = [f"<td>{bar}</td>" for bar in self._bars()] or [""] * len(self)
        head = "".join(f"<th>{escape(heading)}</th>" for heading, _, _ in self._columns()) + "<th></th>" * any(bars)
        rows = ["".join(f"<td>{escape(cell)}</td>" for cell in line) + bar for line, bar in zip(self._cells(), bars)]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Forecasts(Table["_core.Forecast"]):
    """The forecast of every kernel, fastest first."""

    columns = (
        ("kernel", "kernel", _plain),
        ("forecast", "seconds", seconds_text),
        ("from", "low_s", seconds_text),
        ("to", "high_s", seconds_text),
        ("GFLOP/s", "gflops", _plain),
        ("storage", "bytes", bytes_text),
        ("conversion", "preprocess_s", seconds_text),
        ("bound by", "bound_by", _plain),
    )

    @property
    def recommended(self) -> _core.Recommendation:
        """Its ``kernel``, ``seconds`` and ``reason``."""
        return self.answer.recommended


class Measurements(Table["_core.KernelTime"]):
    """What every kernel took, fastest first; ``status`` says why one has no time."""

    columns = (
        ("kernel", "kernel", _plain),
        ("measured", "seconds", seconds_text),
        ("from", "low_s", seconds_text),
        ("to", "high_s", seconds_text),
        ("GFLOP/s", "gflops", _plain),
        ("conversion", "preprocess_s", seconds_text),
        ("products", "repeats", _plain),
        ("status", "status", _plain),
    )


class Evaluation(Table["_core.ErrorSummary"]):
    """Errors of the forecasts per kernel and model; ``cases`` are the single ones."""

    columns = (
        ("kernel", "kernel", _plain),
        ("model", "model", _plain),
        ("cases", "cases", _plain),
        ("mean error", "mean_error", _percent),
        ("median", "median_error", _percent),
        ("90 % within", "p90_error", _percent),
        ("largest", "max_error", _percent),
    )

    @property
    def cases(self) -> list[_core.EvaluationCase]:
        """Every forecast with its time."""
        return self.answer.cases

    @property
    def selection(self) -> list[_core.SelectionSummary]:
        """What choosing by each model would cost."""
        return self.answer.selection
