"""A tournament arena for bots that play imperfect-information card games. The API is `from arena import Arena`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.api import Arena
    from arena.requests import (
        CheckRequest,
        CompareRequest,
        MatchRequest,
        ResumeRequest,
        SubmitRequest,
        TournamentRequest,
    )

__all__ = [
    "Arena",
    "CheckRequest",
    "CompareRequest",
    "MatchRequest",
    "ResumeRequest",
    "SubmitRequest",
    "TournamentRequest",
    "__version__",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load the API on first use: bots import this package too, and their start-up counts."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("arena.api" if name == "Arena" else "arena.requests"), name)
