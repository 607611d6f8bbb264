"""What happens in the server, a line each: for people, or as JSON for programs. Names in it come from strangers."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime


class Journal:
    """Writes lines."""

    def __init__(self, write: Callable[[str], None], *, as_json: bool) -> None:
        self.write = write
        self.as_json = as_json

    def tell(self, event: str, **facts: str | float | bool | list[str] | None) -> None:
        """Something has happened."""
        moment = datetime.now(UTC)
        if self.as_json:
            self.write(json.dumps({"time": moment.isoformat(timespec="milliseconds"), "event": event, **facts}))
            return
        told = "  ".join(f"{name}={_plain(fact)}" for name, fact in facts.items() if fact is not None)
        self.write(f"{moment:%Y-%m-%d %H:%M:%S}  {event}  {told}".rstrip())

    @contextmanager
    def hearing_pages(self) -> Iterator[None]:
        """What the pages say about themselves is told here, so that every line has the same form."""
        heard = _Heard(self)
        pages = logging.getLogger("arena.web")
        pages.addHandler(heard)
        pages.propagate = False
        try:
            yield
        finally:
            pages.propagate = True
            pages.removeHandler(heard)


class _Heard(logging.Handler):
    """Takes what is logged elsewhere into the journal."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self.journal = journal

    def emit(self, record: logging.LogRecord) -> None:
        self.journal.tell("pages.failed", why=self.format(record))


def _plain(fact: object) -> str:
    """Without what could do more than be read, or could be taken for the next fact."""
    text = ", ".join(fact) if isinstance(fact, list) else str(fact)
    text = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return repr(text) if " " in text or "=" in text else text
