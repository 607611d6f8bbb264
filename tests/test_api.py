"""The Python API: typed events and results, and a stop that leaves a tournament to be resumed."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from arena import Arena, TournamentRequest
from arena.errors import ArenaError, BadTournament, NotFound
from arena.events import Note
from arena.rating.sprt import Sprt
from arena.reports.board import Leaderboard
from arena.submissions.check import CheckResult
from arena.tournament.comparison import ComparisonResult
from arena.tournament.outcome import TournamentEvent, TournamentProgress, TournamentResult, TournamentStarted
from arena.tournament.series import BotScore, MatchResult

BOTS = ("random", "greedy")


def test_a_tournament_reports_typed_events_and_returns_boards(tmp_path: Path) -> None:
    seen: list[TournamentEvent] = []
    arena = Arena(tmp_path)
    result = arena.tournament(BOTS, bracket="mantis", seats=2, rounds=5, sandbox="none", on_progress=seen.append)
    assert (result.finished, result.matches) == (True, 10)
    assert {row.bot for row in result.leaderboard("mantis").rows} == set(BOTS)
    with pytest.raises(NotFound):
        result.leaderboard("tentagram")
    kinds = [type(event) for event in seen]
    assert kinds[0] is Note, "which sandbox"
    assert kinds.index(TournamentStarted) < kinds.index(TournamentProgress)
    last = seen[-1]
    assert isinstance(last, TournamentProgress)
    assert (last.matches, last.total, last.bracket) == (10, 10, "mantis")
    assert pickle.loads(pickle.dumps((seen, result))) == (seen, result)  # noqa: S301, our own


def test_a_stopped_tournament_can_be_resumed(tmp_path: Path) -> None:
    request = TournamentRequest(
        bots=BOTS, brackets=("mantis",), seats=2, rounds=300, seed="s", jobs=1, at_once=8, sandbox="none"
    )
    played = 0

    def watch(event: TournamentEvent) -> None:
        nonlocal played
        if isinstance(event, TournamentProgress):
            played = event.matches

    arena = Arena(tmp_path / "stopped")
    result = arena.run(request, watch, stop=lambda: played > 0)
    assert not result.finished
    assert 0 < result.matches < 600
    resumed = arena.resume(result.tournament)
    assert (resumed.finished, resumed.matches) == (True, 600)
    whole = Arena(tmp_path / "whole").run(request)
    assert [row.mu for row in resumed.leaderboard("mantis").rows] == [
        row.mu for row in whole.leaderboard("mantis").rows
    ]


def test_it_works_in_a_thread_and_inside_a_running_event_loop(tmp_path: Path) -> None:
    def play() -> TournamentResult:
        arena = Arena(tmp_path)
        return arena.tournament(BOTS, bracket="mantis", seats=2, rounds=1, sandbox="none")

    async def notebook() -> TournamentResult:
        return play()

    assert asyncio.run(notebook()).finished
    results: list[TournamentResult] = []
    thread = Thread(target=lambda: results.append(play()))
    thread.start()
    thread.join()
    assert results[0].finished


def test_a_script_needs_no_main_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from arena import Arena\n"
        f"result = Arena({str(tmp_path / 'home')!r}).tournament(['random', 'greedy'], bracket='mantis', rounds=1)\n"
        "print(result.matches)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("2\n", 0), done.stderr


def test_a_forecast_writes_nothing(tmp_path: Path) -> None:
    forecast = Arena(tmp_path / "home").forecast(BOTS, bracket="mantis", seats=2, rounds=5)
    assert [(each.bracket, each.matches) for each in forecast.brackets] == [("mantis", 10)]
    assert not (tmp_path / "home").exists()


def test_options_that_a_format_lacks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadTournament, match="The option `deals` applies only to swiss, knockout or ladder tournaments"):
        Arena(tmp_path).tournament(BOTS, deals=3)


@pytest.mark.parametrize("kind", [BotScore, CheckResult, ComparisonResult, Leaderboard, MatchResult, Sprt])
def test_results_are_frozen(kind: Any) -> None:
    assert kind.__dataclass_params__.frozen


def test_the_package_loads_the_api_on_first_use_only() -> None:
    code = "import sys, arena; print(sorted(name for name in sys.modules if name.startswith('arena.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("bots", "options"),
    [
        (("random", "greedy"), {"format": "ladder"}),
        (("random", "greedy"), {"seats": 99}),
        (("random", "greedy"), {"bracket": "mantis/none"}),
        (("random", "greedy"), {"bracket": "tentagram"}),
        (("random", "greedy"), {"sandbox": "none at all"}),
        (("random", "greedy"), {"format": "gauntlet", "newcomer": "counter"}),
        (("random", "random"), {}),
        (("random", "./missing.py"), {}),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else None,
)
def test_a_tournament_that_cannot_be_played_changes_nothing(
    bots: tuple[str, ...], options: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(ArenaError):
        Arena(tmp_path / "home").tournament(bots, **options)
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("new", ["random", "./missing.py"])
def test_a_comparison_that_cannot_be_played_changes_nothing(new: str, tmp_path: Path) -> None:
    with pytest.raises(ArenaError):
        Arena(tmp_path / "home").compare("random", new)
    assert not (tmp_path / "home").exists()


def test_two_bots_that_are_not_submitted_may_have_the_same_file_name(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "bot.py" for folder in ("old", "new")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(f"# {path.parent.name}", encoding="utf-8")
    forecast = Arena(tmp_path / "home").forecast([str(path) for path in paths], bracket="mantis", seats=2)
    assert forecast.brackets[0].bots == 2
