"""The options of a tournament, as they are stored: enough to play and to resume it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from dataclasses import field as default
from math import ceil
from typing import Any

from arena.errors import BadTournament, choices
from arena.games.base import Json
from arena.games.brackets import DEFAULT_BRACKETS, Bracket
from arena.rating.sprt import Hypotheses
from arena.rating.trueskill import Scale, draw_probability
from arena.referee import Limits
from arena.sandbox import Allowance, Sandbox, Tier
from arena.tournament.config import CONFIG
from arena.tournament.formats import FORMATS, Duel, Field, Format, Gauntlet, Knockout, Ladder, RoundRobin, Swiss
from arena.tournament.stopping import MatchLimit, SequentialTest, StopRule, TimeLimit, UntilSeparated


@dataclass(frozen=True, slots=True)
class Event:
    """The options of a tournament. None: the default of the format."""

    format: str = RoundRobin.name
    brackets: tuple[str, ...] = DEFAULT_BRACKETS
    seats: int | None = None
    rounds: int | None = None
    deals: int | None = None
    double: bool = False
    """Knockout: a bot is out after its second defeat, not the first."""
    newcomer: int | None = None
    """Gauntlet: the number of the entrant that meets all others."""
    matches: int | None = None
    """The limit of matches in each bracket."""
    seconds: float | None = None
    """The time limit of the tournament, divided equally among the brackets."""
    until_separated: bool = False
    """Stop when each bot is separated from the next one in the ranking at 95 %."""
    hypotheses: Hypotheses | None = None
    """Comparison: stop when a sequential test has decided between these."""
    winners_only: bool = False
    """Rate wins only, not placements."""
    limits: Limits = default(default_factory=Limits)
    sandbox: Sandbox = default(default_factory=Sandbox)
    """The same until the end: results from different sandboxes are not comparable."""
    ponder: bool = True
    """Whether bots may use the CPU during the turns of others."""
    sealed: bool = False
    """Whether the seed of a match hides that of the tournament; false in tournaments of older versions."""

    def as_json(self) -> dict[str, Json]:
        return asdict(self)

    @classmethod
    def from_json(cls, options: Mapping[str, Any]) -> Event:
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in options.items() if name in known}
        nested = {"brackets": tuple(options["brackets"]), "limits": Limits(**options["limits"])}
        if box := options.get("sandbox"):
            nested["sandbox"] = Sandbox(Tier(box["tier"]), Allowance(**box["allowance"]))
        if hypotheses := options.get("hypotheses"):
            nested["hypotheses"] = Hypotheses(**hypotheses)
        return cls(**{**values, **nested})

    def check(self, games: Sequence[Sequence[str]]) -> None:
        """Raise `BadTournament` if bots that play these games cannot play the tournament."""
        for name in self.brackets:
            bracket = Bracket.parse(name)
            self.draw(bracket, sum(bracket.game in each for each in games), "", self.newcomer_in(bracket, games))

    def newcomer_in(self, bracket: Bracket, games: Sequence[Sequence[str]]) -> int | None:
        """Return the newcomer's number among the entrants of the bracket; None: there is none."""
        playing = [number for number, each in enumerate(games) if bracket.game in each]
        return playing.index(self.newcomer) if self.newcomer in playing else None

    def draw(self, bracket: Bracket, field_size: int, seed: str, newcomer: int | None = None) -> Format:
        """Return the format of a bracket."""
        if self.format == Duel.name:
            assert self.seats is not None, "a comparison has a number of seats"
            assert self.rounds is not None, "and of deals"
            field = Field(field_size, self.seats, bracket.fewest, f"{seed}/{bracket.name}")
            return Duel(field, self.rounds)
        seats = bracket.seats(field_size, self.seats)
        field = Field(field_size, seats, bracket.fewest, f"{seed}/{bracket.name}")
        match self.format:
            case RoundRobin.name:
                drawn = RoundRobin(field)
                return RoundRobin(field, cycles=self.rounds or self._usual_cycles(drawn))
            case Swiss.name:
                return Swiss(field, rounds=self.rounds, deals=self.deals)
            case Knockout.name:
                return Knockout(field, double=self.double, deals=self.deals)
            case Ladder.name:
                if not self._stops:
                    raise BadTournament(
                        "`--format ladder` needs a stop rule.",
                        hint="Add `--matches 500`, `--time 10m` or `--until-separated 95%`.",
                    )
                return Ladder(field, deals=self.deals)
            case Gauntlet.name:
                if newcomer is None:
                    raise BadTournament(f"The newcomer of the gauntlet does not play `{bracket.name}`.")
                cycle = Gauntlet(field, newcomer).pairings_per_cycle * field.seats
                usual = None if self._stops else max(1, ceil(CONFIG.matches_per_bot / cycle))
                return Gauntlet(field, newcomer, cycles=self.rounds or usual)
        raise BadTournament(f"Unknown format `{self.format}`: expected {choices(FORMATS)}.")

    @property
    def seconds_each(self) -> float | None:
        """The time limit of each bracket."""
        return None if self.seconds is None else self.seconds / len(self.brackets)

    def stop_rules(self) -> list[StopRule]:
        """Return the rules that end a bracket before its format does. Call it when the bracket begins."""
        rules: list[StopRule] = []
        if self.matches is not None:
            rules.append(MatchLimit(self.matches))
        if self.seconds_each is not None:
            rules.append(TimeLimit(self.seconds_each))
        if self.until_separated:
            rules.append(UntilSeparated())
        if self.hypotheses is not None:
            rules.append(SequentialTest(self.hypotheses))
        return rules

    def scale(self, bracket: Bracket, seats: int) -> Scale:
        """Return the rating scale of a bracket."""
        if self.winners_only and seats > 2:
            return Scale((seats - 2) / (seats - 1))  # all but the winner are tied
        return Scale(draw_probability(bracket.game, dict(bracket.options)))

    def scale_of(self, bracket: str) -> Scale:
        """Return the rating scale of a bracket with the usual number of seats."""
        parsed = Bracket.parse(bracket)
        return self.scale(parsed, parsed.seats(parsed.usual_seats, self.seats))

    def expected_matches(self, drawn_by: Format) -> int | None:
        """Return the number of matches of a bracket; None: it depends on the results or on the clock."""
        in_all = drawn_by.match_count
        if self.until_separated or self.hypotheses or self.seconds is not None:
            return None
        return in_all if self.matches is None else min(self.matches, in_all or self.matches)

    @property
    def _stops(self) -> bool:
        """Whether there is a stop rule."""
        return bool(self.matches or self.seconds or self.until_separated)

    def _usual_cycles(self, drawn: RoundRobin) -> int | None:
        """Return the default number of cycles of a round robin."""
        if self._stops:
            return None
        field = drawn.field
        matches_of_each = drawn.pairings_per_cycle * field.seats * field.seats / field.size
        return max(1, ceil(CONFIG.matches_per_bot / matches_of_each))
