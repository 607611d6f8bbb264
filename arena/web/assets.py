"""Scripts and style sheets, served under addresses that contain the hash of their content."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib import resources


@cache
def files() -> Mapping[str, bytes]:
    """Return all files by name."""
    folders = (resources.files(package).joinpath("static") for package in ("arena.web", "arena.web.viewer"))
    return {file.name: file.read_bytes() for folder in folders for file in folder.iterdir()}


def text(name: str) -> str:
    return files()[name].decode()


@cache
def _digest() -> str:
    together = sha256()
    for name, content in sorted(files().items()):
        together.update(f"{name} {len(content)} ".encode() + content)
    return together.hexdigest()[:16]


def address(name: str) -> str:
    assert name in files(), name
    return f"/static/{_digest()}/{name}"
