"""The generated stubs are those of the .proto files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.cli import ROOT


def test_the_stubs_are_current(tmp_path: Path) -> None:
    """If this fails: tools/generate-stubs ."""
    environment = {**os.environ, "PYTHON": sys.executable}
    subprocess.run([ROOT / "tools" / "generate-stubs", tmp_path], check=True, env=environment)
    generated = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*.py*") if path.is_file()}
    assert len(generated) == 9
    for path, text in generated.items():
        assert (ROOT / path).read_text() == text, path
