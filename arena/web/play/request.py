"""The table that somebody asks for, read from what a browser has sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from arena.errors import ArenaError, unknown
from arena.games.registry import find_game

LONGEST_SEED = 100
LONGEST_NAME = 40
LEAST_SECONDS, MOST_SECONDS = 1, 600
SOMEBODY = "person"
"""What a person is called who gives no name."""
KNOWN = ("game", "options", "opponents", "seat", "seed", "seconds", "hints", "name")


class BadPlayRequest(ArenaError):
    """Nobody can play like this."""


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """A table to play at."""

    game: str
    options: Mapping[str, str]
    opponents: tuple[str, ...]
    """The bots' keys, in the order of their seats."""
    seat: int | None = None
    """The person's seat; None: any."""
    seed: str | None = None
    """What the cards are shuffled with; None: anything."""
    seconds: float | None = None
    """For each turn, for everybody at the table; None: the person may take as long as it likes."""
    hints: bool = False
    name: str = SOMEBODY

    @classmethod
    def read(cls, document: object) -> Self:
        """The wish in the JSON. Raises an ArenaError with what is wrong with it."""
        given = _Reader(document)
        game = find_game(given.text("game", most=20))
        options = game.complete(given.options())
        opponents = given.texts("opponents")
        seats = len(opponents) + 1
        game.check_seats(seats, **options)
        seat = given.number("seat")
        if seat is not None and (seat != int(seat) or not 0 <= seat < seats):
            raise BadPlayRequest(f"there is no seat {seat:g} at this table: choose a number from 0 to {seats - 1}.")
        seconds = given.number("seconds")
        if seconds is not None and not LEAST_SECONDS <= seconds <= MOST_SECONDS:
            raise BadPlayRequest(f"the time for a turn must be from {LEAST_SECONDS} to {MOST_SECONDS} seconds.")
        return cls(
            game=game.name,
            options=options,
            opponents=opponents,
            seat=None if seat is None else int(seat),
            seed=given.optional_text("seed", most=LONGEST_SEED),
            seconds=seconds,
            hints=given.flag("hints"),
            name=given.optional_text("name", most=LONGEST_NAME) or SOMEBODY,
        )

    def again(self, seat: int, *, rotate: bool) -> Self:
        """The same table with other cards; rotated: everybody moves on by one seat."""
        if not rotate:
            return replace(self, seat=seat, seed=None)
        around: list[str | None] = [*self.opponents[:seat], None, *self.opponents[seat:]]
        around = [around[-1], *around[:-1]]
        others = tuple(key for key in around if key is not None)
        return replace(self, opponents=others, seat=around.index(None), seed=None)


class _Reader:
    """Reads fields, and says what is wrong with them."""

    def __init__(self, document: object) -> None:
        if not isinstance(document, dict):
            raise BadPlayRequest("a table is asked for with a JSON object.")
        for key in document:
            if key not in KNOWN:
                raise BadPlayRequest(unknown("field", str(key)[:40], KNOWN))
        self.fields = document

    def text(self, name: str, most: int) -> str:
        value = self.fields.get(name)
        if not isinstance(value, str) or len(value) > most:
            raise BadPlayRequest(f"{name!r} must be a text of at most {most} characters.")
        return value

    def optional_text(self, name: str, most: int) -> str | None:
        value = self.fields.get(name)
        if value is None or value == "":
            return None
        text = self.text(name, most).strip()
        if not text.isprintable():
            raise BadPlayRequest(f"{name!r} must be a text that can be printed in one line.")
        return text or None

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.fields.get(name)
        if not isinstance(value, list) or not all(isinstance(each, str) and len(each) <= 100 for each in value):
            raise BadPlayRequest(f"{name!r} must be a list of texts.")
        return tuple(value)

    def options(self) -> dict[str, str]:
        value = self.fields.get("options", {})
        if not isinstance(value, dict) or not all(isinstance(each, str) and len(each) <= 40 for each in value.values()):
            raise BadPlayRequest("'options' must be an object of texts.")
        return value

    def number(self, name: str) -> float | None:
        value = self.fields.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9:
            raise BadPlayRequest(f"{name!r} must be a number.")
        return value

    def flag(self, name: str) -> bool:
        value = self.fields.get(name, False)
        if not isinstance(value, bool):
            raise BadPlayRequest(f"{name!r} must be true or false.")
        return value
