"""The formats of a tournament, by name."""

from __future__ import annotations

from arena.tournament.formats.base import Field, Format, Pairing, PairingResult, Round, Skill
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.elimination import DecidedBy, KnockoutPairing, KnockoutRound, Part
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.formats.swiss import Swiss

FORMATS: dict[str, type[Format]] = {
    format_class.name: format_class for format_class in (RoundRobin, Swiss, Knockout, Ladder, Gauntlet)
}
"""The formats of tournaments, the default first. `Duel` is for comparisons only."""

__all__ = [
    "FORMATS",
    "DecidedBy",
    "Duel",
    "Field",
    "Format",
    "Gauntlet",
    "Knockout",
    "KnockoutPairing",
    "KnockoutRound",
    "Ladder",
    "Pairing",
    "PairingResult",
    "Part",
    "Round",
    "RoundRobin",
    "Skill",
    "Swiss",
]
