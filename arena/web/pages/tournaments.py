"""Tournaments: all of them, and each with its progress, its schedule, its tree and what went wrong."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from itertools import groupby
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.games.brackets import Bracket
from arena.reports.words import counted, duration
from arena.sandbox.allowance import bytes_shown
from arena.store.history import MatchFilter
from arena.store.matches import ScheduledBlock
from arena.store.schema import PLAY, REMOTE
from arena.store.store import Store
from arena.store.tournaments import BracketProgress, State, TournamentRecord
from arena.tournament.event import Event
from arena.tournament.formats import FORMATS
from arena.web.events import Messages
from arena.web.pages.faults import ticker
from arena.web.pages.progress import event_of
from arena.web.site import Site, site_of

ABOUT = {
    "compare": "Two versions of a bot are compared.",
    REMOTE: "The ladder of bots that play from elsewhere, on machines of their own.",
}
"""What is no tournament."""
ON_A_PAGE = 30
"""Tournaments in the list."""
BLOCKS = 32
"""Blocks of the schedule that are shown at once."""
LEADERS = 10


class Status(Enum):
    """What a tournament does; the value is the word for it."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    DONE = "done"


def status_of(record: TournamentRecord, conducted: Collection[int]) -> Status:
    """`conducted`: the numbers of the tournaments that somebody is conducting."""
    if record.state is State.DONE:
        return Status.DONE
    return Status.RUNNING if record.id in conducted else Status.INTERRUPTED


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a bracket has come."""

    bracket: str
    played: int
    expected: int | None
    at_least: bool
    status: Status

    @property
    def share(self) -> float | None:
        """Between 0 and 1; None where it is not known."""
        if self.status is Status.DONE:
            return 1.0
        return min(1.0, self.played / self.expected) if self.expected else None

    @property
    def words(self) -> str:
        played = counted(self.played, "match", "matches")
        if self.status is Status.DONE or self.expected is None:
            return played
        return f"{self.played:,} of {'at least ' if self.at_least else ''}{self.expected:,} matches"


@dataclass(frozen=True, slots=True)
class Seated:
    """A bot at a table of the schedule."""

    label: str
    points: float | None
    """Its share of the points; None as long as nothing is counted."""


@dataclass(frozen=True, slots=True)
class PlayedTable:
    """Some bots who meet, with the deals that are on this page."""

    seated: list[Seated]
    state: str
    deals: str
    matches: list[tuple[str, str]]
    """What is on record: the name of the match, and what to call it in short."""


@dataclass(frozen=True, slots=True)
class Look:
    """What of a tournament somebody looks at."""

    tournament: int
    bracket: str
    before: int | None = None
    """The schedule before this block; None: the latest."""

    @property
    def query(self) -> str:
        given = {"bracket": self.bracket, "before": self.before}
        return f"?{urlencode({name: value for name, value in given.items() if value is not None})}"


def tournaments(request: Request) -> Response:
    """All tournaments, the newest first."""
    site = site_of(request)
    before = _number(request, "before")
    return site.pages.page(request, "tournaments.html", before=before, parts=list_parts(site, before))


def follow_tournaments(request: Request) -> Response:
    """The events of the list."""
    site = site_of(request)
    before = _number(request, "before")
    return site.hub.response(("tournaments", before), lambda: list_parts(site, before))


def list_parts(site: Site, before: int | None) -> Messages:
    found = site.store.tournaments.latest(ON_A_PAGE + 1, before)
    conducted = site.conducted()
    shown = found[:ON_A_PAGE]
    rows = [(record, status_of(record, conducted)) for record in shown]
    older = shown[-1].id if len(found) > ON_A_PAGE else None
    return {"tournaments": site.pages.part("parts/tournaments.html", rows=rows, older=older)}


def tournament(request: Request) -> Response:
    """One tournament."""
    site = site_of(request)
    record, look = _look(request, site.store)
    return site.pages.page(
        request,
        "tournament.html",
        record=record,
        look=look,
        facts=facts(record, event_of(record)),
        parts=parts(site, look),
    )


def follow_tournament(request: Request) -> Response:
    """The events of a tournament while it is played."""
    site = site_of(request)
    _, look = _look(request, site.store)
    return site.hub.response(("tournament", look), lambda: parts(site, look))


def _look(request: Request, store: Store) -> tuple[TournamentRecord, Look]:
    number = request.path_params["number"]
    if len(number) > 9 or not number.isdecimal():
        raise NotFound(f"there is no tournament {number!r} here.")
    record = store.tournaments.load(int(number))
    names = [each.bracket for each in record.brackets] or [""]
    wanted = request.query_params.get("bracket")
    if wanted is None:
        running = [each.bracket for each in record.brackets if each.state is State.RUNNING]
        wanted = (running or names)[0]
    if wanted not in names:
        raise NotFound(f"{record.name} has no bracket {wanted!r}.")
    return record, Look(record.id, wanted, _number(request, "before"))


def _number(request: Request, name: str) -> int | None:
    given = request.query_params.get(name) or None
    if given is None:
        return None
    if not given.isdecimal() or len(given) > 9:
        raise NotFound(f"{given!r} is not a number to go on from.")
    return int(given)


def parts(site: Site, look: Look) -> Messages:
    """What of the page changes while the tournament is played, by the id of its element."""
    record = site.store.tournaments.load(look.tournament)
    status = status_of(record, site.conducted())
    part = site.pages.part
    return {
        "state": part("parts/state.html", record=record, status=status.value),
        "progress": part(
            "parts/progress.html",
            record=record,
            bars=[_progress(site, record, each, status) for each in record.brackets],
            look=look,
        ),
        "tree": part("parts/tree.html", tree=site.courses.tree(record, look.bracket), bracket=look.bracket),
        "leaders": part("parts/leaders.html", rows=_leaders(site.store, look), look=look, rated=record.rated),
        "schedule": _casual(site, look) if record.format in (PLAY, REMOTE) else _scheduled(site, record, look, status),
        "faults": ticker(site, record.id),
    }


def _progress(site: Site, record: TournamentRecord, bracket: BracketProgress, status: Status) -> Progress:
    course = site.courses.course(record, bracket.bracket)
    done = bracket.state is State.DONE
    return Progress(
        bracket=bracket.bracket,
        played=bracket.played,
        expected=course.expected if course else None,
        at_least=course.at_least if course else False,
        status=Status.DONE if done else status,
    )


@dataclass(frozen=True, slots=True)
class Leader:
    rank: int
    bot: str
    version: str
    rating: float
    matches: int
    wins: float


def _leaders(store: Store, look: Look) -> list[Leader]:
    best = store.standings.leaders(look.tournament, look.bracket, LEADERS)
    versions = store.bots.by_id([version for version, *_ in best])
    return [
        Leader(
            rank, versions[version].bot, versions[version].version, rating.conservative, matches, wins / max(1, matches)
        )
        for rank, (version, rating, matches, wins) in enumerate(best, start=1)
    ]


def _casual(site: Site, look: Look) -> str:
    """Matches with people were never scheduled: they are listed as they were played."""
    choice = MatchFilter(look.tournament, look.bracket)
    found = site.store.history.page(choice, limit=BLOCKS + 1, before=look.before)
    older = found[BLOCKS - 1].id if len(found) > BLOCKS else None
    return site.pages.part("parts/casual.html", look=look, matches=found[:BLOCKS], older=older)


def _scheduled(site: Site, record: TournamentRecord, look: Look, status: Status) -> str:
    return site.pages.part("parts/schedule.html", look=look, **_schedule(site.store, record, look, status))


def _schedule(store: Store, record: TournamentRecord, look: Look, status: Status) -> dict[str, object]:
    """The latest tables by round, and where the ones before begin."""
    found = store.matches.schedule_page(look.tournament, look.bracket, limit=BLOCKS + 1, before=look.before)
    shown = found[:BLOCKS]
    versions = store.bots.by_id(record.entrants)
    labels = [versions[version].label if version in versions else "?" for version in record.entrants]
    rounds = []
    for title, blocks in groupby(shown, key=lambda block: block.round):
        tables = [_table(list(same), labels, status) for _, same in groupby(blocks, key=lambda block: block.entrants)]
        rounds.append((title or "all", tables))
    return {"rounds": rounds, "older": shown[-1].number if len(found) > BLOCKS else None}


def _table(blocks: list[ScheduledBlock], labels: list[str], status: Status) -> PlayedTable:
    """Blocks of the same bots, the latest first."""
    entrants = blocks[0].entrants
    size = len(entrants)
    outcomes = [block.pairs for block in blocks if block.pairs is not None]
    most = 2 * size * (size - 1) * len(outcomes)
    seated = [
        Seated(
            labels[entrant],
            sum(sum(pairs[place * size : (place + 1) * size]) for pairs in outcomes) / most if outcomes else None,
        )
        for place, entrant in enumerate(entrants)
    ]
    if outcomes:
        seated.sort(key=lambda each: -(each.points or 0.0))
    complete = sum(len(block.matches) == size for block in blocks)
    if complete == len(blocks):
        state = "done"
    elif status is Status.RUNNING:
        state = "being played"
    else:
        state = "left open"
    deals = counted(len(blocks), "deal", "deals") if complete == len(blocks) else f"{complete} of {len(blocks)} deals"
    matches = [(name, "-".join(name.rsplit("-", 2)[1:])) for block in reversed(blocks) for name in block.matches]
    return PlayedTable(seated, state, deals, matches)


# What the organiser has decided, in words


def facts(record: TournamentRecord, event: Event | None) -> list[tuple[str, str]]:
    began = f"began {record.created[:16]} UTC"
    when = f"{began}, ended {record.ended[:16]} UTC" if record.ended else began
    if event is None:
        about = ABOUT.get(record.format, "Matches outside tournaments.")
        return [("What", about), ("When", when), ("Rated", "no")]
    return [
        ("Format", f"{record.format}. {_summary(record.format, event)}"),
        ("Tables", _tables(event)),
        ("Length", _length(event)),
        ("Rated", _rated(record, event)),
        ("Time", _time(event)),
        ("Sandbox", _sandbox(event)),
        ("When", when),
    ]


def _summary(name: str, event: Event) -> str:
    more = " Out after the second defeat." if event.double else ""
    return FORMATS[name].summary + more


def _tables(event: Event) -> str:
    seats = {name: Bracket.parse(name).seats(100, event.seats) for name in event.brackets}
    sizes = sorted(set(seats.values()))
    if len(sizes) == 1:
        return f"{sizes[0]} at a table, or as many as there are"
    return "; ".join(f"{size} at a table in {name}" for name, size in seats.items())


def _length(event: Event) -> str:
    said = []
    if event.rounds:
        said.append(counted(event.rounds, "round", "rounds"))
    if event.deals:
        said.append(f"{counted(event.deals, 'deal', 'deals')} in each meeting")
    if event.matches:
        said.append(f"until {event.matches:,} matches are played in a bracket")
    if event.seconds is not None:
        said.append(f"for {duration(event.seconds)}")
    if event.until_separated:
        said.append("until all neighbours in the ranking are told apart at 95 %")
    return ", ".join(said) or "as the format finds right"


def _rated(record: TournamentRecord, event: Event) -> str:
    if not record.rated:
        return "no"
    return "by who won" if event.winners_only else "by the places"


def _time(event: Event) -> str:
    limits = event.limits
    said = [f"{limits.start:g} s to start"]
    said.append("no limit for a move" if limits.turn is None else f"{limits.turn:g} s for a move")
    if limits.match is not None:
        said.append(f"{limits.match:g} s for a match")
    said.append("may think while others do" if event.ponder else "stopped while others think")
    return ", ".join(said)


def _sandbox(event: Event) -> str:
    box = event.sandbox
    if not box.is_boxed:
        return "none: the bots run with the organiser's rights"
    allowed = box.allowance
    return f"{box.tier}; {bytes_shown(allowed.memory)} of memory and {allowed.cpus:g} cores for each bot"


ROUTES = [
    Route("/tournaments", tournaments),
    Route("/tournaments/{number}", tournament),
    Route("/events/tournaments", follow_tournaments),
    Route("/events/tournaments/{number}", follow_tournament),
]
