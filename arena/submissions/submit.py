"""Submit a bot: copy its files into the home, build and check them there, and register them as a version.

The same files are always the same version, and the files of a version never change.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from arena import interrupts
from arena.errors import BadSubmission
from arena.referee import Launch, Limits, Settings
from arena.referee.launch import last_lines
from arena.sandbox import Sandbox
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.archive import pack
from arena.submissions.check import BotCheck, CheckResult, Introduction
from arena.submissions.config import CONFIG, SubmissionConfig
from arena.submissions.files import NEVER_COPIED, content_hash, copy_files
from arena.submissions.install import Installations
from arena.submissions.submission import Submission, bundled_folder, find_submission


@dataclass(frozen=True, slots=True)
class SubmissionResult:
    """The version that a submission became."""

    version: BotVersion
    is_new: bool
    """False: a version with the same files exists, and nothing has changed."""


@dataclass(frozen=True, slots=True)
class SubmissionRequest:
    """A bot to submit."""

    path: str
    """A file, a folder, an archive, or the name of a bundled bot."""
    name: str | None = None
    version: str | None = None
    notes: str = ""
    limits: Limits = field(default_factory=Limits)
    """The time limits of the check."""
    sandbox: Sandbox = field(default_factory=Sandbox)
    """Where the bot is built and checked."""
    build_network: bool = False
    """Whether the build has access to the network."""
    shown_as: str | None = None
    """What messages call the bot instead of its path."""
    content_hash: str | None = None
    """The content hash that the files must have."""
    size_limits: SubmissionConfig = CONFIG


def submit(
    home: Home,
    store: Store,
    request: SubmissionRequest,
    *,
    thorough: bool = True,
    on_step: Callable[[str], None] = lambda _: None,
    on_result: Callable[[CheckResult], None] = lambda _: None,
) -> SubmissionResult:
    """Submit a bot. Call `on_step` with each step, and `on_result` with each result of the check.

    Without `thorough` the bot only has to start and say hello, which is enough for bundled bots.
    """
    installations = Installations(home.bots)
    with home.submitting(), tempfile.TemporaryDirectory(prefix=".incoming-", dir=home.bots) as staging:
        on_step("copying")
        found, files, entry = gather(request.path, Path(staging), request.size_limits)
        name = _valid_label("name", found.launch.name if request.name is None else request.name)
        content = content_hash(files)
        if request.content_hash not in (None, content):
            raise BadSubmission("The files do not have the announced content hash. Submit the bot again.")
        known = store.bots.with_content(name, content)
        is_here = installations.has(content) and store.bots.has_content(content)
        if known and is_here:
            return SubmissionResult(known, is_new=False)
        version = known.version if known else _version(store, request, found, name)

        def check(submission: Submission) -> Introduction:
            launch = submission.launch_as(name, version or "")
            introduction = _check(launch, request, home, CONFIG.check_games if thorough else 0, on_step, on_result)
            if archive.exists():
                archive.rename(installations.archive_path(content))
            return introduction

        archive = Path(staging) / "archive"
        if is_here:  # as another bot
            introduction = check(installations.find(content, entry))
        else:
            if found.manifest.build:
                with archive.open("wb") as file:
                    pack(files, file)  # as submitted: every worker of a cluster builds it itself
                on_step("building")
            # The builds of the bundled bots are trusted and download packages.
            sandbox = None if found.folder.parent == bundled_folder() else request.sandbox
            introduction = installations.install(
                content, files, entry, check, sandbox=sandbox, network=request.build_network
            )
        if known:
            return SubmissionResult(known, is_new=False)
        language = introduction.language[:100]
        registered = store.bots.register(
            name, version, content, f"{content}/{entry}", language, introduction.games, request.notes
        )
    return SubmissionResult(registered, is_new=True)


def gather(path: str, staging: Path, limits: SubmissionConfig = CONFIG) -> tuple[Submission, Path, str]:
    """Copy the files of a bot into a folder below `staging`.

    Return the submission as found, the folder, and the bot's file in it (empty if the bot is a folder).
    """
    unpack_in = staging / "unpacked"
    unpack_in.mkdir()
    found = find_submission(path, unpack_in, limits)
    files = staging / "files"
    copy_files(found.file or found.folder, files, (*NEVER_COPIED, *found.manifest.exclude), limits)
    return found, files, found.file.name if found.file else ""


def _valid_label(what: str, text: str) -> str:
    if not text.strip() or not text.isprintable() or len(text) > CONFIG.longest_label or text != text.strip():
        raise BadSubmission(f"Invalid {what} `{text}`: expected 1 to {CONFIG.longest_label} printable characters.")
    if "@" in text:
        raise BadSubmission(f"Invalid {what} `{text}`: `@` separates a bot's name from its version.")
    return text


def _version(store: Store, request: SubmissionRequest, found: Submission, name: str) -> str | None:
    """Return the new version's label; None: the next number."""
    if request.version is not None:
        return _valid_label("version", request.version)
    if not found.manifest.version:
        return None
    version = _valid_label("version", found.manifest.version)
    taken = {each.version for each in store.bots.versions_of(name)}
    if version not in taken:
        return version
    # The author changed something but not the version in the manifest.
    return next(label for number in count(2) if (label := f"{version}-{number}") not in taken)


def _check(
    launch: Launch,
    request: SubmissionRequest,
    home: Home,
    games: int,
    on_step: Callable[[str], None],
    on_result: Callable[[CheckResult], None],
) -> Introduction:
    """Check a bot up to the first required check that fails. Raise `BadSubmission` if one does."""
    run = BotCheck(launch, games, request.limits, Settings(logs=home.logs.resolve(), sandbox=request.sandbox))

    async def first_failure() -> CheckResult | None:
        async with contextlib.aclosing(run.results(on_step)) as results:
            async for result in results:
                on_result(result)
                if result.required and not result.passed:
                    return result
        return None

    if failed := interrupts.run(first_failure()):
        printed = "" if "\n" in failed.detail else last_lines(_printed(home.logs / launch.log_name))
        raise BadSubmission(
            f"{request.shown_as or request.path} failed a check: {failed.what}: {failed.detail}{printed}",
            hint=None if request.shown_as else f"Run `arena check {request.path}` for all checks.",
        )
    assert run.introduction is not None, "without a hello a check has failed"
    return run.introduction


def _printed(log: Path) -> str:
    """Return what the bot printed, without the arena's own lines."""
    if not log.exists():
        return ""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(line for line in lines if not line.startswith("[arena]"))
