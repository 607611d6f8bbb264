"""Bots in the store. A version never changes; a retired bot is not entered into tournaments by default."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, insert, select, update

from arena.errors import BadSubmission, NotFound, choices, unknown
from arena.records import now
from arena.store.engine import StoreSection, write_transaction
from arena.store.schema import bots, versions


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A bot version: one installed submission of a bot."""

    id: int
    bot: str
    version: str
    content_hash: str
    program: str
    """The file or folder that is started, relative to the home's folder for bots; empty for a remote bot."""
    language: str
    games: tuple[str, ...]
    notes: str
    created: str
    retired: bool

    @property
    def is_remote(self) -> bool:
        """Whether it is a remote bot, which cannot be started here."""
        return not self.program

    @property
    def label(self) -> str:
        """Name and version, as written in replays."""
        return f"{self.bot} {self.version}".strip()


VERSIONS = select(
    *(column for column in versions.c if column.name != "bot_id"), bots.c.name.label("bot"), bots.c.retired
).join(bots)
"""The fields of a `BotVersion`."""


class Bots(StoreSection):
    """Reads and registers bots."""

    def register(
        self,
        name: str,
        version: str | None,
        content_hash: str,
        program: str,
        language: str,
        games: Sequence[str],
        notes: str = "",
    ) -> BotVersion:
        """Store a new version of a bot, which may itself be new. Without a version it gets the next free number."""
        with write_transaction(self.engine) as connection:
            bot_id = connection.execute(select(bots.c.id).where(bots.c.name == name)).scalar()
            if bot_id is None:
                row = {"name": name, "retired": False, "created": now()}
                bot_id = connection.execute(insert(bots).values(row).returning(bots.c.id)).scalar_one()
            known = [_version(row) for row in connection.execute(VERSIONS.where(bots.c.id == bot_id))]
            if any(each.is_remote == bool(program) for each in known):
                kind = "bot that runs here" if not program else "remote bot"
                raise BadSubmission(f"The name `{name}` is taken by a {kind}.", hint="Choose another name.")
            taken = {each.version for each in known}
            if version is None:
                version = next(number for number in map(str, range(1, len(taken) + 2)) if number not in taken)
            elif version in taken:
                raise BadSubmission(
                    f"`{name}` already has a version `{version}` with other content.",
                    hint="Choose another version with `--version`.",
                )
            row = {
                "bot_id": bot_id,
                "version": version,
                "content_hash": content_hash,
                "program": program,
                "language": language,
                "games": list(games),
                "notes": notes,
                "created": now(),
            }
            version_id = connection.execute(insert(versions).values(row).returning(versions.c.id)).scalar_one()
            connection.execute(update(bots).where(bots.c.id == bot_id).values(retired=False))
            return _version(connection.execute(VERSIONS.where(versions.c.id == version_id)).one())

    def _versions(self, *where: ColumnElement[bool]) -> list[BotVersion]:
        return [_version(row) for row in self._rows(VERSIONS.where(*where).order_by(bots.c.name, versions.c.id))]

    def with_content(self, content_hash: str) -> dict[str, BotVersion]:
        """Return the versions with this content hash, by the names of their bots."""
        return {version.bot: version for version in self._versions(versions.c.content_hash == content_hash)}

    def all_versions(self) -> list[BotVersion]:
        """Return every version of every bot, by name and age."""
        return self._versions()

    def latest(self) -> list[BotVersion]:
        """Return the latest version of each bot that is neither retired nor remote."""
        running = [version for version in self._versions(~bots.c.retired) if not version.is_remote]
        return list({version.bot: version for version in running}.values())

    def versions_of(self, name: str) -> list[BotVersion]:
        """Return the versions of the bot with this name, oldest first; none if there is no such bot."""
        return self._versions(bots.c.name == name)

    def by_id(self, ids: Collection[int]) -> dict[int, BotVersion]:
        return {version.id: version for version in self._versions(versions.c.id.in_(ids))}

    def find(self, named: str, also: Iterable[str] = ()) -> BotVersion:
        """Return the version written as `name 2` or `name@2`, or the latest one for `name`.

        `also`: further names that the error suggests, such as those of bundled bots.
        """
        known = self.all_versions()
        for version in reversed(known):
            if named in (version.bot, version.label, f"{version.bot}@{version.version}"):
                return version
        if versions_of := [version.version for version in known if version.bot == named.rpartition("@")[0]]:
            bot, _, version_named = named.rpartition("@")
            raise NotFound(f"`{bot}` has no version `{version_named}`: expected {choices(versions_of)}.")
        raise _unknown_bot(named, sorted({version.bot for version in known}.union(also)))

    def retire(self, name: str, *, retired: bool) -> None:
        with self.engine.begin() as connection:
            if not connection.execute(update(bots).where(bots.c.name == name).values(retired=retired)).rowcount:
                raise _unknown_bot(name, sorted(connection.scalars(select(bots.c.name)), key=str.lower))


def _unknown_bot(named: str, known: Sequence[str]) -> NotFound:
    if not known:
        return NotFound("No bot has been submitted yet.", hint="Run `arena submit PATH`.")
    return NotFound(
        unknown("bot", named, known), hint="Run `arena bots` for a list, or submit your bot with `arena submit PATH`."
    )


def _version(row: Row[*tuple[Any, ...]]) -> BotVersion:
    return BotVersion(**{**row._mapping, "games": tuple(row.games)})
