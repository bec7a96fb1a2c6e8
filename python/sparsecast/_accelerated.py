"""Plans in a program that exists: within `with accelerated():` SciPy's own arrays are multiplied by plans."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._live import TRANSPOSED, VECTOR, Live, products_until_planned
from ._scipys import BASE, BLOCK, own_block, own_vector
from ._scipys import VECTOR as ONE_VECTOR

__all__ = ["Report", "accelerated"]

# Whether the arrays of a format are those of the transpose in CSR. Of exactly these types: what others derive from them
# may multiply otherwise, as sparsecast.csr_array does.
_BY_COLUMNS = {sp.csr_array: False, sp.csr_matrix: False, sp.csc_array: True, sp.csc_matrix: True}


class Report:
    """What was done within `with accelerated()`; :attr:`saved_s` and :attr:`forecast_s` are of matrices from 20 000
    entries on, whose products are timed."""

    def __init__(self) -> None:
        self._gone = [0, 0, 0.0, 0.0]
        self._watched: dict[int, _Watched] = {}

    @property
    def matrices(self) -> int:
        """Matrices that were planned."""
        return self._gone[0] + sum(one.live.products > 0 for one in list(self._watched.values()))

    @property
    def products(self) -> int:
        """Products that plans made."""
        return self._gone[1] + sum(one.live.products for one in list(self._watched.values()))

    @property
    def saved_s(self) -> float:
        """Seconds that these products took less than the fastest of SciPy's with the same matrix would have."""
        return self._gone[2] + sum(one.live.saved_s for one in list(self._watched.values()))

    @property
    def forecast_s(self) -> float:
        """The same by the forecast of the plans' products, of matrices that are still there or saved enough to ask for it."""
        return self._gone[3] + sum(one.forecast_s() for one in list(self._watched.values()))

    def _let_go(self, key: int, one: _Watched) -> None:
        if self._watched.get(key) is not one:
            return
        del self._watched[key]
        gone, live = self._gone, one.live
        if live.products:
            gone[0] += 1
            gone[1] += live.products
            gone[2] += live.saved_s
            gone[3] += one.forecast_s()

    def __repr__(self) -> str:
        return (
            f"sparsecast: {self.matrices} matrices planned, {self.products} products by plans, {self.saved_s:.3g} s saved, "
            f"forecast {self.forecast_s:.3g} s"
        )


class _Watched:
    """A matrix whose products are counted, as long as its values are somebody's."""

    __slots__ = ("_forecast_s", "_matrix", "live", "owner")

    def __init__(self, owner: Any, gone: Callable[[Any], None]) -> None:
        self.owner = weakref.ref(owner, gone)
        self.live = Live(kept=False)
        self._matrix: tuple[Any, ...] | None = None  # its arrays, weakly
        self._forecast_s: dict[int, float] = {}

    def forecast_s(self) -> float:
        """Seconds saved, with SciPy's as measured and the plan's as forecast."""
        total = 0.0
        for kind, way in list(self.live.ways.items()):
            if way.products:
                product_s = self._forecast_s.get(kind)
                total += way.products * (way.told_s - product_s) if product_s else 0.0
        return total
