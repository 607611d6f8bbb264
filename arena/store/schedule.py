"""The schedule on record, for people who look at it: in pages, or what is new since they looked last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, select

from arena.store.schema import blocks, matches


@dataclass(frozen=True, slots=True)
class ScheduledBlock:
    """A deal that some entrants play once for every rotation of the seats."""

    number: int
    round: str
    deal: int
    entrants: tuple[int, ...]
    pairs: bytes | None
    """What came of it; None until it is counted."""
    matches: tuple[str, ...]
    """The names of those of its matches that are on record, by rotation."""


class Schedule:
    """Reads the blocks of tournaments, a few at a time."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def page(
        self, tournament_id: int, bracket: str, *, limit: int, before: int | None = None
    ) -> Sequence[ScheduledBlock]:
        """The latest blocks, or the latest before the one with this number; the latest first."""
        ours = (blocks.c.tournament_id == tournament_id) & (blocks.c.bracket == bracket)
        wanted = select(blocks).where(ours).order_by(blocks.c.number.desc()).limit(limit)
        if before is not None:
            wanted = wanted.where(blocks.c.number < before)
        with self.engine.connect() as connection:
            found = connection.execute(wanted).all()
            if not found:
                return []
            played = (
                select(matches.c.block, matches.c.name)
                .where(
                    matches.c.tournament_id == tournament_id,
                    matches.c.bracket == bracket,
                    matches.c.block.between(found[-1].number, found[0].number),
                )
                .order_by(matches.c.block, matches.c.rotation)
            )
            names: dict[int, list[str]] = {}
            for block, name in connection.execute(played):
                names.setdefault(block, []).append(name)
        return [
            ScheduledBlock(
                row.number, row.round, row.deal, tuple(row.entrants), row.pairs, tuple(names.get(row.number, ()))
            )
            for row in found
        ]

    def outcomes(self, tournament_id: int, bracket: str, first: int) -> list[bytes]:
        """What came of the counted blocks from this number on, in order."""
        wanted = (
            select(blocks.c.pairs)
            .where(
                blocks.c.tournament_id == tournament_id,
                blocks.c.bracket == bracket,
                blocks.c.number >= first,
                blocks.c.pairs.is_not(None),
            )
            .order_by(blocks.c.number)
        )
        with self.engine.connect() as connection:
            return list(connection.scalars(wanted))
