"""The scripts that the Makefile and CI call refuse arguments that they do not know, before they do anything."""

from __future__ import annotations

import subprocess

import pytest

from tests.support.cli import ROOT

SCRIPTS = [".ci/run", *(f"tools/{script.name}" for script in sorted((ROOT / "tools").iterdir()) if script.is_file())]


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_unknown_argument_is_refused(script: str) -> None:
    done = subprocess.run((ROOT / script, "--nonsense"), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert done.stdout == ""
    assert "usage:" in done.stderr
