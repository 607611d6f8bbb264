"""Column types that hold the same values in every database."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import BigInteger, Integer, String, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

ESCAPE = "\uf8ff"
"""A private-use character that marks escapes of what PostgreSQL's text cannot hold."""
NUL = "\x00"
ESCAPED = re.compile(f"{ESCAPE}([0{ESCAPE}])")


class AnyText(TypeDecorator[str]):
    """Text in PostgreSQL as SQLite stores it: of any length, ordered by code points, with NUL characters.

    A bot's last output is part of the reason of its forfeit, and may be anything.
    """

    impl = Text(collation="C")
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        if value is None or (NUL not in value and ESCAPE not in value):
            return value
        return value.replace(ESCAPE, ESCAPE + ESCAPE).replace(NUL, ESCAPE + "0")

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        if value is None or ESCAPE not in value:
            return value
        return ESCAPED.sub(lambda found: NUL if found[1] == "0" else ESCAPE, value)


def words(length: int | None = None) -> TypeEngine[Any]:
    """Return a text type. The length is documentation: SQLite ignores it, so PostgreSQL must too."""
    plain: TypeEngine[Any] = Text() if length is None else String(length)
    return plain.with_variant(AnyText(), "postgresql")


def large() -> TypeEngine[int]:
    """Return an integer type for values that may exceed 32 bits."""
    return Integer().with_variant(BigInteger(), "postgresql")
