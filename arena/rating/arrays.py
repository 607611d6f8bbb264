"""numpy with single-threaded linear algebra.

Threads do not help with matrices this small, and on busy cores they wait for each other. OpenBLAS reads the environment
once, when it is loaded; the variable is removed again because bots inherit the environment.
"""

from __future__ import annotations

import os

_VARIABLE = "OPENBLAS_NUM_THREADS"
_unset = _VARIABLE not in os.environ
os.environ.setdefault(_VARIABLE, "1")
import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

if _unset:
    del os.environ[_VARIABLE]

__all__ = ["NDArray", "np"]
