"""Sparsecast: how long sparse code will take, and the fastest product for a SciPy matrix.

``sparsecast.plan(A) @ x`` multiplies; ``sparsecast.forecast(A)`` tells how long every kernel takes, here or on a
machine that is not here. At first use, a short probe measures this machine, once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._errors import Error

if TYPE_CHECKING:
    from . import cluster as cluster
    from . import plot as plot
    from . import solve as solve
    from . import tuning as tuning
    from ._calibration import calibrate as calibrate
    from ._answers import devices as devices
    from ._answers import doctor as doctor
    from ._answers import evaluate as evaluate
    from ._answers import forecast as forecast
    from ._answers import kernel as kernel
    from ._answers import measure as measure
    from ._answers import optimize as optimize
    from ._answers import plan_report as plan_report
    from ._answers import profiles as profiles
    from ._answers import structure as structure
    from ._answers import traffic as traffic
    from ._plan import Plan as Plan
    from ._plan import plan as plan
    from ._accelerated import accelerated as accelerated
    from .drop_in import csr_array as csr_array
    from .drop_in import csr_matrix as csr_matrix

# Where each name is defined. They are imported when first used: SciPy takes longer to load than the command to run.
_HOMES = {
    name: home
    for home, names in (
        ("_calibration", "calibrate"),
        ("_answers", "devices doctor evaluate forecast kernel measure optimize plan_report profiles structure traffic"),
        ("_plan", "Plan plan"),
        ("_accelerated", "accelerated"),
        ("drop_in", "csr_array csr_matrix"),
        ("", "cluster plot solve tuning"),
    )
    for name in names.split()
}

__all__ = ["Error", "__version__", *_HOMES]


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
