"""Whatever stands in the file of a running match: it becomes a film that can be sent, or is not shown."""

from __future__ import annotations

import json
from pathlib import Path

from arena.web.live.match import LiveMatch
from tests.fuzz.targets import replay


def check(data: bytes) -> None:
    shown = LiveMatch("1-m-1-1", Path(), 0, 0.0)
    middle = len(data) // 2
    for part in (data[:middle], data[middle:]):
        if shown.is_broken:
            break
        more = shown.feed(part)
        assert more is None or json.dumps(more, ensure_ascii=False).encode()
        if (message := shown.message(1.0)) is not None:
            assert "\n" not in message, "an event has one line"
            assert json.loads(message.encode())["film"]["entries"] == shown.film["entries"]


def seeds() -> list[bytes]:
    return replay.seeds()
