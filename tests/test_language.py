"""Names and prose keep to the glossary and to plain English: banned words stay out of the code and the documents."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cli import ROOT

PROSE = re.compile(
    r"\b(so many|whoever|somebody|nobody|elsewhere|goes? on|went on|c[ao]mes? of it|told|hand(s|ed|ing)? in"
    r"|takes? in|h[eo]ld(s|ing)? (a|the) tournament|parcels?|handovers?|guests?|chairs?|sittings?"
    r"|surpris(es?|ing)|tenures?|patience|crews?|parlours?)\b",
    re.IGNORECASE,
)
"""Idiom that stands where a usual technical term exists, and the words that the glossary replaces."""
NAMES = re.compile(
    r"(?:^|_)(parcel|handover|guest|chair|sitting|surprise|tenure|patience|crew|parlour|elsewhere|whoever)s?(?:_|$)"
)
"""The same in the names of modules, classes, functions and constants."""
EXCEPTIONS = {
    "arena/store/schema.py": "surprises",  # the name of a table in stored homes
    "arena/submissions/install.py": ".parcel",  # files that earlier versions left in a home
    "arena/games/tentagram/terminal.py": "nobody",  # no seat takes the pile
}
DOCUMENTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "protos").rglob("*.proto"),
    *(ROOT / "arena" / "web" / "templates").rglob("*.html"),
]
SOURCES = [
    path
    for folder in ("arena", "bots")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not {"v1", "migrations", "node_modules"} & set(path.parts)
]


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def comments_and_strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments and string literals of a module, docstrings and messages among them."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING) or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
            yield token.start[0], token.string


def defined_names(path: Path) -> Iterator[str]:
    yield path.stem
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


@pytest.mark.parametrize("path", SOURCES, ids=shown)
def test_comments_docstrings_and_messages_are_plain_english(path: Path) -> None:
    allowed = EXCEPTIONS.get(shown(path), "\0")
    texts = [(line, text.replace(allowed, "")) for line, text in comments_and_strings(path)]
    found = [f"{shown(path)}:{line}: {text!r}" for line, text in texts if PROSE.search(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", SOURCES, ids=shown)
def test_names_keep_to_the_glossary(path: Path) -> None:
    words = {name: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in defined_names(path)}
    assert not [name for name, split in words.items() if NAMES.search(split) and EXCEPTIONS.get(shown(path)) != name]


@pytest.mark.parametrize("path", DOCUMENTS, ids=shown)
def test_documents_are_plain_english(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [f"{shown(path)}:{number}: {line.strip()}" for number, line in enumerate(lines, 1) if PROSE.search(line)]
    assert not found, "\n".join(found)
