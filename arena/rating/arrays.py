"""numpy, without the threads of its linear algebra.

They bring nothing for matrices as small as ours, and on busy cores they wait for each other. OpenBLAS looks at the
environment once, when it is loaded; the bots, which inherit the environment, shall not be bound by it.
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
