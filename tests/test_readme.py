"""The README's Python example runs as it stands, and its commands are real ones."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.cli import ROOT, SLOW_MACHINE, arena

README = (ROOT / "README.md").read_text(encoding="utf-8")


def python_blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def commands_below(heading: str) -> list[str]:
    section = README.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^    arena (.*?)(?:  +#.*)?$", section, re.MULTILINE)


def test_the_engine_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = [block for block in python_blocks() if "mantis.new" in block]
    exec(example, {})  # noqa: S102
    assert re.fullmatch(r"\([1-4], [1-4], [1-4], [1-4]\)\n", capsys.readouterr().out)


def test_the_bot_example_passes_the_check(tmp_path: Path) -> None:
    (example,) = [block for block in python_blocks() if "class MyBot" in block]
    (tmp_path / "my_bot.py").write_text(example)
    done = arena("check", "./my_bot.py", "--games", "2", *SLOW_MACHINE, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_from_nothing_to_a_leaderboard(tmp_path: Path) -> None:
    (example,) = [block for block in python_blocks() if "class MyBot" in block]
    (tmp_path / "my_bot.py").write_text(example)
    submit, tournament, leaderboard = commands_below("From nothing to a leaderboard")
    assert "my_bot 1 is submitted" in arena(*shlex.split(submit), *SLOW_MACHINE, cwd=tmp_path).stdout
    done = arena(*shlex.split(tournament), "--matches", "10", *SLOW_MACHINE, cwd=tmp_path)
    assert done.returncode == 0, done
    assert "Only my_bot 1 is submitted; the bundled bots random, greedy, counter, searcher play too." in done.stderr
    assert "my_bot" in arena(*shlex.split(leaderboard), cwd=tmp_path).stdout


@pytest.mark.parametrize(("heading", "count"), [("Your first bot", 4), ("Games and replays", 5)])
def test_the_commands_run_from_top_to_bottom(heading: str, count: int, tmp_path: Path) -> None:
    commands = [command for command in commands_below(heading) if not command.startswith("play ")]
    assert len(commands) == count
    for command in commands:
        words = shlex.split(command)
        expanded = [str(path) for word in words for path in (sorted(tmp_path.glob(word)) if "*" in word else [word])]
        patience = SLOW_MACHINE if words[0] in ("check", "match") else ()
        done = arena(*expanded, *patience, cwd=tmp_path)
        assert done.returncode == 0, done.stderr + done.stdout


def test_the_output_shown_is_what_the_commands_print(tmp_path: Path) -> None:
    simulate = ("simulate", "mantis", "--edition", "icons", "--seed", "7", "--replays", "replays")
    simulated = arena(*simulate, cwd=tmp_path).stdout
    shown = arena("replay", "show", "replays/mantis-icons-4-7-0001.jsonl", cwd=tmp_path).stdout
    printed = {line.rstrip() for line in (simulated + shown).splitlines()}
    # Fences open and close in turn, so every second piece is inside one; the language stands in its first line.
    outputs = [piece for piece in README.split("```")[1::2] if piece.startswith("\n")]
    assert len(outputs) == 2
    for output in outputs:
        assert set(output.splitlines()) <= printed


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"make ([a-z-]+)", README):
        if f"`make {target}`" in README or f"    make {target}" in README:
            assert f"\n{target}:" in makefile, target
