"""The options of a tournament, as they are stored: enough to play and to resume it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import field as default
from math import ceil

import msgspec

from arena.errors import BadTournament, choices
from arena.games.base import Json
from arena.games.brackets import DEFAULT_BRACKETS, Bracket
from arena.rating.sprt import Hypotheses
from arena.referee import Limits
from arena.sandbox import Sandbox
from arena.tournament.config import CONFIG
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Field, Format
from arena.tournament.formats.cycles import CyclicFormat, Duel, Gauntlet, RoundRobin
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.swiss import Swiss
from arena.tournament.stopping import MatchLimit, SequentialTest, StopRule, TimeLimit, UntilSeparated


@dataclass(frozen=True, slots=True)
class TournamentOptions:
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
    own_deals: bool = False
    """Whether each block has a deal of its own; false in tournaments of older versions."""
    dealt_as: dict[str, str] = default(default_factory=dict)
    """The earlier names of brackets: deals and the names of matches are made from them."""

    def as_json(self) -> dict[str, Json]:
        return asdict(self)

    @classmethod
    def from_json(cls, options: Mapping[str, Json]) -> TournamentOptions:
        return msgspec.convert(options, cls)

    def draw(self, bracket: Bracket, games: Sequence[Sequence[str]], seed: str) -> tuple[Format, list[int]]:
        """Return the format of a bracket and the entrants that play in it. `games`: those of each entrant.

        Raise `BadTournament` if they cannot play it.
        """
        entrants = [number for number, played in enumerate(games) if bracket.game in played]
        return self._format(bracket, entrants, seed), entrants

    def _format(self, bracket: Bracket, entrants: Sequence[int], seed: str) -> Format:
        seats = bracket.seats(len(entrants), self.seats) if self.format != Duel.name else self.seats
        assert seats is not None, "a comparison has a number of seats"
        name = self.dealt_as.get(bracket.name, bracket.name)
        field = Field(len(entrants), seats, bracket.fewest, f"{seed}/{name}")
        match self.format:
            case Duel.name:
                return Duel(field, self.rounds)
            case RoundRobin.name:
                return self._with_cycles(RoundRobin(field))
            case Swiss.name:
                return Swiss(field, rounds=self.rounds, deals=self.deals)
            case Knockout.name:
                return Knockout(field, double=self.double, deals=self.deals)
            case Ladder.name:
                if not self._stops:
                    raise BadTournament(
                        "A ladder needs a stop rule.",
                        hint="Add `--matches 500`, `--time 10m` or `--until-separated 95%`.",
                    )
                return Ladder(field, deals=self.deals)
            case Gauntlet.name:
                if self.newcomer not in entrants:
                    raise BadTournament(f"The newcomer of the gauntlet does not play `{bracket.name}`.")
                return self._with_cycles(Gauntlet(field, entrants.index(self.newcomer)))
        raise BadTournament(f"Unknown format `{self.format}`: expected {choices(FORMATS)}.")

    def _with_cycles(self, drawn: CyclicFormat) -> CyclicFormat:
        usual = None if self._stops else max(1, ceil(CONFIG.matches_per_bot / drawn.matches_per_cycle))
        drawn.cycles = self.rounds or usual
        return drawn

    @property
    def _stops(self) -> bool:
        """Whether there is a stop rule."""
        return bool(self.matches or self.seconds or self.until_separated)

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

    def expected_matches(self, drawn_by: Format) -> int | None:
        """Return the number of matches of a bracket; None: it depends on the results or on the clock."""
        in_all = drawn_by.match_count
        if self.until_separated or self.hypotheses or self.seconds is not None:
            return None
        return in_all if self.matches is None else min(self.matches, in_all or self.matches)
