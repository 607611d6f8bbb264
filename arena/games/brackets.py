"""Brackets: a game with its options, each with ratings of its own. `mantis`, `mantis/icons`, `tentagram/strict`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arena.errors import BadTournament, choices
from arena.games.base import AnyGame
from arena.games.registry import GAMES, find_game

USUAL_SEATS = 4
"""How many sit at a table unless the organiser says otherwise."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """A game with its options."""

    game: str
    options: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, name: str) -> Bracket:
        """The bracket of this name. Raises where there is none."""
        game_name = name.partition("/")[0]
        game = find_game(game_name)
        known = {bracket.name: bracket for bracket in cls.all_of(game)}
        defaults = "/".join([game_name, *game.complete({}).values()])
        if name == defaults:  # mantis/classic
            return known[game_name]
        if name not in known:
            raise BadTournament(f"unknown bracket {name!r}: choose {choices(known)}.")
        return known[name]

    @classmethod
    def all_of(cls, game: AnyGame) -> Iterator[Bracket]:
        """The brackets of a game: one for each value of its option."""
        (option,) = game.options
        for value in option.values:
            yield cls(game.name, ((option.name, value.name),))

    @property
    def rules(self) -> AnyGame:
        return find_game(self.game)

    @property
    def name(self) -> str:
        """What people call it; the usual options are not named."""
        defaults = self.rules.complete({})
        return "/".join([self.game, *(value for option, value in self.options if value != defaults[option])])

    @property
    def fewest(self) -> int:
        """The game is not played with fewer seats."""
        return self.rules.seat_range(**dict(self.options))[0]

    def seats(self, field: int, wanted: int | None) -> int:
        """How many sit at a table, with that many bots in the field. Raises where they are too few."""
        possible = self.rules.seat_range(**dict(self.options))
        if wanted is not None:
            self.rules.check_seats(wanted, **dict(self.options))
        if field < possible[0]:
            bots = "1 bot" if field == 1 else f"{field} bots"
            raise BadTournament(
                f"{self.name} needs at least {possible[0]} bots at a table, and {bots} would play it: enter more, "
                "for instance the bundled ones by name, or leave this bracket out (--bracket)."
            )
        return min(field, wanted or USUAL_SEATS, possible[-1])


DEFAULT_BRACKETS = tuple(GAMES)
"""What a tournament plays unless the organiser says otherwise: every game in its usual variant."""
