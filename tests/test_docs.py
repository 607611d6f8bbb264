"""The examples in docs/python.md run."""

from __future__ import annotations

from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

from tests.support.cli import ROOT


def test_the_examples_of_the_python_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    document = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()]).parse(ROOT / "docs" / "python.md")
    examples = list(document.examples())
    assert len(examples) > 8
    for example in examples:
        example.evaluate()
    assert document.namespace["frame"].loc["counter", "matches"] > 0
