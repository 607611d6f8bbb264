"""A bot's files on disk: which ones belong to it, their content hash, and a checked copy of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from hashlib import file_digest, sha256
from pathlib import Path

from arena.errors import BadSubmission
from arena.sandbox.config import CONFIG as SANDBOX
from arena.submissions.config import CONFIG, SubmissionConfig

NEVER_COPIED = ("__pycache__", "*.pyc", ".git", ".hg", ".svn", ".venv", ".arena", ".mypy_cache", ".pytest_cache")


def files_of(source: Path, exclude: tuple[str, ...] = ()) -> Iterator[Path]:
    """Yield the files of a bot, and links to folders, which are not allowed."""
    if not source.is_dir():
        yield source
    for parent, folders, files in os.walk(source):
        if len(Path(parent).relative_to(source).parts) > SANDBOX.max_depth:
            raise BadSubmission(f"`{source}` contains folders nested more than {SANDBOX.max_depth} deep.")
        folders[:] = [folder for folder in folders if not _matches(folder, exclude)]
        links = [folder for folder in folders if (Path(parent) / folder).is_symlink()]
        yield from (Path(parent) / name for name in (*links, *files) if not _matches(name, exclude))


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def content_hash(folder: Path, exclude: tuple[str, ...] = ()) -> str:
    """Return the hash of the files in a folder: of their paths, contents and executable bits."""
    whole = sha256()
    for path in sorted(path for path in files_of(folder, exclude) if path.is_file()):  # part by part, not as text
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        executable = "x" if path.stat().st_mode & 0o100 else "-"
        whole.update(f"{digest} {executable} {path.relative_to(folder).as_posix()}\0".encode(errors="surrogateescape"))
    return whole.hexdigest()


def copy_files(source: Path, target: Path, exclude: tuple[str, ...], limits: SubmissionConfig = CONFIG) -> None:
    """Copy a bot's file, or the files of its folder, into the new folder `target`.

    Raise `BadSubmission` if they are too many or too large, or are not plain files.
    """
    try:
        _check_files(source, exclude, limits)
        if source.is_dir():
            # Links stay links and the copy is checked again: the owner may change the folder in the meantime.
            shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(*exclude))
            _check_files(target, (), limits)
        else:
            target.mkdir()
            shutil.copy(source, target / source.name)
    except shutil.Error as error:
        why = "; ".join(f"{where}: {what}" for where, _, what in error.args[0][:3])
        raise BadSubmission(f"The files of `{source}` cannot be copied: {why}.") from error
    except OSError as error:
        raise BadSubmission(f"The files of `{source}` cannot be copied: {error}.") from error


def _check_files(source: Path, exclude: tuple[str, ...], limits: SubmissionConfig) -> None:
    hint = "Leave out what the bot does not need: name it in `exclude` in arena.toml."
    inside = (source if source.is_dir() else source.parent).resolve()
    size = 0
    for number, path in enumerate(files_of(source, exclude), start=1):
        if path.is_symlink() and not path.resolve().is_relative_to(inside):
            raise BadSubmission(f"`{path}` is a link that leaves the bot's folder. Replace it with the file itself.")
        if not path.is_file():
            what = "a link to a folder" if path.is_dir() else "not a regular file, or a broken link"
            raise BadSubmission(f"`{path}` is {what}.", hint=hint)
        size += path.stat().st_size
        if size > limits.most_bytes or number > limits.most_files:
            raise BadSubmission(f"`{source}` has more than {too_much(limits)}.", hint=hint)


def too_much(limits: SubmissionConfig) -> str:
    """Return the limits for the size and number of files, for a message."""
    return f"{limits.most_bytes / 2**20:g} MiB or {limits.most_files:,} files"


def remove(*paths: Path) -> None:
    """Delete files and folders. A build may have nested folders deeper than Python's rmtree can follow."""
    subprocess.run(("rm", "-rf", "--", *map(str, paths)), check=False)  # noqa: S607
