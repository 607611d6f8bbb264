"""The match that a browser asks for, decoded and validated."""

from __future__ import annotations

from typing import Annotated, Self, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from arena.errors import UserError
from arena.games.registry import find_game
from arena.web.config import CONFIG

Body = TypeVar("Body")


class PlayRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A match between a person and bots."""

    game: Annotated[str, Meta(max_length=20)]
    options: dict[str, Annotated[str, Meta(max_length=40)]] = {}
    opponents: tuple[Annotated[str, Meta(max_length=100)], ...] = ()
    """The keys of the bots, in the order of their seats."""
    seat: int | None = None
    """The person's seat; None: any."""
    seed: Annotated[str, Meta(max_length=CONFIG.max_seed_length)] | None = None
    """The seed of the deal; None: any."""
    seconds: Annotated[float, Meta(ge=CONFIG.min_turn_seconds, le=CONFIG.max_turn_seconds)] | None = None
    """The time limit for each turn, for all seats; None: the person has no limit."""
    hints: bool = False
    name: Annotated[str, Meta(max_length=CONFIG.max_name_length)] | None = None

    @property
    def person(self) -> str:
        """The name of the person."""
        return self.name or "person"

    def checked(self) -> Self:
        """Return the request with default options. Raise `UserError` if the match cannot be played."""
        game = find_game(self.game)
        options = game.complete(self.options)
        seats = len(self.opponents) + 1
        game.check_seats(seats, **options)
        if self.seat is not None and not 0 <= self.seat < seats:
            raise UserError(f"There is no seat `{self.seat}`: expected a number from 0 to {seats - 1}.")
        return replace(self, options=options, seed=_line("seed", self.seed), name=_line("name", self.name))

    def again(self, seat: int, *, rotate: bool) -> Self:
        """Return the same match with another deal. `rotate`: every player moves to the next seat."""
        if not rotate:
            return replace(self, seat=seat, seed=None)
        players: list[str | None] = [*self.opponents[:seat], None, *self.opponents[seat:]]
        players = [players[-1], *players[:-1]]
        opponents = tuple(key for key in players if key is not None)
        return replace(self, opponents=opponents, seat=players.index(None), seed=None)


class ChoiceRequest(msgspec.Struct, frozen=True):
    """The person's choice, in the notation of replays."""

    decision: int
    action: Annotated[str, Meta(max_length=40)]


class RematchRequest(msgspec.Struct, frozen=True):
    """Another match with the same players."""

    rotate: bool


def decode(body: bytes, kind: type[Body]) -> Body:
    """Return the JSON body of a request. Raise `UserError` if it is invalid."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise UserError(f"Invalid request: {error}.") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise UserError("Invalid request: the body is not JSON.") from None


def _line(field: str, text: str | None) -> str | None:
    """Return the stripped text; None if it is empty. Raise `UserError` if it is not a printable line."""
    text = (text or "").strip()
    if not text.isprintable():
        raise UserError(f"Invalid {field}: expected one line of printable characters.")
    return text or None
