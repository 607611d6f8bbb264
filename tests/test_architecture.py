"""docs/architecture.md names modules that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_module_that_it_names_exists() -> None:
    named = {name for name in re.findall(r"`([\w/]+(?:/|\.py))`", TEXT) if "<" not in name}
    assert len(named) > 10
    missing = [name for name in named if not any((ROOT / start / name).exists() for start in ("", "arena"))]
    assert not missing


def test_the_code_map_has_every_package() -> None:
    packages = {f"arena/{path.parent.name}" for path in ROOT.glob("arena/*/__init__.py")}
    assert packages <= set(re.findall(r"`(arena/\w+)`", TEXT.partition("## Code map")[2]))
