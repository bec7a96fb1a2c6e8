"""Sparsecast: how long sparse code will take, and the fastest product for a SciPy matrix.

``sparsecast.plan(A) @ x`` multiplies; ``sparsecast.forecast(A)`` tells how long every kernel takes, here or on a
machine that is not here. What a forecast needs of this machine is measured once, at first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._errors import CalibrationWarning, Error

if TYPE_CHECKING:
    from . import cluster as cluster
    from . import plot as plot
    from . import solve as solve
    from . import tuning as tuning
    from ._calibration import calibrate as calibrate
    from ._documents import devices as devices
    from ._documents import evaluate as evaluate
    from ._documents import forecast as forecast
    from ._documents import kernel as kernel
    from ._documents import measure as measure
    from ._documents import optimize as optimize
    from ._documents import profiles as profiles
    from ._documents import structure as structure
    from ._documents import traffic as traffic
    from ._plan import Plan as Plan
    from ._plan import plan as plan

# Where each name is defined. They are imported when first used: SciPy takes longer to load than the command to run.
_HOMES = {
    "calibrate": "_calibration",
    "devices": "_documents",
    "evaluate": "_documents",
    "forecast": "_documents",
    "kernel": "_documents",
    "measure": "_documents",
    "optimize": "_documents",
    "profiles": "_documents",
    "structure": "_documents",
    "traffic": "_documents",
    "Plan": "_plan",
    "plan": "_plan",
    "cluster": "",
    "plot": "",
    "solve": "",
    "tuning": "",
}

__all__ = ["CalibrationWarning", "Error", "__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._native import _core

        return _core.version()
    if name not in _HOMES:
        raise AttributeError(f"module 'sparsecast' has no attribute {name!r}")
    home = _HOMES[name]
    module = importlib.import_module(f".{home or name}", __name__)
    value = getattr(module, name) if home else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
