"""The bots that a person can play against: all submitted versions, and the bots that ship."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.errors import NotFound
from arena.games.registry import GAMES
from arena.referee import Launch
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.install import launch_of
from arena.submissions.submission import bundled_names, bundled_submission


class Kind(StrEnum):
    """Where an opponent comes from, in the order in which they are offered."""

    LATEST = "Submitted bots"
    BUNDLED = "Bots that ship with the arena"
    OLDER = "Older versions"
    RETIRED = "Retired bots"


FAVOURITES = ("counter", "searcher", "greedy")
"""Bundled bots that are good to play against, the best first."""


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot that can be asked to the table."""

    key: str
    label: str
    kind: Kind
    games: tuple[str, ...]
    version_id: int | None = None
    """Its version in the store; None: it is not there."""


@dataclass(frozen=True, slots=True)
class Seated:
    """An opponent with the program that plays for it."""

    opponent: Opponent
    program: Launch


def all_opponents(store: Store) -> list[Opponent]:
    """Everybody, in the order in which they are offered."""
    versions = [version for version in store.bots.all_versions() if not version.is_remote]
    latest = {version.bot: version.id for version in versions}
    found = [
        Opponent(
            key=f"version-{version.id}",
            label=version.label,
            kind=Kind.RETIRED if version.retired else Kind.LATEST if latest[version.bot] == version.id else Kind.OLDER,
            games=version.games,
            version_id=version.id,
        )
        for version in versions
    ]
    submitted = {each.label for each in found}
    found += [each for each in _bundled() if each.label not in submitted]
    order = list(Kind)
    return sorted(found, key=lambda each: order.index(each.kind))


def _bundled() -> list[Opponent]:
    """The bots that ship and need no build; the others are here once they are submitted."""
    bundled = {name: bundled_submission(name) for name in bundled_names()}
    return [
        Opponent(f"bundled-{name}", bot.launch.label, Kind.BUNDLED, bot.manifest.games or tuple(GAMES))
        for name, bot in bundled.items()
        if not bot.manifest.build
    ]


def default_table(opponents: Sequence[Opponent], game: str, count: int) -> list[str]:
    """The keys of the opponents that somebody plays against who has not chosen any."""
    able = [each for each in opponents if game in each.games]
    first = [each.key for each in able if each.kind is Kind.LATEST and not _is_weak(each)]
    favourites = [each.key for name in FAVOURITES for each in able if each.label.split(" ")[0] == name]
    chosen = list(dict.fromkeys([*first[: max(1, count - 1)], *favourites, *first, *(each.key for each in able)]))
    return [chosen[number % len(chosen)] for number in range(count)] if chosen else []


def _is_weak(opponent: Opponent) -> bool:
    """Whether it is one of the bundled bots that play anything: good to test with, dull to play against."""
    return opponent.label.startswith("random")


def seated(home: Home, store: Store, keys: Sequence[str]) -> list[Seated]:
    """The opponents with these keys and their programs. Raises where there is none of that key."""
    known = {each.key: each for each in all_opponents(store)}
    versions = store.bots.by_id([each.version_id for key in keys if (each := known.get(key)) and each.version_id])
    found = []
    for key in keys:
        opponent = known.get(key)
        if opponent is None:
            raise NotFound(f"there is no bot {key!r} here: load the page again and choose another.")
        if opponent.version_id is not None:
            program = launch_of(home, versions[opponent.version_id])
        else:
            program = bundled_submission(key.removeprefix("bundled-")).launch
        found.append(Seated(opponent, program))
    return found
