"""What is loaded at start-up: a command loads what it needs, and workers and bots load no more than they use.

`python -m bench.startup` measures the time.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Collection
from importlib import import_module
from pathlib import Path

import pytest
import typer

from arena import Arena
from arena.cli.app import COMMANDS, help_texts
from tests.support.cli import ROOT, arena

HEAVY = {
    "alembic",
    "cryptography",
    "distributed",
    "grpc",
    "jinja2",
    "numpy",
    "prometheus_client",
    "sqlalchemy",
    "starlette",
    "uvicorn",
    "uvloop",
}
TERMINAL = {"pydantic", "rich", "typer"}
"""What the command line is made with; typer uses pydantic."""
NEEDED_BY_WORKERS = {"grpc", "uvloop"}


def loaded(*words: str, cwd: Path = ROOT) -> set[str]:
    """Return the names of the top-level packages that a Python process with these arguments loads."""
    command = (sys.executable, "-X", "importtime", *words)
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
    names = re.findall(r"^import time: +\d+ \| +\d+ \| +(\w+)", done.stderr, re.MULTILINE)
    assert "arena" in names, done
    return set(names)


def test_the_version_is_printed_without_the_libraries_of_the_command_line() -> None:
    assert not loaded("-m", "arena", "--version") & (HEAVY | TERMINAL | {"asyncio"})


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["-h"],
        [],
        ["tournamnet"],
        ["tournament", "--help"],
        ["leaderboard", "--help"],
        ["bots", "--help"],
        ["games"],
        ["bots"],
    ],
    ids=" ".join,
)
def test_help_and_small_commands_load_no_heavy_package(words: list[str], tmp_path: Path) -> None:
    assert not loaded("-m", "arena", *words, cwd=tmp_path) & HEAVY


@pytest.mark.parametrize("words", [["leaderboard"], ["bots", "--all"], ["history"]], ids=" ".join)
def test_a_command_that_reads_the_store_loads_the_database_only(words: list[str], tmp_path: Path) -> None:
    with Arena(tmp_path / ".arena").hold_store():
        pass
    assert loaded("-m", "arena", *words, cwd=tmp_path) & HEAVY == {"sqlalchemy"}


@pytest.mark.parametrize(
    ("module", "needed"),
    [
        ("arena", ()),
        ("arena.api", ()),
        ("arena.bot", ()),
        ("arena.tournament.runners.worker", NEEDED_BY_WORKERS),
    ],
)
def test_a_module_loads_no_heavy_package_that_it_does_not_need(module: str, needed: Collection[str]) -> None:
    assert loaded("-c", f"import {module}") & (HEAVY | TERMINAL) <= set(needed)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_text_that_is_read_from_the_source_is_that_of_the_command(name: str) -> None:
    module, _, what = COMMANDS[name].partition(":")
    command = getattr(import_module(f"arena.cli.{module}"), what)
    expected = command.info.help if isinstance(command, typer.Typer) else inspect.getdoc(command)
    assert expected
    assert help_texts(module)[what] == expected


def test_a_command_after_options_is_loaded() -> None:
    assert arena("--", "games", "--json").stdout == arena("games", "--json").stdout != ""


def test_help_before_a_command_lists_all_commands() -> None:
    assert arena("--help", "games").stdout == arena("--help").stdout
