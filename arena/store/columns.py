"""Types of columns that hold the same in every database."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import BigInteger, Integer, String, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

MARK = "\uf8ff"
"""Of the characters that nobody uses, the one that stands before what PostgreSQL's text cannot hold."""
NUL = "\x00"
MARKED = re.compile(f"{MARK}([0{MARK}])")


class AnyText(TypeDecorator[str]):
    """Text in PostgreSQL as SQLite takes it: of any length, ordered by code points, with NULs.

    Bots write what they like, and what they wrote last stands in the reasons of their forfeits.
    """

    impl = Text(collation="C")
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        if value is None or (NUL not in value and MARK not in value):
            return value
        return value.replace(MARK, MARK + MARK).replace(NUL, MARK + "0")

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        if value is None or MARK not in value:
            return value
        return MARKED.sub(lambda found: NUL if found[1] == "0" else MARK, value)


def words(length: int | None = None) -> TypeEngine[Any]:
    """Text. The length is what is meant to be enough: SQLite does not look at it, so PostgreSQL must not either."""
    plain: TypeEngine[Any] = Text() if length is None else String(length)
    return plain.with_variant(AnyText(), "postgresql")


def large() -> TypeEngine[int]:
    """A whole number that may outgrow 32 bits."""
    return Integer().with_variant(BigInteger(), "postgresql")
