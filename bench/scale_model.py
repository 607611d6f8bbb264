"""What the arena as it is would need for ever larger fields: from what was measured, by arithmetic, without a clock.

The field of the model is a ladder in one bracket at tables of four: a deal block is one deal at one table, four
matches; in a round everybody sits at one table once, so a round has as many matches as there are bots. Matches are a
hundred times the bots, up to a million bots; from there on only matches are added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2, log10
from typing import NamedTuple

from arena.games.brackets import USUAL_SEATS
from arena.rating.standings import Standing
from arena.referee import Settings
from bench.scale_laws import CONSTANT, CUBE, LINEAR, LOG, SORTING, SQUARE, Law, Point, Term, fit, fit_power

MATCHES_PER_BOT = 100
MOST_BOTS, MOST_MATCHES = 10**6, 10**9
SCOPES = 2
"""Standings are kept for the tournament and for all tournaments."""
REPLICATES = 200
HOUR, DAY = 3600.0, 86400.0
GB = 1e9
CORES, MEMORY, DISK, LINK = 16, 64 * GB, 1000 * GB, 1e9 / 8
"""The machine of the model: cores, bytes, bytes, bytes a second. All of it is to be played within a day."""


class Series(NamedTuple):
    """A cost that was measured at several sizes."""

    what: str
    unit: str
    terms: tuple[Term, ...]
    """Those that the code leads to; none: a power that no code tells."""


SERIES: dict[str, Series] = {
    "draw": Series("draw a round of a ladder", "s", (LINEAR, SORTING)),
    "swiss": Series("draw a round of a Swiss tournament", "s", (LINEAR, SORTING, SQUARE)),
    "table": Series("seat a table of remote bots, by those who are free", "s", (CONSTANT, LINEAR)),
    "design": Series("design a round robin", "s", (CONSTANT, LINEAR, SQUARE)),
    "hand_out": Series("hand out a match", "s", (CONSTANT, LOG)),
    "take": Series("take in a match", "s", (CONSTANT, LOG)),
    "fold": Series("fold a match into the standings", "s", (CONSTANT, LOG)),
    "write": Series("write a match, with what follows from it", "s", (CONSTANT, LOG)),
    "starts": Series("starts of bots for each match", "", (CONSTANT,)),
    "opponents": Series("different opponents of a bot, by rounds", "", ()),
    "refit": Series("fit one data set of a refit", "s", (LINEAR, SQUARE, CUBE)),
    "refit_memory": Series("most memory of a refit", "B", (LINEAR, SQUARE)),
    "told_apart": Series("row of a bot in the refits", "B", (CONSTANT, LINEAR)),
    "page": Series("read a page of the board", "s", (CONSTANT, LINEAR, SORTING)),
    "whole_board": Series("read the whole board", "s", (LINEAR, SQUARE)),
    "sparse_refit": Series("fit one data set, sparse (a trial)", "s", (LINEAR, SORTING)),
}


class Size(NamedTuple):
    """A field, and what it plays."""

    bots: int
    matches: int

    @classmethod
    def of(cls, matches: float) -> Size:
        return cls(max(USUAL_SEATS, min(MOST_BOTS, round(matches / MATCHES_PER_BOT))), round(matches))

    @property
    def rounds(self) -> float:
        return self.matches / self.bots

    @property
    def matches_of_each(self) -> int:
        return USUAL_SEATS * self.matches // self.bots


SIZES = [Size.of(10**power) for power in range(4, 10)]


@dataclass(frozen=True)
class Model:
    """All that follows from a measurement."""

    units: dict[str, float]
    series: dict[str, list[Point]]

    @cached_property
    def laws(self) -> dict[str, Law]:
        """The last point of a series is not among those that its law is fitted to."""
        return {
            name: fit(points[:-1], SERIES[name].terms) if SERIES[name].terms else fit_power(points[:-1])
            for name, points in self.series.items()
        }

    # What there is of each thing

    def pairs(self, size: Size) -> float:
        """Pairs that have met, in both directions."""
        return size.bots * min(size.bots - 1.0, self.laws["opponents"](size.rounds))

    def starts(self, size: Size) -> float:
        """How often a bot is started: once, where a worker can keep all of them, else for nearly every block."""
        if size.bots <= Settings().processes:
            return size.bots
        return size.matches * self.laws["starts"](size.bots)

    # Seconds of one process that does nothing else

    def conducting(self, size: Size) -> float:
        return size.matches * sum(self.laws[step](size.bots) for step in ("hand_out", "take", "fold", "write"))

    def drawing(self, size: Size) -> float:
        return size.rounds * self.laws["draw"](size.bots)

    def drawing_swiss(self, size: Size) -> float:
        """All rounds of a Swiss tournament, as many as it has by itself."""
        return (ceil(log2(size.bots)) + 2) * self.laws["swiss"](size.bots)

    def seating(self, size: Size) -> float:
        """Where all bots are remote, and connected to one server."""
        return size.matches * self.laws["table"](size.bots)

    def refitting(self, size: Size) -> float:
        return (REPLICATES + 1) * self.laws["refit"](size.bots)

    # Seconds of the processors that play

    def starting(self, size: Size) -> float:
        return self.starts(size) * self.units["start_cpu"]

    def playing(self, size: Size) -> float:
        return size.matches * self.units["play_cpu"]

    # Bytes

    def stored_matches(self, size: Size) -> float:
        of_a_match = self.units["bytes_matches"] + USUAL_SEATS * self.units["bytes_seats"]
        return size.matches * (of_a_match + self.units["bytes_blocks"] / USUAL_SEATS)

    def stored_replays(self, size: Size) -> float:
        return size.matches * self.units["replay_bytes"]

    def stored_standings(self, size: Size) -> float:
        units = self.units
        points = points_of_a_history(size.matches_of_each) * units["bytes_rating_points"]
        of_a_bot = units["bytes_standings"] + USUAL_SEATS * units["bytes_seat_tallies"] + units["bytes_surprises"]
        return SCOPES * size.bots * (of_a_bot + points)

    def stored_pairs(self, size: Size) -> float:
        return SCOPES * self.pairs(size) * self.units["bytes_head_to_head"]

    def stored_told_apart(self, size: Size) -> float:
        return SCOPES * size.bots * self.laws["told_apart"](size.bots)

    def store(self, size: Size) -> float:
        parts = (self.stored_matches, self.stored_replays, self.stored_standings, self.stored_pairs)
        return sum(part(size) for part in parts) + self.stored_told_apart(size)

    def memory(self, size: Size) -> float:
        return size.bots * self.units["bot_memory"] + self.pairs(size) * self.units["pair_memory"]

    def memory_of_bots(self, size: Size) -> float:
        """With a worker on each core, each of which keeps as many bots as it may."""
        return CORES * min(size.bots, Settings().processes) * self.units["start_memory"]

    def memory_to_resume(self, size: Size) -> float:
        return self.memory(size) + size.matches * self.units["resume_memory"]

    def reports(self, size: Size) -> float:
        return size.matches * (self.units["report_bytes"] + self.units["replay_bytes"])

    def serving(self, size: Size) -> float:
        return size.matches * self.units["alone_cpu"]

    def wire(self, size: Size) -> float:
        return size.matches * self.units["alone_bytes"]


def points_of_a_history(matches: int) -> int:
    """How many points the history of a rating has after so many matches, by the rule of the standings."""
    return sum(Standing(matches=count).worth_a_point for count in range(1, matches + 1))


class Resource(NamedTuple):
    """Something that is used up, how much of it there is, and what takes its place where that is not enough."""

    name: str
    kind: str
    need: Callable[[Model, Size], float]
    budget: float
    instead: str


RESOURCES = (
    Resource("matches of one round-robin cycle, for each there is", "times",
             lambda _, size: size.bots * (size.bots - 1) / (USUAL_SEATS - 1) / size.matches, 1.0,
             "ladder or Swiss"),
    Resource("starting bots, for each second of play", "times",
             lambda model, size: model.starting(size) / model.playing(size), 1.0,
             "more deals in a meeting (`--deals`)"),
    Resource("starting bots", "core", Model.starting, CORES * DAY,
             "more deals in a meeting, bots bound to workers, bots that stay connected"),
    Resource("playing", "core", Model.playing, CORES * DAY, "more machines (cluster)"),
    Resource("serving remote bots, a decision a message", "core", Model.serving, CORES * DAY,
             "many matches at once for each bot, more servers"),
    Resource("seating remote bots", "time", Model.seating, DAY, "more servers, each with a part of the field"),
    Resource("conductor: take in, fold, write", "time", Model.conducting, DAY,
             "a conductor for each shard of the field"),
    Resource("conductor: draw rounds", "time", Model.drawing, DAY, "each shard draws its own rounds"),
    Resource("conductor: draw rounds (Swiss)", "time", Model.drawing_swiss, DAY, "each shard draws its own rounds"),
    Resource("bots that run: memory", "bytes", Model.memory_of_bots, MEMORY, "fewer idle bots for each worker"),
    Resource("conductor: memory", "bytes", Model.memory, MEMORY, "pairs in the store alone"),
    Resource("conductor: memory to resume", "bytes", Model.memory_to_resume, MEMORY,
             "snapshots: results are read in the order of the schedule, and let go"),
    Resource("refit: time", "time", Model.refitting, HOUR, "Newton's steps on pairs that met alone (sparse)"),
    Resource("refit: memory", "bytes", lambda model, size: model.laws["refit_memory"](size.bots), MEMORY,
             "as for its time"),
    Resource("store", "bytes", Model.store, DISK, "see its parts"),
    Resource("store: matches, seats, blocks", "bytes", Model.stored_matches, DISK, "PostgreSQL, partitioned by time"),
    Resource("store: replays", "bytes", Model.stored_replays, DISK, "files in an object store, by hash"),
    Resource("store: standings, histories", "bytes", Model.stored_standings, DISK, "coarser histories"),
    Resource("store: head to head", "bytes", Model.stored_pairs, DISK, "the latest opponents only"),
    Resource("store: who is told apart", "bytes", Model.stored_told_apart, DISK,
             "neighbours in the ranking only; others by their intervals"),
    Resource("a page of the board", "time", lambda model, size: model.laws["page"](size.bots), 1.0,
             "ranks kept by an index, counts kept, not counted"),
    Resource("the whole board (terminal, file)", "time", lambda model, size: model.laws["whole_board"](size.bots), 10.0,
             "the first hundred, like the page"),
    Resource("network: reports to the conductor", "bytes", Model.reports, LINK * DAY, "replays go elsewhere"),
    Resource("network: remote bots", "bytes", Model.wire, LINK * DAY, "servers in several places"),
)  # fmt: skip


def breaks_at(model: Model, resource: Resource) -> Size | None:
    """The smallest size at which it does not suffice; None: it suffices up to the largest."""
    low, high = 2.0, log10(MOST_MATCHES)
    if resource.need(model, Size.of(10**high)) <= resource.budget:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if resource.need(model, Size.of(10**middle)) <= resource.budget else (low, middle)
    return Size.of(10**high)


def in_order(model: Model) -> Sequence[tuple[Size, Resource]]:
    """What breaks, the first first."""
    broken = [(size, resource) for resource in RESOURCES if (size := breaks_at(model, resource))]
    return sorted(broken, key=lambda each: each[0].matches)
