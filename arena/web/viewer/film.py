"""A film: the JSON from which a browser shows a match, whether it is over or still being played.

A film has frames and entries: frame k is the table after k lines of the replay, entry k what happened between frames k
and k + 1. Each game writes its own part (arena/games/<game>/frames.py).

A film without a seat is for spectators: the browser can hide in it what a seat could not know, but everything is there.
For a person who plays, make the film with that person's seat: it is made from that seat's views until the game is over.
"""

from __future__ import annotations

from arena.games.base import AnyState
from arena.games.frames import Entry, Film, More
from arena.games.registry import frames_of
from arena.replay import Decision, Fault, FaultKind, Header, Playback, Replay


class FilmMaker:
    """Makes the film of a match line by line. `film` is the film so far; what `add` returns extends the browser's."""

    def __init__(self, header: Header, seat: int | None = None) -> None:
        self._playback = Playback(header)
        self._header = header
        self._frames = frames_of(header.game)
        self.film: Film = {
            "match": header.match,
            "game": header.game,
            "options": header.options,
            "seats": list(header.seats),
            "seat": seat,
            "entries": [],
            "result": None,
        }
        self._frames.begin(self.film, self.state)

    @property
    def state(self) -> AnyState:
        return self._playback.state

    @property
    def over(self) -> bool:
        return self._playback.over

    def add(self, entry: Decision | Fault) -> More:
        """Add the next line of the replay; the line that ends the match also adds the result.

        Raise `ReplayMismatch` if the rules do not allow the line.
        """
        film = self.film
        events = self._playback.play(entry)
        made: Entry
        if isinstance(entry, Fault):
            # Why an action was illegal may reveal the hand.
            hidden = entry.fault is FaultKind.ILLEGAL and film["seat"] not in (None, entry.seat)
            detail = "" if hidden else entry.detail
            made = {"seat": entry.seat, "fault": entry.fault.value, "why": entry.fault.meaning, "detail": detail}
        else:
            made = {"seat": entry.seat, "do": entry.action, "ms": round(entry.ms, 2)}
            if entry.by_house:
                made["house"] = True
            self._frames.describe(made, events, film["seats"])
        more: More = {"start": len(film["entries"]), "entries": [made]}
        film["entries"].append(made)
        self._frames.extend(film, more, self.state, over=self.over)
        if self.over:
            result = self._playback.result()
            film["result"] = more["result"] = {
                "placements": list(result.placements),
                "winners": list(result.winners),
                "ending": result.ending.value,
            }
            self._frames.conclude(more["result"], result)
            more["seed"] = film["seed"] = self._header.seed
        return more


def film_of(replay: Replay) -> Film:
    """Return the film of a whole replay for spectators. Raise `ReplayMismatch` if the rules do not allow a line."""
    maker = FilmMaker(replay.header)
    for entry in replay.entries:
        maker.add(entry)
    return maker.film
