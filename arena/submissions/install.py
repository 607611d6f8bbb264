"""The installed files of bot versions."""

from __future__ import annotations

import io
from pathlib import Path

from arena.errors import BadSubmission
from arena.referee import Launch
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.submissions.archive import NEVER_COPIED, content_hash, pack
from arena.submissions.submission import Submission, find_submission


def is_installed(home: Home, version: BotVersion) -> bool:
    """Whether its files are here: they are not where another home that shares the store has taken it in."""
    return (home.bots / version.program).exists()


def launch_of(home: Home, version: BotVersion) -> Launch:
    """The version as a program that can be started."""
    if version.is_remote:
        raise BadSubmission(f"{version.label} plays from elsewhere only: it was never handed in here (arena submit).")
    return installed(home, version.program, version.label).launch_as(version.bot, version.version)


def parcel_of(home: Home, version: BotVersion) -> bytes:
    """The version's files as they were submitted, packed."""
    kept = kept_parcel(home, version.content_hash)
    if kept.exists():
        return kept.read_bytes()
    submission = installed(home, version.program, version.label)
    folder = home.bots / version.content_hash
    unwanted = (*NEVER_COPIED, *submission.manifest.exclude)
    if not folder.is_dir() or content_hash(folder, unwanted) != version.content_hash:
        raise BadSubmission(
            f"{version.label}: its files in {folder} are not what was submitted: its build has changed them, or "
            "somebody has. Submit it once more with what its build makes named in 'exclude' in arena.toml."
        )
    packed = io.BytesIO()
    pack(folder, packed, unwanted)
    return packed.getvalue()


def kept_parcel(home: Home, content: str) -> Path:
    """Where the original files of a bot are that is built."""
    return home.bots / f"{content}.parcel"


def installed(home: Home, below: str, label: str) -> Submission:
    path = home.bots.resolve() / below
    if not path.exists():
        raise BadSubmission(f"{label}: its files are not in {home.bots}: submit it again, or copy them there.")
    return find_submission(str(path))
