"""Tournaments: the list, and each with its progress, leaders, knockout tree, schedule, faults and settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.games.brackets import Bracket
from arena.replay import FaultKind
from arena.sandbox.config import bytes_shown
from arena.store.history import MatchFilter
from arena.store.matches import ScheduledBlock
from arena.store.schema import PLAY, REMOTE
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord, TournamentState
from arena.tournament.formats import FORMATS
from arena.web.config import CONFIG
from arena.web.events import Messages, Topic
from arena.web.pages.progress import Status, event_of, status_of
from arena.web.site import Site, number, site_of
from arena.web.templating import render


@dataclass(frozen=True, slots=True)
class TournamentView:
    """What a page shows of a tournament, as it is in the address."""

    tournament: int
    bracket: str
    before: int | None = None
    """Show the schedule before this block; None: the latest."""


class ScheduledPairing(NamedTuple):
    """Bots that meet, with the deals that are on the page."""

    entrants: list[tuple[str, float | None]]
    """Labels and shares of the points, the best first; None before the first deal is counted."""
    complete: int
    """The number of deals played in all rotations."""
    deals: int
    matches: list[str]


def tournaments(request: Request) -> Response:
    """All tournaments, the newest first."""
    site = site_of(request)
    before = number(request.query_params.get("before"), "tournament")
    return site.page(request, "tournaments.html", before=before, parts=list_parts(site, before))


def follow_tournaments(request: Request) -> Response:
    site = site_of(request)
    before = number(request.query_params.get("before"), "tournament")
    return site.hub.response(("tournaments", before), Topic(lambda: list_parts(site, before)))


def list_parts(site: Site, before: int | None) -> Messages:
    size = CONFIG.tournament_rows
    found = site.store.tournaments.latest(size + 1, before)
    running = site.running()
    rows = [(record, status_of(record, running)) for record in found[:size]]
    older = found[size - 1].id if len(found) > size else None
    return {"tournaments": render("parts/tournaments.html", rows=rows, older=older)}


def tournament(request: Request) -> Response:
    """One tournament."""
    site = site_of(request)
    record, view = _view(request, site.store)
    event = event_of(record)
    return site.page(
        request,
        "tournament.html",
        record=record,
        view=view,
        event=event,
        format=FORMATS.get(record.format),
        seats={name: Bracket.parse(name).seats(100, event.seats) for name in event.brackets} if event else {},
        bytes_shown=bytes_shown,
        parts=parts(site, view),
    )


def follow_tournament(request: Request) -> Response:
    site = site_of(request)
    _, view = _view(request, site.store)
    return site.hub.response(("tournament", view), Topic(lambda: parts(site, view)))


def _view(request: Request, store: Store) -> tuple[TournamentRecord, TournamentView]:
    record = store.tournaments.load(number(request.path_params["number"], "tournament") or 0)
    names = [each.bracket for each in record.brackets] or [""]
    wanted = request.query_params.get("bracket")
    if wanted is None:
        running = [each.bracket for each in record.brackets if each.state is TournamentState.RUNNING]
        wanted = (running or names)[0]
    if wanted not in names:
        raise NotFound(f"The tournament `{record.name}` has no bracket `{wanted[:100]}`.")
    return record, TournamentView(record.id, wanted, number(request.query_params.get("before"), "block"))


def parts(site: Site, view: TournamentView) -> Messages:
    """Render what changes on the page while the tournament runs, by the name of the part."""
    record = site.store.tournaments.load(view.tournament)
    status = status_of(record, site.running())
    if record.format in (PLAY, REMOTE):
        schedule = _unscheduled(site.store, view)
    else:
        schedule = _schedule(site.store, record, view, status)
    leaders = site.store.standings.leaders(view.tournament, view.bracket, CONFIG.leader_rows)
    versions = site.store.bots.by_id([version for version, *_ in leaders])
    bars = [site.progress.bar(record, each, status) for each in record.brackets]
    return {
        "state": render("parts/state.html", record=record, status=status),
        "progress": render("parts/progress.html", record=record, bars=bars, view=view),
        "tree": site.progress.tree(record, view.bracket),
        "leaders": render("parts/leaders.html", leaders=leaders, versions=versions, view=view, rated=record.rated),
        "schedule": schedule,
        "faults": fault_ticker(site.store, record.id),
    }


def _schedule(store: Store, record: TournamentRecord, view: TournamentView, status: Status) -> Markup:
    """Render some pairings of the schedule by round, the latest first."""
    size = CONFIG.schedule_blocks
    found = store.matches.schedule_page(record.id, view.bracket, limit=size + 1, before=view.before)
    shown = found[:size]
    versions = store.bots.by_id(record.entrants)
    labels = [versions[version].label if version in versions else "?" for version in record.entrants]
    rounds = []
    for title, blocks in groupby(shown, key=lambda block: block.round):
        pairings = groupby(blocks, key=lambda block: block.entrants)
        rounds.append((title or "all", [_pairing(list(same), labels) for _, same in pairings]))
    older = shown[-1].number if len(found) > size else None
    return render("parts/schedule.html", view=view, rounds=rounds, older=older, status=status)


def _pairing(blocks: Sequence[ScheduledBlock], labels: Sequence[str]) -> ScheduledPairing:
    """Return the pairing of blocks with the same entrants."""
    size = len(blocks[0].entrants)
    outcomes = [block.pairs for block in blocks if block.pairs is not None]
    most = 2 * size * (size - 1) * len(outcomes)
    entrants: list[tuple[str, float | None]] = [
        (
            labels[entrant],
            sum(sum(pairs[place * size : (place + 1) * size]) for pairs in outcomes) / most if outcomes else None,
        )
        for place, entrant in enumerate(blocks[0].entrants)
    ]
    entrants.sort(key=lambda each: -(each[1] or 0.0))
    complete = sum(len(block.matches) == size for block in blocks)
    matches = [name for block in reversed(blocks) for name in block.matches]
    return ScheduledPairing(entrants, complete, len(blocks), matches)


def _unscheduled(store: Store, view: TournamentView) -> Markup:
    """Render matches without a schedule: those with people and of the ladder, the newest first."""
    size = CONFIG.schedule_blocks
    found = store.history.page(MatchFilter(view.tournament, view.bracket), limit=size + 1, before=view.before)
    older = found[size - 1].id if len(found) > size else None
    return render("parts/unscheduled.html", view=view, matches=found[:size], older=older)


def fault_ticker(store: Store, tournament: int | None) -> Markup:
    """Render the latest faults of all bots, or of one tournament."""
    found = store.history.faults(tournament_id=tournament, limit=CONFIG.recent_faults)
    # A newer version may have stored kinds that this one does not know.
    meanings = {kind.value: kind.meaning for kind in FaultKind}
    return render("parts/faults.html", faults=found, meanings=meanings)


ROUTES = [
    Route("/tournaments", tournaments),
    Route("/tournaments/{number}", tournament),
    Route("/events/tournaments", follow_tournaments),
    Route("/events/tournaments/{number}", follow_tournament),
]
