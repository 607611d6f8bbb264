"""Find the bots that a tournament is played with, and submit those that are not in the store yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from arena.errors import BadTournament, NotFound
from arena.events import Activity, Note
from arena.games.brackets import DEFAULT_BRACKETS, Bracket
from arena.games.registry import GAMES
from arena.requests import BotRunOptions, SubmitRequest
from arena.sandbox import Sandbox
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.install import is_installed
from arena.submissions.submission import bundled_names, find_launch
from arena.submissions.submit import submit

DEFAULT_BOTS = ("random", "greedy", "counter", "searcher")
"""The bundled bots that need no build: they play where too few bots were submitted."""

Notify = Callable[[Note | Activity], None]
Find = Callable[[str], BotVersion]


def find_entrants(store: Store, named: Sequence[str], find: Find, notify: Notify) -> list[BotVersion]:
    """Return the bots that take part: those named, or the latest version of every submitted bot."""
    if not named:
        latest = store.bots.latest()
        if len(latest) > 1:
            return latest
        if latest:
            (only,) = latest
            bundled = [name for name in DEFAULT_BOTS if name != only.bot]
            notify(Note(f"Only {only.label} is submitted; the bundled bots {', '.join(bundled)} play too."))
            named = [only.bot, *bundled]
        else:
            notify(Note(f"No bot is submitted yet; the bundled bots {', '.join(DEFAULT_BOTS)} play."))
            named = DEFAULT_BOTS
    found: dict[int, BotVersion] = {}
    for name in named:
        version = find(name)
        if version.id in found:
            raise BadTournament(f"`{version.label}` is named twice.")
        found[version.id] = version
    return list(found.values())


def open_to_read(home: Home) -> Store:
    """Open the store of a home; if there is none, an empty one in memory, so that nothing is written."""
    return Store.open(home.database if home.exists else "sqlite://")


def preview_entrant(store: Store, named: str) -> BotVersion:
    """Return the named bot without submitting it. A bot that is not in the store gets a negative id."""
    if known := _find_stored(store, named):
        return known
    launch = find_launch(named)
    number = -(1 + int.from_bytes(sha256(repr((launch.folder, launch.command)).encode()).digest()[:6]))
    games = launch.games or tuple(GAMES)
    return BotVersion(number, launch.name, launch.version, "", "", "", games, "", "", retired=False)


def enter(home: Home, store: Store, named: str, options: BotRunOptions, sandbox: Sandbox, notify: Notify) -> BotVersion:
    """Return the named bot: a submitted one, a bundled one or a path. The last two are submitted first."""
    known = _find_stored(store, named)
    # A bundled bot may have been submitted from another home that shares the store.
    if known and (named not in bundled_names() or is_installed(home, known)):
        return known
    is_path = _is_path(store, named)
    request = SubmitRequest(
        path=named,
        time_per_move=options.time_per_move,
        time_per_match=options.time_per_match,
        time_to_start=options.time_to_start,
    )

    def notify_step(event: object) -> None:
        if isinstance(event, Activity):
            notify(Activity(f"{named}: {event.text}"))

    notify(Activity(f"submitting {named}"))
    try:
        version, is_new = submit(home, store, request, sandbox, notify_step, thorough=is_path)
    finally:
        notify(Activity(""))
    if is_path and is_new:
        notify(Note(f"{named} was submitted as {version.label}."))
    return version


def _find_stored(store: Store, named: str) -> BotVersion | None:
    """Return the named bot of the store; None: it is a path, or a bundled bot that was not submitted yet."""
    if _is_path(store, named):
        return None
    try:
        return store.bots.find(named, also=bundled_names())
    except NotFound:
        if named not in bundled_names():
            raise
        return None


def default_brackets(entrants: Sequence[BotVersion], newcomer: BotVersion | None, notify: Notify) -> tuple[str, ...]:
    """Return every default bracket that these bots can play; report those that are left out."""
    possible = []
    for name in DEFAULT_BRACKETS:
        bracket = Bracket.parse(name)
        playing = sum(bracket.game in bot.games for bot in entrants)
        if newcomer is not None and bracket.game not in newcomer.games:
            notify(Note(f"{name} is left out: the newcomer does not play it."))
        elif playing >= bracket.fewest:
            possible.append(bracket.name)
        else:
            bots = "1 bot plays" if playing == 1 else f"{playing} bots play"
            notify(Note(f"{name} is left out: it needs {bracket.fewest} bots, and {bots} it."))
    if not possible:
        raise BadTournament(
            "Too few bots for any game.",
            hint="Submit more bots, or name bundled ones: `arena tournament random greedy counter`.",
        )
    return tuple(possible)


def _is_path(store: Store, named: str) -> bool:
    """Return whether this is a path. The name of an uploaded bot may contain a slash too."""
    if Path(named).exists():
        return True
    return "/" in named and not store.bots.versions_of(named.partition("@")[0])
