"""The bots that a person can play against: all submitted versions, and the bundled bots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.errors import NotFound, UserError
from arena.games.registry import GAMES
from arena.referee import Launch
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.install import launch_of
from arena.submissions.submission import bundled_names, bundled_submission


class Origin(StrEnum):
    """Where an opponent comes from, in the order in which they are offered."""

    LATEST = "Submitted bots"
    BUNDLED = "Bundled bots"
    OLDER = "Older versions"
    RETIRED = "Retired bots"


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot that can be chosen."""

    key: str
    label: str
    origin: Origin
    games: tuple[str, ...]
    version: BotVersion | None = None
    """None for a bundled bot that was not submitted."""


def all_opponents(store: Store) -> list[Opponent]:
    """Return all opponents in the order in which they are offered."""
    versions = [version for version in store.bots.all_versions() if not version.is_remote]
    latest = {version.bot: version.id for version in versions}
    found = [
        Opponent(
            key=f"version-{version.id}",
            label=version.label,
            origin=Origin.RETIRED
            if version.retired
            else Origin.LATEST
            if latest[version.bot] == version.id
            else Origin.OLDER,
            games=version.games,
            version=version,
        )
        for version in versions
    ]
    submitted = {each.label for each in found}
    found += [each for each in _bundled() if each.label not in submitted]
    order = list(Origin)
    return sorted(found, key=lambda each: order.index(each.origin))


def _bundled() -> list[Opponent]:
    """Return the bundled bots that need no build; the others can be chosen once they are submitted."""
    bundled = {name: bundled_submission(name) for name in bundled_names()}
    return [
        Opponent(f"bundled-{name}", bot.launch.label, Origin.BUNDLED, bot.manifest.games or tuple(GAMES))
        for name, bot in bundled.items()
        if not bot.manifest.build
    ]


def default_opponents(opponents: Sequence[Opponent], game: str, count: int) -> list[str]:
    """Return the keys of the opponents that the form suggests: submitted bots, then strong bundled ones."""
    able = [each for each in opponents if game in each.games]
    submitted = [each.key for each in able if each.origin is Origin.LATEST and not each.label.startswith("random")]
    strong = [
        each.key for name in ("counter", "searcher", "greedy") for each in able if each.label.split(" ")[0] == name
    ]
    others = [each.key for each in able]
    chosen = list(dict.fromkeys([*submitted[: max(1, count - 1)], *strong, *submitted, *others]))
    return [chosen[number % len(chosen)] for number in range(count)] if chosen else []


def find_opponents(home: Home, store: Store, keys: Sequence[str], game: str) -> list[tuple[Opponent, Launch]]:
    """Return the opponents with these keys, and how to start them.

    Raise `NotFound` for an unknown key, `UserError` for a bot that does not play the game.
    """
    known = {each.key: each for each in all_opponents(store)}
    found = []
    for key in keys:
        opponent = known.get(key)
        if opponent is None:
            raise NotFound(f"There is no bot `{key}`: reload the page and choose another one.")
        if game not in opponent.games:
            raise UserError(f"The bot `{opponent.label}` does not play `{game}`: choose another one.")
        if opponent.version is not None:
            launch = launch_of(home, opponent.version)
        else:
            launch = bundled_submission(key.removeprefix("bundled-")).launch
        found.append((opponent, launch))
    return found
