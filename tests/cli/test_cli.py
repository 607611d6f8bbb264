"""The command line as a user meets it: real processes, their output and their exit codes."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from arena import __version__, replay
from arena.games import mantis, tentagram
from arena.games.registry import GAMES
from arena.replay import simulate_game
from tests.support.cli import ARENA, arena, complaint


@pytest.fixture(scope="session")
def replays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with replays of both games."""
    folder = tmp_path_factory.mktemp("replays")
    for game in GAMES:
        assert arena("simulate", game, "--seats", "3", "--games", "2", "--replays", folder).returncode == 0
    return folder


def test_version() -> None:
    assert arena("--version").stdout == f"arena {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [(), ("--help",), ("-h",), ("replay", "--help"), ("cluster",), ("token",), ("bot",), ("replay",), ("store",)],
)
def test_help(arguments: tuple[str, ...]) -> None:
    done = arena(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage" in done.stdout


@pytest.mark.parametrize(
    "command", [("games",), ("rules",), ("simulate",), ("replay", "show"), ("replay", "verify")], ids=" ".join
)
def test_the_help_of_every_command_has_an_example(command: tuple[str, ...]) -> None:
    assert f"Example: arena {' '.join(command)}" in arena(*command, "--help").stdout


def test_games_lists_every_game_and_option() -> None:
    text = arena("games").stdout
    for game in GAMES.values():
        assert game.name in text
        for option, values in game.options.items():
            for value in values:
                assert f"--{option} {value}" in text


def test_games_as_json() -> None:
    listed = json.loads(arena("games", "--json").stdout)
    assert [game["name"] for game in listed] == list(GAMES)
    grab = listed[0]["options"][0]["values"][2]
    assert (grab["name"], grab["seats"]) == ("grab", [2, 3, 4])


@pytest.mark.parametrize("game", GAMES)
def test_rules_show_every_paragraph(game: str) -> None:
    text = arena("rules", game, columns=72).stdout
    number = list(GAMES).index(game) + 1
    for paragraph in range(1, 6):
        assert f"{number}.{paragraph} " in text
    assert max(map(len, text.splitlines())) <= 72


def test_simulate_prints_shares_lengths_and_endings() -> None:
    text = arena("simulate", "mantis", "--edition", "icons", "--seats", "4", "--games", "50", "--seed", "7").stdout
    assert "Mantis icons, 4 seats, 50 random games, seed '7'" in text
    assert "a score pile reached the goal" in text
    assert "Decisions in a game" in text


@pytest.mark.parametrize("game", GAMES)
def test_simulate_as_json_adds_up_and_repeats(game: str) -> None:
    arguments = ("simulate", game, "--seats", "3", "--games", "60", "--seed", "7", "--json")
    first = json.loads(arena(*arguments).stdout)
    assert (first["game"], first["games"], first["seed"]) == (game, 60, "7")
    assert sum(first["endings"].values()) == 60
    won = 1 - first["endings"].get("nobody", 0) / 60
    assert sum(seat["win_share"] for seat in first["seats"]) == pytest.approx(won)
    assert first == json.loads(arena(*arguments).stdout)


def test_simulate_writes_replays_that_verify(replays: Path) -> None:
    files = sorted(replays.iterdir())
    assert [file.name for file in files] == [
        "mantis-classic-3-1-1.jsonl",
        "mantis-classic-3-1-2.jsonl",
        "tentagram-strict-3-1-1.jsonl",
        "tentagram-strict-3-1-2.jsonl",
    ]
    done = arena("replay", "verify", *files)
    assert done.returncode == 0
    assert done.stdout.count("verified  ") == 4
    assert "4 of 4 verified." in done.stdout


def test_verify_names_what_fails_and_goes_on(replays: Path, tmp_path: Path) -> None:
    good = replays / "mantis-classic-3-1-1.jsonl"
    cut, tampered, other = tmp_path / "cut", tmp_path / "tampered", tmp_path / "other"
    data = good.read_bytes()
    cut.write_bytes(data[: len(data) // 2])
    tampered.write_bytes(data.replace(b'"winners": [', b'"winners": [5, '))
    other.write_text("hello\n")
    done = arena("replay", "verify", cut, tampered, other, good, columns=60)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert "stops in the middle of this line" in lines[0]
    assert "by the rules the result is winners" in lines[1]
    assert "line 1: no replay of the format" in lines[2]
    assert lines[3].startswith("verified")
    assert lines[4] == "1 of 4 verified."


@pytest.mark.parametrize("game", GAMES)
def test_show_tells_every_action_and_draws_the_table(game: str, replays: Path) -> None:
    (file,) = replays.glob(f"{game}-*-1.jsonl")
    recorded = replay.loads(file.read_bytes())
    text = arena("replay", "show", file).stdout
    steps = len(recorded.entries)
    for step in range(1, steps + 1):
        assert f"{step}/{steps}  seat" in text
    assert text.count("seat 2 random") >= steps
    assert "\x1b" not in text
    assert "Places: 1. seat" in text
    brief = arena("replay", "show", "--brief", file).stdout
    assert len(brief) < len(text) / 3


def test_show_tells_of_a_forfeit(replays: Path, tmp_path: Path) -> None:
    recorded = replay.loads((replays / "mantis-classic-3-1-1.jsonl").read_bytes())
    state = replay.Playback(recorded.header).state
    faults = [replay.Fault(seat, replay.FaultKind.CRASH, "Exit code 3.") for seat in range(3)]
    record = replay.Replay(recorded.header, [*faults], replay.result_line(state.result([0, 1, 2])))
    file = replay.write(record, tmp_path)
    text = arena("replay", "show", file).stdout
    assert "seat 1 random forfeits: it ended in the middle of the match (crash). Exit code 3." in text
    assert "No winner: every seat forfeited." in text


BAD_INPUT = [
    (("simulate", "chess"), "Unknown game `chess`: expected mantis or tentagram."),
    (("simulate", "mantis", "--edition", "icon"), "Unknown mantis edition `icon`: did you mean `icons`?"),
    (("simulate", "tentagram", "--edition", "icons"), "Unknown tentagram option `edition`: expected placement."),
    (("simulate", "mantis", "--seats", "7"), "cannot be played with 7 seats: expected 2 to 6."),
    (("simulate", "mantis", "--games", "0"), "Invalid value for '--games'"),
    (("simulate", "mantis", "--games", "9" * 30), "Invalid value for '--games'"),
    (("simulate", "mantis", "--seed", "\x07"), "a seed must consist of printable characters"),
    (("simulate", "mantis", "--games", "many"), "Invalid value for '--games'"),
    (("simulate", "mantis", "--gamez", "3"), "No such option: --gamez"),
    (("simulate",), "Missing argument 'GAME'"),
    (("replay", "verify", "nowhere.jsonl"), "`nowhere.jsonl`: No such file or directory."),
    (("replay", "verify"), "Nothing to verify."),
    (("replay", "show", "."), "Is a directory"),
    (("simulate", "mantis", "--games", "1", "--replays", "README.md"), "README.md"),
    (("simulate", "mantis", "--games", "1", "--replays", "README.md/x"), "README.md"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD_INPUT, ids=lambda value: " ".join(value)[:40])
def test_bad_input_gets_one_sentence_and_exit_code_2(arguments: tuple[str, ...], sentence: str) -> None:
    said = complaint(*arguments)
    assert said.startswith("error: ")
    assert sentence in said


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("game", GAMES)
def test_show_drops_no_card_however_narrow_the_terminal(game: str, columns: int, tmp_path: Path) -> None:
    played = simulate_game(GAMES[game], {}, 6, "seed", "match").replay
    header = dataclasses.replace(played.header, seats=("a-bot-with-a-long-name 1.2.10",) * 6)
    file = replay.write(dataclasses.replace(played, header=header), tmp_path)
    *_, last = replay.follow(played)
    shown = arena("replay", "show", file, columns=columns).stdout
    assert max(map(len, shown.splitlines())) <= columns
    table = shown[shown.rindex("Places: ") :]
    if isinstance(last.state, mantis.State):
        tanks = re.sub(r"[^ROYGBPK]", "", re.sub("(?s).*tank|draw pile.*|seat [0-9]|[a-z0-9.-]+", "", table))
        assert Counter(tanks) == Counter(
            colour.letter for tank in last.state.tanks for colour in mantis.Colour for _ in range(tank[colour])
        )
    else:
        assert isinstance(last.state, tentagram.State)
        cards = re.findall(r"\b([0-9]+:[A-E]{3,5})", table)
        laid = [card for pile in last.state.piles() for card in (*pile.counted, *pile.set_aside)]
        assert sorted(cards) == sorted(f"{card.seat}:{card.card}" for card in laid)


def test_show_keeps_control_characters_from_the_terminal(replays: Path, tmp_path: Path) -> None:
    text = (replays / "mantis-classic-3-1-1.jsonl").read_text()
    (tmp_path / "r.jsonl").write_text(text.replace('"random"', '"\\u001b[2J\\u0007bad"'))
    done = arena("replay", "show", tmp_path / "r.jsonl")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\ufffd[2J\ufffdbad" in done.stdout


def test_verify_goes_on_after_a_file_that_cannot_be_read(replays: Path) -> None:
    good = replays / "mantis-classic-3-1-1.jsonl"
    done = arena("replay", "verify", "nowhere.jsonl", good)
    assert done.returncode == 2
    assert "`nowhere.jsonl`: No such file or directory." in done.stderr
    assert "1 of 2 verified." in done.stdout


def test_seeds_that_differ_write_files_that_differ(tmp_path: Path) -> None:
    for seed in ("a/b", "a_b", "x" * 300):
        assert arena("simulate", "mantis", "--games", "1", "--seed", seed, "--replays", tmp_path).returncode == 0
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    "environment", [{"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}, {"COLUMNS": "0"}, {"LC_ALL": "C"}], ids=str
)
def test_odd_environments_do_no_harm(environment: dict[str, str]) -> None:
    command = [*ARENA, "simulate", "mantis", "--games", "5"]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    assert "Decisions in a game" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams_do_no_harm(closed: str, replays: Path) -> None:
    command = f"{shlex.join(ARENA)} replay show {replays}/mantis-classic-3-1-1.jsonl {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr


def test_show_of_a_broken_replay_names_file_and_line(replays: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes((replays / "mantis-classic-3-1-1.jsonl").read_bytes()[:-200])
    said = complaint("replay", "show", broken)
    assert f"{broken}: line " in said
    assert "stops in the middle of this line" in said


def test_a_reader_that_stops_early_does_no_harm() -> None:
    with subprocess.Popen([*ARENA, "rules", "mantis"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0
