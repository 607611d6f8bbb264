"""Submit a bot: copy its files into the home, build and check them there, and register them as a version.

The same files are always the same version, and the files of a version never change.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from arena import interrupts
from arena.errors import BadSubmission
from arena.events import Activity, Note
from arena.referee import Launch, Settings
from arena.referee.launch import last_lines
from arena.referee.processes.process import BotProcess
from arena.requests import SubmitRequest
from arena.sandbox import Mode, Sandbox, Tier
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.archive import pack
from arena.submissions.check import CheckResult, Notify, check_bot
from arena.submissions.config import CONFIG, SubmissionConfig
from arena.submissions.files import NEVER_COPIED, content_hash, copy_files
from arena.submissions.install import Installations
from arena.submissions.submission import Submission, bundled_folder, find_submission


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """A bot version after its submission."""

    bot: str
    version: str
    games: tuple[str, ...]
    is_new: bool
    """False: a version with the same files exists, and nothing has changed."""
    failed: tuple[CheckResult, ...] = ()
    """Checks that the bot failed without being refused for it."""

    @property
    def label(self) -> str:
        return f"{self.bot} {self.version}"


def submit_bot(home: Home, request: SubmitRequest, notify: Notify) -> SubmitResult:
    """Submit a bot: the use case behind `Arena.submit`."""
    sandbox = request.choose_sandbox(notify)
    if request.upload and sandbox.tier is Tier.NONE and request.sandbox != Mode.NONE:
        raise BadSubmission(
            "This server has no sandbox, so it accepts no bots.",
            hint="Its organiser can run `arena doctor`, which shows what is missing.",
        )
    failed: list[CheckResult] = []

    def add(event: Activity | Note | CheckResult) -> None:
        notify(event)
        if isinstance(event, CheckResult) and not event.passed:
            failed.append(event)

    with Store.open(home.database) as store:
        version, is_new = submit(home, store, request, sandbox, add)
    return SubmitResult(version.bot, version.version, tuple(version.games), is_new, tuple(failed))


def submit(
    home: Home,
    store: Store,
    request: SubmitRequest,
    sandbox: Sandbox,
    notify: Notify = lambda _: None,
    *,
    thorough: bool = True,
) -> tuple[BotVersion, bool]:
    """Copy, build, check and register a bot. Return its version, and whether it is a new one.

    Without `thorough` the bot only has to start and say hello, which is enough for bundled bots.
    """
    upload, limits = request.upload, CONFIG
    if upload:
        limits = replace(CONFIG, most_bytes=upload.most_bytes, most_files=upload.most_files)
    installations = Installations(home.bots)
    with home.submitting(), tempfile.TemporaryDirectory(prefix=".incoming-", dir=home.bots) as staging:
        notify(Activity("copying"))
        found, files, entry = gather(request.path, Path(staging), limits)
        name = _valid_label("name", found.launch.name if request.name is None else request.name)
        content = content_hash(files)
        if upload and upload.content_hash != content:
            raise BadSubmission("The files do not have the announced content hash. Submit the bot again.")
        same_content = store.bots.with_content(content)
        known = same_content.get(name)
        is_here = installations.has(content) and bool(same_content)
        if known and is_here:
            return known, False
        version = known.version if known else _version(store, request, found, name)

        def check(submission: Submission) -> BotProcess:
            settings = Settings(logs=home.logs.resolve(), sandbox=sandbox)
            return _check(submission.launch_as(name, version or ""), request, settings, notify, thorough=thorough)

        if is_here:  # as another bot
            process = check(installations.find(content, entry))
        else:
            archive = Path(staging) / "archive"
            if found.manifest.build:
                with archive.open("wb") as file:
                    pack(files, file)  # as submitted: every worker of a cluster builds it itself
                notify(Activity("building"))
            # The builds of the bundled bots are trusted and download packages.
            build_in = None if found.folder.parent == bundled_folder() else sandbox
            with installations.install(
                content, files, entry, sandbox=build_in, network=request.build_network
            ) as submission:
                process = check(submission)
                if found.manifest.build:
                    archive.rename(installations.archive_path(content))
        if known:
            return known, False
        language = process.hello.language[:100]
        program = f"{content}/{entry}"
        return store.bots.register(name, version, content, program, language, process.games, request.notes), True


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


def is_label(text: str) -> bool:
    """Return whether this can be a bot's name or version."""
    return 0 < len(text) <= CONFIG.longest_label and text.isprintable() and text == text.strip()


def _valid_label(what: str, text: str) -> str:
    if not is_label(text):
        raise BadSubmission(f"Invalid {what} `{text}`: expected 1 to {CONFIG.longest_label} printable characters.")
    if "@" in text:
        raise BadSubmission(f"Invalid {what} `{text}`: `@` separates a bot's name from its version.")
    return text


def _version(store: Store, request: SubmitRequest, found: Submission, name: str) -> str | None:
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


class _CheckFailed(Exception):
    """Raised with the result to end a check at the first required one that fails."""


def _check(launch: Launch, request: SubmitRequest, settings: Settings, notify: Notify, *, thorough: bool) -> BotProcess:
    """Check a bot up to the first required check that fails. Raise `BadSubmission` if one does."""

    def notify_or_end(event: Activity | Note | CheckResult) -> None:
        notify(event)
        if isinstance(event, CheckResult) and event.required and not event.passed:
            raise _CheckFailed(event)

    games = CONFIG.check_games if thorough else 0
    try:
        process = interrupts.run(check_bot(launch, games, request.limits, settings, notify_or_end))
    except _CheckFailed as error:
        failed: CheckResult = error.args[0]
        assert settings.logs is not None
        log = settings.logs / launch.log_name
        printed = ""
        if "\n" not in failed.detail and log.exists():
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            printed = last_lines("\n".join(line for line in lines if not line.startswith("[arena]")))
        label = request.name if request.upload else request.path
        raise BadSubmission(
            f"{label} failed a check: {failed.what}: {failed.detail}{printed}",
            hint=None if request.upload else f"Run `arena check {request.path}` for all checks.",
        ) from error
    assert process is not None, "without a hello a check has failed"
    return process
