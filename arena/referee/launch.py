"""What the referee needs to know to start a bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a bot. Two equal launches share their processes."""

    name: str
    version: str
    folder: Path
    """The working directory."""
    command: tuple[str, ...]
    games: tuple[str, ...] = ()
    """The games that the bot claims to play; empty: those that its hello names."""
    env: dict[str, str] = field(default_factory=dict, hash=False)
    file: Path | None = None
    """The single file of a bot without a folder of its own; None: all of `folder` belongs to the bot."""

    @property
    def label(self) -> str:
        """Name and version, as in replays."""
        return f"{self.name} {self.version}".strip()

    @property
    def log_name(self) -> str:
        """The name of the bot's log file, different for every label."""
        return f"{log_stem(self.label)}.log"


def log_stem(label: str) -> str:
    """Return the label as part of a file name, percent-encoded."""
    return quote(label, safe=" ", errors="replace")[:150]


def distinct(labels: Sequence[str]) -> list[str]:
    """Return the labels, with a number after those that occur more than once."""
    seen: Counter[str] = Counter()
    repeated = {label for label, count in Counter(labels).items() if count > 1}
    numbered = []
    for label in labels:
        seen[label] += 1
        numbered.append(f"{label} #{seen[label]}" if label in repeated else label)
    return numbered


def last_lines(output: str) -> str:
    """Return the last 12 lines of a bot's output, indented to follow an error message; empty without output."""
    return "".join(f"\n    | {line}" for line in output.strip().splitlines()[-12:])
