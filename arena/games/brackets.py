"""Brackets: a game with its options, each with its own ratings. `mantis`, `mantis/icons`, `tentagram/free`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from arena.errors import BadTournament, choices
from arena.games.base import AnyGame
from arena.games.registry import GAMES, find_game, profile_of


@dataclass(frozen=True, slots=True)
class Bracket:
    """A game with its options."""

    game: str
    options: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, name: str) -> Bracket:
        """Return the bracket of this name; default values may be named too. Raise `BadTournament` if there is none."""
        game_name, *values = name.split("/")
        game = find_game(game_name)
        options = game.complete({})
        left = iter(game.options)
        for value in values:  # in the order of the options
            option = next((each for each in left if value in game.options[each]), None)
            if option is None:
                known = choices(bracket.name for bracket in cls.all_of(game))
                raise BadTournament(f"Unknown bracket `{name}`: expected {known}.")
            options[option] = value
        return cls(game_name, tuple(options.items()))

    @classmethod
    def all_of(cls, game: AnyGame) -> Iterator[Bracket]:
        """Yield the brackets of a game: one for each combination of its options' values."""
        for values in product(*game.options.values()):
            yield cls(game.name, tuple(zip(game.options, values, strict=True)))

    @property
    def rules(self) -> AnyGame:
        return find_game(self.game)

    @property
    def name(self) -> str:
        """The game and the values of its options that are not the default."""
        defaults = self.rules.complete({})
        return "/".join([self.game, *(value for option, value in self.options if value != defaults[option])])

    @property
    def seat_range(self) -> range:
        """The numbers of seats that the game can be played with."""
        return self.rules.seat_range(**dict(self.options))

    @property
    def fewest(self) -> int:
        """The smallest number of seats."""
        return self.seat_range[0]

    @property
    def usual_seats(self) -> int:
        """How many seats a match has unless the organiser chooses a number."""
        return min(profile_of(self.game).seats, self.seat_range[-1])

    @property
    def comparison_seats(self) -> int:
        """How many seats a comparison of two bots has by default: two, or the usual number if two are too few."""
        return 2 if self.fewest == 2 else self.usual_seats

    def seats(self, field: int, wanted: int | None) -> int:
        """Return how many seats a match has with `field` bots to play. Raise `BadTournament` if they are too few."""
        possible = self.seat_range
        if wanted is not None:
            self.rules.check_seats(wanted, **dict(self.options))
        if field < possible[0]:
            bots = "1 bot" if field == 1 else f"{field} bots"
            raise BadTournament(
                f"`{self.name}` needs at least {possible[0]} bots, and {bots} would play it.",
                hint="Enter more bots, such as the bundled `random`, `greedy` and `counter`, "
                "or choose another `--bracket`.",
            )
        return min(field, wanted or self.usual_seats, possible[-1])


DEFAULT_BRACKETS = tuple(GAMES)
"""What a tournament plays by default: every game with its default options."""
