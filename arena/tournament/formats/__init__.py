"""The formats of a tournament, by name."""

from __future__ import annotations

from arena.tournament.formats.base import Format
from arena.tournament.formats.cycles import Gauntlet, RoundRobin
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.swiss import Swiss

FORMATS: dict[str, type[Format]] = {each.name: each for each in (RoundRobin, Swiss, Knockout, Ladder, Gauntlet)}
"""The formats of tournaments, the default first. `Duel` is for comparisons only."""
