"""What must hold for any bytes at all, once for each place where somebody else's bytes come in.

A target has a check, which raises where the property is broken, and seeds: real input, from which the rest is bred. The
tests run every check on a few hundred inputs each time (tests/fuzz/test_targets.py), `make fuzz` runs it for minutes,
guided by the code that it reaches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.fuzz.targets import boards, live_match, manifest, replay, sdk, stream, upload


class Target(NamedTuple):
    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


TARGETS = {
    "stream": Target(stream.check, stream.seeds),
    "sdk": Target(sdk.check, sdk.seeds),
    "replay": Target(replay.check, replay.seeds),
    "live_match": Target(live_match.check, live_match.seeds),
    "manifest": Target(manifest.check, manifest.seeds),
    "upload": Target(upload.check, upload.seeds),
    "boards": Target(boards.check, boards.seeds),
}
