"""Submitting a bot: its files are copied into the home, built there, tried out, and registered as a version.

A version is its content: the same files again are the same version. What lies in the home under a content hash never
changes, so every version stays playable.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from arena.errors import BadSubmission
from arena.referee import Launch, Limits, Settings
from arena.referee.launch import last_lines
from arena.referee.running import run_to_end
from arena.sandbox import Sandbox
from arena.sandbox.files import let_anybody_read, size_of
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.archive import LARGEST, MOST_FILES, NEVER_COPIED, content_hash, files_of, pack
from arena.submissions.build import build
from arena.submissions.check import Conformance, Introduction, Verdict
from arena.submissions.install import installed, kept_parcel
from arena.submissions.submission import Submission, bundled_folder, bundled_names, find_submission

BEGUN = ".begun-"
"""Before a content hash: its files are being built here. The store may know them from a home that shares it."""
LONGEST_NAME = 60
LONGEST_LANGUAGE = 100
GAMES_TO_CHECK = 2
"""How many games the bot plays in each bracket before it is taken in."""


@dataclass(frozen=True, slots=True)
class SubmissionResult:
    """What came of a submission."""

    version: BotVersion
    is_new: bool
    """False: this very content is here already, and nothing has changed."""


@dataclass(frozen=True, slots=True)
class SubmissionRequest:
    """A bot that somebody hands in."""

    path: str
    """As for arena match: a file, a folder, or the name of a bundled bot."""
    name: str | None = None
    version: str | None = None
    notes: str = ""
    limits: Limits = field(default_factory=Limits)
    sandbox: Sandbox = field(default_factory=Sandbox)
    """Where it is built and tried out."""
    build_network: bool = False
    """Whether its build may load things from the network."""
    called: str | None = None
    """What its author calls it, where that is not the path: it has come from elsewhere."""

    @property
    def is_bundled(self) -> bool:
        return self.path in bundled_names() and not Path(self.path).exists()


def submit(
    home: Home,
    store: Store,
    submission: SubmissionRequest,
    *,
    thorough: bool = True,
    doing: Callable[[str], None] = lambda _: None,
    judged: Callable[[Verdict], None] = lambda _: None,
) -> SubmissionResult:
    """Takes a bot in. `doing` is told what is under way, `judged` each verdict of the conformance check.

    Not `thorough`: it only has to start and say hello, which is enough for the bots that ship.
    """
    found = find_submission(submission.path)
    name = _printable("name", found.launch.name if submission.name is None else submission.name)
    version = submission.version if submission.version is not None else found.manifest.version or None
    if version is not None:
        version = _printable("version", version)
    doing("copying")
    with home.submitting(), tempfile.TemporaryDirectory(prefix=".incoming-", dir=home.bots) as folder:
        incoming = Path(folder) / "files"
        entry = _copy(found, Path(submission.path), incoming)
        content = content_hash(incoming)
        known = store.bots.with_content(name, content)
        place, begun = home.bots / content, home.bots / f"{BEGUN}{content}"
        is_here = place.exists() and not begun.exists() and store.bots.has_content(content)
        if known and is_here:
            return SubmissionResult(known, is_new=False)
        if known:
            version = known.version
        elif submission.version is None and version in (taken := _versions(store, name)):
            # The author changed something but not the version in the manifest.
            version = next(label for number in count(2) if (label := f"{version}-{number}") not in taken)
        if not is_here:
            _remove(place)  # somebody may have been interrupted here
            # Built where it stays, because what a build makes may hold paths.
            let_anybody_read(incoming)  # a bot may run as somebody else
            with _removed_on_failure(place, begun):
                incoming.rename(place)
                built = installed(home, f"{content}/{entry}", name)
                if built.manifest.build:
                    with (Path(folder) / "parcel").open("wb") as parcel:
                        pack(place, parcel)  # as it came: a cluster builds it once more on each worker
                    doing("building")
                    _build(built, submission, place)
                    if installed(home, f"{content}/{entry}", name) != built:
                        raise BadSubmission(f"the build of {name} changed its own arena.toml.")
                introduction = _check(
                    built.launch_as(name, version or ""),
                    submission,
                    home,
                    GAMES_TO_CHECK if thorough else 0,
                    doing,
                    judged,
                )
                if built.manifest.build:
                    (Path(folder) / "parcel").rename(kept_parcel(home, content))
        else:  # another bot has the same content, so it is built already
            built = installed(home, f"{content}/{entry}", name)
            introduction = _check(
                built.launch_as(name, version or ""), submission, home, GAMES_TO_CHECK if thorough else 0, doing, judged
            )
        if known:
            return SubmissionResult(known, is_new=False)
        registered = store.bots.register(
            name,
            version,
            content,
            f"{content}/{entry}",
            introduction.language[:LONGEST_LANGUAGE],
            introduction.games,
            submission.notes,
        )
    return SubmissionResult(registered, is_new=True)


def gather(path: str, target: Path) -> tuple[Submission, str]:
    """Copies what belongs to a bot. Returns the bot, and where its program is among the files: nothing for a folder."""
    submission = find_submission(path)
    return submission, _copy(submission, Path(path), target)


def _build(built: Submission, submission: SubmissionRequest, place: Path) -> None:
    """Builds a bot where its files stay. The bundled ones are ours, and their builds load packages."""
    build(built, None if submission.is_bundled else submission.sandbox, network=submission.build_network)
    if size_of(place) > LARGEST:
        raise BadSubmission(f"the build of {built.label} made more than {LARGEST // 2**20} MiB.")


def _copy(submission: Submission, named: Path, target: Path) -> str:
    """Copies the bot's files. Returns where the program is among them: a file's name, or nothing for a folder."""
    source = named if named.exists() else bundled_folder() / named
    source = source.resolve()
    unwanted = (*NEVER_COPIED, *submission.manifest.exclude)
    try:
        if not source.is_dir():
            _check_files(source, ())
            target.mkdir()
            shutil.copy(source, target / source.name)
            return source.name
        _check_files(source, unwanted)
        # Links stay links, and the copy is checked once more: the folder may be somebody's who changes it meanwhile.
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(*unwanted))
        _check_files(target, ())
    except shutil.Error as error:
        why = "; ".join(f"{where}: {what}" for where, _, what in error.args[0][:3])
        raise BadSubmission(f"the files of {submission.label} cannot be copied: {why}.") from error
    except OSError as error:
        raise BadSubmission(f"the files of {submission.label} cannot be copied: {error}.") from error
    return ""


def _check_files(source: Path, unwanted: tuple[str, ...]) -> None:
    """Raises where there is too much of it, or what cannot be copied: devices, links to elsewhere, links to folders."""
    size = 0
    for number, path in enumerate(files_of(source, unwanted), start=1):
        if path.is_symlink() and not path.resolve().is_relative_to(source if source.is_dir() else source.parent):
            raise BadSubmission(f"{path} is a link to somewhere else: put the file itself into the bot's folder.")
        if not path.is_file():
            what = "a link to a folder" if path.is_dir() else "no ordinary file, or a link that leads nowhere"
            raise BadSubmission(f"{path} is {what}: leave it out ('exclude' in arena.toml).")
        size += path.stat().st_size
        if size > LARGEST or number > MOST_FILES:
            raise BadSubmission(
                f"{source} has more than {LARGEST // 2**20} MiB or {MOST_FILES:,} files: leave out what the bot does "
                "not need ('exclude' in arena.toml)."
            )


def _printable(what: str, text: str) -> str:
    if not text.strip() or not text.isprintable() or len(text) > LONGEST_NAME or text != text.strip():
        raise BadSubmission(f"{text!r} is not a {what}: write 1 to {LONGEST_NAME} printable characters.")
    if "@" in text:
        raise BadSubmission(f"{text!r} is not a {what}: an @ stands between a bot's name and its version.")
    return text


def _versions(store: Store, name: str) -> set[str]:
    return {version.version for version in store.bots.versions_of(name)}


@contextlib.contextmanager
def _removed_on_failure(place: Path, begun: Path) -> Iterator[None]:
    """Nothing half done stays at the place. Who is killed before the end leaves behind that it was begun."""
    begun.touch()
    try:
        yield
    except BaseException:
        _remove(place)
        raise
    finally:
        begun.unlink()


def _remove(place: Path) -> None:
    """By a program that no folders are too deep for, whatever a build has made there."""
    subprocess.run(("rm", "-rf", "--", str(place)), check=False)  # noqa: S607


def _printed(log: Path) -> str:
    """What the bot has printed itself, without the arena's remarks."""
    if not log.exists():
        return ""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(line for line in lines if not line.startswith("[arena]"))


def _check(
    program: Launch,
    submission: SubmissionRequest,
    home: Home,
    games: int,
    doing: Callable[[str], None],
    judged: Callable[[Verdict], None],
) -> Introduction:
    """Tries the bot out. Raises where it fails."""
    settings = Settings(logs=home.logs.resolve(), sandbox=submission.sandbox)
    run = Conformance(program, games, submission.limits, settings)

    async def until_one_fails() -> list[Verdict]:
        found = []
        async with contextlib.aclosing(run.verdicts(doing)) as verdicts:
            async for verdict in verdicts:
                judged(verdict)
                found.append(verdict)
                if verdict.necessary and not verdict.good:
                    break
        return found

    failed = [verdict for verdict in run_to_end(until_one_fails()) if not verdict.good and verdict.necessary]
    if failed:
        first = failed[0]
        said = "" if "\n" in first.detail else last_lines(_printed(home.logs / program.log_name))
        why = f"was not taken in, because a check failed: {first.what}: {first.detail}{said}"
        if submission.called:
            raise BadSubmission(f"{submission.called} {why}")
        raise BadSubmission(f"{submission.path} {why}\nAll checks: arena check {submission.path}")
    assert run.introduction is not None, "without a hello a check has failed"
    return run.introduction
