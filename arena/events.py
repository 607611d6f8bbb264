"""What long-running calls report while they run: frozen values that can be pickled and sent to another process."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class NoteLevel(StrEnum):
    """How much a note matters."""

    DETAIL = "detail"
    INFO = "info"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence for the user, such as why a bracket is left out."""

    text: str
    level: NoteLevel = NoteLevel.INFO


@dataclass(frozen=True, slots=True)
class Activity:
    """What is being done at the moment, such as building a bot. An empty text: nothing that takes long."""

    text: str
