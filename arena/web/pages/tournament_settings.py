"""The settings of a tournament in words."""

from __future__ import annotations

from arena.games.brackets import Bracket
from arena.reports.words import counted, duration
from arena.sandbox.allowance import bytes_shown
from arena.store.schema import REMOTE
from arena.store.tournaments import TournamentRecord
from arena.tournament.event import Event
from arena.tournament.formats import FORMATS


def settings(record: TournamentRecord, event: Event | None) -> list[tuple[str, str]]:
    """Return terms and descriptions. `event`: None for what is not a tournament."""
    when = f"started {record.created[:16]} UTC"
    if record.ended:
        when += f", ended {record.ended[:16]} UTC"
    if event is None:
        kinds = {
            "compare": "A comparison of two bots.",
            REMOTE: "The ladder of remote bots.",
        }
        return [("Kind", kinds.get(record.format, "Matches outside tournaments.")), ("Time", when), ("Rated", "no")]
    eliminated = " A bot is eliminated by its second defeat." if event.double else ""
    rated = "by winner" if event.winners_only else "by place"
    return [
        ("Format", f"{record.format}. {FORMATS[record.format].summary}{eliminated}"),
        ("Seats", _seats(event)),
        ("Length", _length(event)),
        ("Rated", rated if record.rated else "no"),
        ("Time limits", _time_limits(event)),
        ("Sandbox", _sandbox(event)),
        ("Time", when),
    ]


def _seats(event: Event) -> str:
    seats = {name: Bracket.parse(name).seats(100, event.seats) for name in event.brackets}
    sizes = sorted(set(seats.values()))
    if len(sizes) == 1:
        return f"{sizes[0]}, or the number of bots if there are fewer"
    return "; ".join(f"{size} in {name}" for name, size in seats.items())


def _length(event: Event) -> str:
    parts = []
    if event.rounds:
        parts.append(counted(event.rounds, "round", "rounds"))
    if event.deals:
        parts.append(f"{counted(event.deals, 'deal', 'deals')} per pairing")
    if event.matches:
        parts.append(f"until {event.matches:,} matches are played in a bracket")
    if event.seconds is not None:
        parts.append(f"for {duration(event.seconds)}")
    if event.until_separated:
        parts.append("until every bot is separated from the next one in the ranking (95 %)")
    return ", ".join(parts) or "the default of the format"


def _time_limits(event: Event) -> str:
    limits = event.limits
    parts = [f"{limits.start:g} s to start"]
    parts.append("no limit per move" if limits.turn is None else f"{limits.turn:g} s per move")
    if limits.match is not None:
        parts.append(f"{limits.match:g} s per match")
    parts.append("bots may think during the turns of others" if event.ponder else "paused during the turns of others")
    return ", ".join(parts)


def _sandbox(event: Event) -> str:
    box = event.sandbox
    if not box.is_isolated:
        return "none: bots have the permissions of the organiser"
    allowed = box.allowance
    return f"{box.tier}; {bytes_shown(allowed.memory)} of memory and {allowed.cpus:g} cores per bot"
