"""The compiled module, loaded so that its threads do not keep cores from others.

Threads of GNU's OpenMP that wait for the next product turn in a loop for some milliseconds. So do those of NumPy's
OpenBLAS after a dot product, and where both have a thread on every core each waits for the time slice of the other to
end: SciPy's cg took 4 s on two threads where one thread took 0.15 s. After three thousand turns, some 30 µs, a thread
of ours sleeps: the cg takes 0.2 s, and products in a loop, whose threads hardly wait so long, what they took before
(docs/results-python.md). What the user has set counts.
"""

from __future__ import annotations

import os

_TURNS = "GOMP_SPINCOUNT"

# The run-time reads the environment once, when it is loaded.
_ours = _TURNS not in os.environ and "OMP_WAIT_POLICY" not in os.environ
if _ours:
    os.environ[_TURNS] = "3000"
try:
    from . import _core as _core
finally:
    if _ours:
        del os.environ[_TURNS]
