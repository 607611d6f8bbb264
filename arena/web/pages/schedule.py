"""The schedule of a bracket: its latest pairings by round, with their matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from arena.reports.words import counted
from arena.store.matches import ScheduledBlock
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord
from arena.web.config import CONFIG
from arena.web.pages.progress import Status


@dataclass(frozen=True, slots=True)
class ScheduledPairing:
    """Bots that meet, with the deals that are on this page."""

    entrants: list[tuple[str, float | None]]
    """Labels and shares of the points, the best first; None before the first deal is counted."""
    state: str
    deals: str
    matches: list[tuple[str, str]]
    """The stored matches: name and short name."""


@dataclass(frozen=True, slots=True)
class SchedulePage:
    """Some blocks of the schedule, the latest first."""

    rounds: list[tuple[str, list[ScheduledPairing]]]
    older: int | None
    """The block before which the next page starts."""


def load_schedule(
    store: Store, record: TournamentRecord, bracket: str, before: int | None, status: Status
) -> SchedulePage:
    size = CONFIG.schedule_blocks
    found = store.matches.schedule_page(record.id, bracket, limit=size + 1, before=before)
    shown = found[:size]
    versions = store.bots.by_id(record.entrants)
    labels = [versions[version].label if version in versions else "?" for version in record.entrants]
    rounds = []
    for title, blocks in groupby(shown, key=lambda block: block.round):
        pairings = groupby(blocks, key=lambda block: block.entrants)
        rounds.append((title or "all", [_pairing(list(same), labels, status) for _, same in pairings]))
    return SchedulePage(rounds, shown[-1].number if len(found) > size else None)


def _pairing(blocks: Sequence[ScheduledBlock], labels: Sequence[str], status: Status) -> ScheduledPairing:
    """Return the pairing of blocks with the same entrants, the latest first."""
    size = len(blocks[0].entrants)
    outcomes = [block.pairs for block in blocks if block.pairs is not None]
    most = 2 * size * (size - 1) * len(outcomes)
    entrants: list[tuple[str, float | None]] = [
        (
            labels[entrant],
            sum(sum(pairs[place * size : (place + 1) * size]) for pairs in outcomes) / most if outcomes else None,
        )
        for place, entrant in enumerate(blocks[0].entrants)
    ]
    entrants.sort(key=lambda each: -(each[1] or 0.0))
    complete = sum(len(block.matches) == size for block in blocks)
    if complete == len(blocks):
        state, deals = "done", counted(complete, "deal", "deals")
    else:
        state = "being played" if status is Status.RUNNING else "not finished"
        deals = f"{complete} of {len(blocks)} deals"
    matches = [(name, "-".join(name.rsplit("-", 2)[1:])) for block in reversed(blocks) for name in block.matches]
    return ScheduledPairing(entrants, state, deals, matches)
