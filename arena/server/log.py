"""The server's log: one event per line, as text or as JSON, through the standard `logging` module.

Names in it come from strangers: a line never contains control characters.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import IO

_LOGGER = logging.getLogger("arena.server")
_PAGES = logging.getLogger("arena.web")


def log_event(event: str, **facts: str | float | bool | list[str] | None) -> None:
    """Write one line about an event, such as `bot.connected`."""
    _LOGGER.info(event, extra={"facts": facts})


@contextmanager
def logging_to(stream: IO[str] = sys.stderr, *, as_json: bool) -> Iterator[None]:
    """Write events to this stream, and what the web pages log as events `pages.failed`."""
    handler = _QuietHandler(stream)
    handler.setFormatter(_EventFormatter(as_json=as_json))
    _LOGGER.setLevel(logging.INFO)
    for logger in (_LOGGER, _PAGES):
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger in (_LOGGER, _PAGES):
            logger.propagate = True
            logger.removeHandler(handler)


class _QuietHandler(logging.StreamHandler[IO[str]]):
    """A handler that ignores a closed pipe: the server does not stop because its log is not read."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802, the name is logging's
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


class _EventFormatter(logging.Formatter):
    """Formats a record of `log_event`, or of the web pages."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self.as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        facts = getattr(record, "facts", None)
        event = record.msg
        if facts is None:
            event, facts = "pages.failed", {"why": super().format(record)}
        moment = datetime.fromtimestamp(record.created, UTC)
        if self.as_json:
            return json.dumps({"time": moment.isoformat(timespec="milliseconds"), "event": event, **facts})
        text = "  ".join(f"{name}={_one_line(fact)}" for name, fact in facts.items() if fact is not None)
        return f"{moment:%Y-%m-%d %H:%M:%S}  {event}  {text}".rstrip()


def _one_line(fact: object) -> str:
    """Return the fact without control characters, quoted if it could be taken for two facts."""
    text = ", ".join(fact) if isinstance(fact, list) else str(fact)
    text = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return repr(text) if " " in text or "=" in text else text
