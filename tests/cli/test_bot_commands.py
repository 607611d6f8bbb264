"""The commands that run bots, as a user meets them: match, check, new, log and play, in real processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena import replay
from arena.replay import Decision
from arena.submissions.submission import find_launch, find_submission
from tests.support.cli import ARENA, ROOT, SLOW_MACHINE, arena, complaint, said
from tests.support.referees import alive

NAUGHTY = ROOT / "tests" / "referee" / "naughty.py"

BABBLER = """
import os
from arena.bot import Bot

class Babbler(Bot):
    def mantis(self, turn):
        print("I see", turn.me, flush=True)
        return turn.legal[0]

print("I am process", os.getpid(), flush=True)
Babbler().run()
"""


def bot_folder(folder: Path, command: list[str], name: str = "", version: str = "1.0") -> Path:
    """A bot in a folder of its own. JSON's texts and lists are TOML's, too."""
    folder.mkdir()
    name = json.dumps(name or folder.name)
    manifest = f"name = {name}\nversion = {json.dumps(version)}\ncommand = {json.dumps(command)}\n"
    (folder / "arena.toml").write_text(manifest, encoding="utf-8")
    return folder


def naughty(tmp_path: Path, mode: str) -> Path:
    folder = bot_folder(tmp_path / f"naughty-{mode}", ["python", NAUGHTY.name, mode])
    shutil.copy(NAUGHTY, folder)
    return folder


def talker(tmp_path: Path, name: str) -> Path:
    """A bot that only says its name, and does not come to play."""
    return bot_folder(tmp_path / name, ["sh", "-c", f"echo this is {name}; exit 3"], name)


def babbler(tmp_path: Path) -> Path:
    file = tmp_path / "babbler.py"
    file.write_text(BABBLER, encoding="utf-8")
    return file


def match(*arguments: str | Path, home: Path) -> str:
    """What `arena match` prints."""
    done = arena("match", *arguments, *SLOW_MACHINE, "--home", home)
    assert done.returncode == 0, done
    return done.stdout


def recorded(folder: Path) -> list[replay.Replay]:
    return [replay.loads(file.read_bytes()) for file in sorted(folder.iterdir())]


def actions(record: replay.Replay) -> list[tuple[int, str]]:
    return [(entry.seat, entry.action) for entry in record.entries if isinstance(entry, Decision)]


# arena match

SERIES = ("mantis", "greedy", "counter", "random", "--games", "6", "--seed", "7", "--json")


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """The JSON of a series between three bots, and the folder with its replays."""
    home = tmp_path_factory.mktemp("series")
    return json.loads(match(*SERIES, "--replays", home / "replays", home=home)), home / "replays"


def test_match_as_json_adds_up(series: tuple[dict[str, Any], Path]) -> None:
    said, _ = series
    assert (said["game"], said["options"], said["seed"]) == ("mantis", {"edition": "classic"}, "7")
    bots = said["bots"]
    assert [bot["bot"] for bot in bots] == ["greedy 1.0", "counter 1.0", "random 1.0"]
    assert [bot["matches"] for bot in bots] == [6, 6, 6]
    assert sum(bot["wins"] for bot in bots) == pytest.approx(6)
    for bot in bots:
        low, high = bot["interval"]
        assert 0 <= low <= bot["wins"] / 6 <= high <= 1
        assert 1 <= bot["mean_placement"] <= 3
        assert bot["ms_per_move"] > 0
        assert (bot["faults"], bot["reasons"]) == ({}, {})


def test_match_plays_each_deal_once_for_every_rotation(series: tuple[dict[str, Any], Path]) -> None:
    headers = [record.header for record in recorded(series[1])]
    bots = ("greedy 1.0", "counter 1.0", "random 1.0")
    rotations = {bots, (*bots[1:], *bots[:1]), (*bots[2:], *bots[:2])}
    for deal in (headers[:3], headers[3:]):
        assert {header.seats for header in deal} == rotations
        assert len({json.dumps(header.deal) for header in deal}) == 1
    assert headers[0].deal != headers[3].deal


def test_match_writes_replays_that_verify(series: tuple[dict[str, Any], Path]) -> None:
    said, folder = series
    done = arena("replay", "verify", *sorted(folder.iterdir()))
    assert done.returncode == 0
    assert "6 of 6 verified." in done.stdout
    wins = dict.fromkeys((bot["bot"] for bot in said["bots"]), 0.0)
    for record in recorded(folder):
        result = replay.verify(record)
        for seat in result.winners:
            wins[record.header.seats[seat]] += 1 / len(result.winners)
    assert wins == pytest.approx({bot["bot"]: bot["wins"] for bot in said["bots"]})


def test_match_with_the_same_seed_plays_the_same(series: tuple[dict[str, Any], Path], tmp_path: Path) -> None:
    said, folder = series
    again = json.loads(match(*SERIES, "--replays", tmp_path / "again", "--at-once", "1", home=tmp_path))
    for first, second in zip(said["bots"], again["bots"], strict=True):
        assert (first["wins"], first["mean_placement"]) == (second["wins"], second["mean_placement"])
    assert list(map(actions, recorded(folder))) == list(map(actions, recorded(tmp_path / "again")))


def test_match_without_rotation_keeps_the_seats(tmp_path: Path) -> None:
    match("mantis", "greedy", "random", "--games", "2", "--no-rotate", "--replays", tmp_path / "r", home=tmp_path)
    first, second = (record.header for record in recorded(tmp_path / "r"))
    assert first.seats == second.seats == ("greedy 1.0", "random 1.0")
    assert first.deal != second.deal


def test_match_prints_a_table(tmp_path: Path) -> None:
    bots = ("random", "greedy", "random")
    text = match(
        "tentagram", *bots, "--placement", "strict", "--games", "3", "--seed", "x", "--replays", tmp_path / "r",
        home=tmp_path,
    )  # fmt: skip
    assert "Tentagram strict, 3 seats, 3 games, seed 'x'" in text
    for word in ("wins", "rate", "place", "ms/move", "forfeits", "random 1.0 #1", "random 1.0 #2", "greedy 1.0"):
        assert word in text
    assert "forfeit " not in text
    assert f"3 replays are in {tmp_path / 'r'}" in " ".join(text.split())
    assert "\x1b" not in text


@pytest.mark.parametrize("mode", ["crash", "illegal"])
def test_match_goes_on_without_a_bot_that_fails_and_says_why(mode: str, tmp_path: Path) -> None:
    bot = naughty(tmp_path, mode)
    text = match(
        "mantis", bot, "random", "greedy", "--games", "2", "--at-once", "1", "--replays", tmp_path / "r", home=tmp_path
    )
    reason = {"crash": "crash: Its program ended with signal SIGSEGV.", "illegal": "illegal: 'steal 5' is not legal"}
    assert f"forfeit naughty-{mode} 1.0, " in text
    assert reason[mode] in text
    assert "arena log NAME" in text
    for record in recorded(tmp_path / "r"):
        (lost,) = record.forfeited
        assert record.header.seats[lost] == f"naughty-{mode} 1.0"
        assert replay.verify(record).placements[lost] == 3


def test_match_of_bots_that_do_not_start_has_no_winner(tmp_path: Path) -> None:
    bot = talker(tmp_path, "talker")
    said = json.loads(match("mantis", bot, bot, "--games", "2", "--json", home=tmp_path))
    for number, entry in enumerate(said["bots"], start=1):
        assert entry["bot"] == f"talker 1.0 #{number}"
        assert (entry["wins"], entry["ms_per_move"], entry["faults"]) == (0, None, {"start": 2})
        ((reason, count),) = entry["reasons"].items()
        assert "ended before it said hello (exit code 3).\n    | this is talker" in reason
        assert count == 2


BAD_MATCHES = [
    (
        ("mantis", "random", "random", "--time-per-move", "fast"),
        "Invalid time `fast`: expected a time such as",
    ),
    (("mantis", "random", "random", "--at-once", "0"), "Invalid value for '--at-once'"),
    (("mantis", *["random"] * 7), "cannot be played with 7 seats: expected 2 to 6."),
    (("mantis", *["random"] * 5, "--edition", "grab"), "cannot be played with 5 seats: expected 2 to 4."),
    (("tentagram", "random", "random"), "cannot be played with 2 seats: expected 3 to 16."),
    (("mantis", "random", "README.md"), "README.md` is not executable."),
    (("mantis", "random", "random", "--replays", "README.md"), "README.md"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD_MATCHES, ids=[sentence for _, sentence in BAD_MATCHES])
def test_match_with_bad_input_gets_one_sentence(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    said = complaint("match", *arguments, "--home", tmp_path / "home")
    assert said.startswith("error: ")
    assert sentence in said
    assert not (tmp_path / "home").exists()


def test_match_with_a_home_that_is_a_file() -> None:
    assert "README.md" in complaint("match", "mantis", "random", "random", "--games", "1", "--home", "README.md/x")


def test_match_with_a_build_that_fails(tmp_path: Path) -> None:
    folder = talker(tmp_path, "unbuilt")
    with (folder / "arena.toml").open("a") as manifest:
        manifest.write('build = ["sh", "-c", "echo no compiler; exit 9"]\n')
    done = arena("match", "mantis", folder, "random", "--home", tmp_path / "home")
    assert done.returncode == 2
    assert done.stderr == "error: unbuilt 1.0: the build ended with exit code 9.\n    | no compiler\n"


def test_match_with_a_very_long_time(tmp_path: Path) -> None:
    """It may be refused or allowed, but must not break in the middle."""
    times = ("--time-per-move", "100000000m", "--time-per-match", "100000000m")
    done = arena("match", "mantis", "random", "random", "--games", "1", *times, "--home", tmp_path)
    assert done.returncode in (0, 2)


BRACKETS = "[/red] [bold"
"""What rich would take for markup."""


def test_match_takes_brackets_as_they_are(tmp_path: Path) -> None:
    bot = bot_folder(tmp_path / "brackets", ["false"], name=BRACKETS)
    folder = tmp_path / f"r{BRACKETS}"
    text = match("mantis", bot, "random", "--games", "1", "--seed", BRACKETS, "--replays", folder, home=tmp_path)
    assert f"seed {BRACKETS!r}" in text
    assert f"forfeit {BRACKETS} 1.0, " in text
    assert "".join(str(folder).split()) in "".join(text.split())


# arena check


def test_check_passes_a_good_bot(tmp_path: Path) -> None:
    done = arena("check", "random", "--games", "1", *SLOW_MACHINE, "--home", tmp_path)
    assert done.returncode == 0, done
    *verdicts, summary = done.stdout.splitlines()
    assert summary == f"All {len(verdicts)} checks passed."
    assert all(verdict.startswith("pass  ") for verdict in verdicts)
    for bracket in (
        "mantis classic, 2",
        "mantis icons, 6",
        "mantis grab, 4",
        "tentagram free, 3",
        "tentagram strict, 6",
    ):
        assert f"plays {bracket} seats: 1 games" in done.stdout
    for what in ("can be started: ", "says hello: ", "answers in good time: ", "ends when its stream ends: "):
        assert what in done.stdout


BAD_BOTS = [
    ("crash-at-start", "FAIL  says hello: naughty-crash-at-start 1.0 ended before it said hello (exit code 1).\n"),
    ("crash-at-start", "    | I do not feel like it.\n"),
    ("illegal", "FAIL  plays mantis classic, 2 seats: lost "),
    ("illegal", "by a fault, illegal: 'steal 5' is not legal"),
]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What `arena check` says of each of the bad bots."""
    said = {}
    for mode in dict.fromkeys(mode for mode, _ in BAD_BOTS):
        folder = tmp_path_factory.mktemp(mode)
        done = arena("check", naughty(folder, mode), "--games", "2", *SLOW_MACHINE, "--home", folder)
        assert done.returncode == 1, done
        said[mode] = done.stdout
    return said


@pytest.mark.parametrize(("mode", "verdict"), BAD_BOTS)
def test_check_fails_a_bad_bot_with_the_reason(mode: str, verdict: str, checked: dict[str, str]) -> None:
    assert verdict in checked[mode]
    failed = checked[mode].count("FAIL  ")
    assert re.search(rf"^{failed} of \d+ checks failed\.$", checked[mode], re.MULTILINE)


def test_check_of_what_cannot_be_started(tmp_path: Path) -> None:
    done = arena("check", "./nowhere.py", "--home", tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("FAIL  can be started: `./nowhere.py`: no such file or folder.\n")
    assert "1 of 1 checks failed." in done.stdout


# arena new


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a bot from `arena new`, and what was said."""
    where = tmp_path_factory.mktemp("new")
    done = arena("new", "sharp-eye_2", cwd=where)
    assert done.returncode == 0, done
    return where / "sharp-eye_2", done.stdout


def own_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    """How the tests of a bot end, run as its author would run them."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def test_new_creates_a_bot_of_that_name(created: tuple[Path, str]) -> None:
    folder, said = created
    assert sorted(file.name for file in folder.iterdir() if file.is_file()) == ["arena.toml", "bot.py", "test_bot.py"]
    program = find_launch(str(folder))
    assert (program.name, program.games) == ("sharp-eye_2", ("mantis", "tentagram"))
    for file in folder.glob("*.*"):
        assert "my_bot" not in file.read_text()
        assert "MyBot" not in file.read_text()
    for command in ("arena check sharp-eye_2", "arena match mantis ./sharp-eye_2 random", "arena log sharp-eye_2"):
        assert command in said


def test_the_new_bot_passes_the_check(created: tuple[Path, str], tmp_path: Path) -> None:
    folder, _ = created
    done = arena("check", folder.name, "--games", "2", *SLOW_MACHINE, "--home", tmp_path, cwd=folder.parent)
    assert done.returncode == 0, done
    assert "sharp-eye_2 0.1 in python" in done.stdout


def test_the_new_bot_passes_its_own_tests(created: tuple[Path, str]) -> None:
    done = own_tests(created[0])
    assert done.returncode == 0, done
    assert " passed" in done.stdout


@pytest.mark.parametrize("name", ["none", "MyBot"])
def test_new_works_with_any_name_that_it_takes(name: str, tmp_path: Path) -> None:
    """It may refuse a name; if it takes it, the bot is called so and works."""
    done = arena("new", name, cwd=tmp_path)
    if done.returncode == 0:
        assert find_launch(str(tmp_path / name)).name == name
        tested = own_tests(tmp_path / name)
        assert tested.returncode == 0, tested
    else:
        assert done.returncode == 2


def test_the_commands_that_new_names_find_the_bot(tmp_path: Path) -> None:
    text = arena("new", tmp_path / "deep" / "er", columns=400).stdout
    (command,) = re.findall(r"arena match mantis (\S+) random", text)
    assert find_launch(command).folder == tmp_path / "deep" / "er"


@pytest.mark.parametrize(("language", "command"), [("javascript", "bot.js"), ("cpp", "build/zoe")])
def test_new_in_another_language(language: str, command: str, tmp_path: Path) -> None:
    done = arena("new", "zoe", "--lang", language, cwd=tmp_path)
    assert done.returncode == 0, done
    bot = find_submission(str(tmp_path / "zoe"))
    assert (bot.manifest.name, bot.manifest.games) == ("zoe", ("mantis", "tentagram"))
    assert bot.manifest.build
    assert bot.launch.command[-1].endswith(command)
    assert (tmp_path / "zoe" / "protos" / "arena" / "v1" / "referee.proto").is_file()
    for file in (tmp_path / "zoe").iterdir():
        if file.is_file():
            assert not re.search("random_(js|cpp)", file.read_text()), file


def test_new_does_not_touch_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "file").write_text("precious")
    for name in ("mine", "file"):
        said = complaint("new", tmp_path / name)
        assert f"`{tmp_path / name}` already exists." in said
    assert list((tmp_path / "mine").iterdir()) == []
    assert (tmp_path / "file").read_text() == "precious"


@pytest.mark.parametrize("name", ["two words", "2fast", "x" * 41])
def test_new_refuses_what_is_no_name(name: str, tmp_path: Path) -> None:
    done = arena("new", name, cwd=tmp_path)
    assert done.returncode == 2
    assert "expected at most 40 letters, digits, - and _." in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_new_refuses_other_languages(tmp_path: Path) -> None:
    assert "Unknown language `rust`: expected python, javascript or cpp." in complaint(
        "new", tmp_path / "x", "--lang", "rust"
    )
    assert "did you mean `python`?" in complaint("new", tmp_path / "x", "--lang", "Pyton")


# arena log


@pytest.fixture(scope="module")
def home_with_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three bots have played, or tried to: talk before talk_more, and babbler."""
    folder = tmp_path_factory.mktemp("logs")
    bots = (talker(folder, "talk"), talker(folder, "talk_more"), babbler(folder))
    match("mantis", *bots, "--games", "1", home=folder)
    return folder


def log(*arguments: str | Path) -> list[str]:
    """The lines that `arena log` shows."""
    done = arena("log", *arguments)
    assert done.returncode == 0, done
    return done.stdout.splitlines()


def printed(lines: list[str]) -> list[str]:
    """What the bot itself has printed; the referee's own notes are marked."""
    return [line for line in lines if not line.startswith("[arena] ")]


def test_log_shows_what_a_bot_has_printed(home_with_logs: Path) -> None:
    first, *rest = printed(log("babbler", "--home", home_with_logs))
    assert re.fullmatch(r"I am process \d+", first)
    assert set(rest) == {"I see 2"}


def test_log_shows_only_the_last_lines_on_request(home_with_logs: Path) -> None:
    lines = log("babbler", "--lines", "1000", "--home", home_with_logs)
    assert len(lines) > 3
    assert log("babbler", "-n", "3", "--home", home_with_logs) == lines[-3:]


@pytest.mark.parametrize("named", ["talk", "talk 1.0"])
def test_log_takes_the_name_with_or_without_version(named: str, home_with_logs: Path) -> None:
    """And does not take one bot for another whose name goes on with an underscore."""
    assert set(printed(log(named, "--home", home_with_logs))) == {"this is talk"}


def test_log_of_another_bot(home_with_logs: Path) -> None:
    assert set(printed(log("talk_more", "--home", home_with_logs))) == {"this is talk_more"}


def test_log_of_an_unknown_bot(home_with_logs: Path) -> None:
    assert "Unknown bot `zzz`: expected " in complaint("log", "zzz", "--home", home_with_logs)
    assert "Unknown bot `babler`: did you mean `babbler" in complaint("log", "babler", "--home", home_with_logs)


@pytest.mark.parametrize("named", ["/bin/sh", "**", "*"])
def test_log_takes_a_name_not_a_pattern(named: str, home_with_logs: Path) -> None:
    assert f"Unknown bot `{named}`" in complaint("log", named, "--home", home_with_logs)


# arena play


def play(typed: str, *arguments: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    """What `arena play` prints when this is typed, and how it exits."""
    command = [*ARENA, "play", *map(str, arguments), "--time-per-move", "20s", "--home", str(home)]
    env = {**os.environ, "COLUMNS": "200", "PYTHONUTF8": "1", "TERM": "dumb"}
    done = subprocess.run(
        command, input=typed, capture_output=True, text=True, env=env, cwd=ROOT, timeout=300, check=False
    )
    assert "Traceback" not in done.stderr + done.stdout
    return done


def test_play_a_whole_game_of_mantis(tmp_path: Path) -> None:
    done = play("1\n" * 500, "mantis", "greedy", "random", "--edition", "icons", "--seed", "s", home=tmp_path)
    assert done.returncode == 0, done
    assert "Your turn: 1 score  2 steal 1  3 steal 2" in done.stdout
    assert re.search(r"seat 1 greedy 1\.0 (scores|steals from seat \d .*): flips", done.stdout)
    (file,) = (tmp_path / "replays").iterdir()
    record = replay.loads(file.read_bytes())
    assert record.header.seats == ("you", "greedy 1.0", "random 1.0")
    assert (record.header.seed, record.header.options) == ("s", {"edition": "icons"})
    won = 0 in replay.verify(record).winners
    *_, result, shown_at = done.stdout.splitlines()
    assert result == ("You won!" if won else "You did not win.")
    assert shown_at == f"The replay: arena replay show {file}"
    assert arena("replay", "verify", file).returncode == 0


def test_play_tells_everything_once(tmp_path: Path) -> None:
    done = play("score\n" * 500, "mantis", "greedy", "--seed", "s", "--seat", "1", home=tmp_path)
    (record,) = recorded(tmp_path / "replays")
    assert record.header.seats == ("greedy 1.0", "you")
    assert {action for seat, action in actions(record) if seat == 1} == {"score"}
    assert done.stdout.count(": flips ") == len(record.entries)


def test_play_tentagram_does_not_show_the_cards_of_others(tmp_path: Path) -> None:
    done = play("1\n" * 16, "tentagram", "greedy", "random", "--seat", "1", "--seed", "s", home=tmp_path)
    assert done.returncode == 0, done
    before, end, after = done.stdout.partition("won by")
    assert end
    of_others = re.compile(r"[02]:[A-E]")
    assert not of_others.search(before)
    assert of_others.search(after)
    assert "0:?" in before
    assert ":?" not in after
    assert re.search(r"1:[A-E]{3,5}", before)
    assert not re.search(r"seat [02] \w+ 1\.0 lays (?!a card face down on [A-E]{2}\.)", before)
    assert len(re.findall(r"seat [02] \w+ 1\.0 +(?:\?|none) +\d+\n", before)) == 16 * 2
    (record,) = recorded(tmp_path / "replays")
    replay.verify(record)


def test_play_shows_the_odds(tmp_path: Path) -> None:
    mantis = play("odds\n", "mantis", "greedy", "--seed", "s", home=tmp_path).stdout
    (sentence,) = re.findall(r"The top card is .*\.", mantis)
    chances = [int(number) for number in re.findall(r"(\d+)%", sentence)]
    assert len(chances) == 3
    assert sum(chances) == pytest.approx(100, abs=2)
    assert re.search(r"\d+% to score with success", mantis)
    assert re.search(r"\d+% to steal from seat 1 with success", mantis)
    tentagram = play("odds\n", "tentagram", "greedy", "random", home=tmp_path).stdout
    (cards,) = re.findall(r"Your cards still to come: (.*)\.", tentagram)
    (hand,) = re.findall(r"seat 0 you +([A-E]+)", tentagram)
    assert len({hand, *cards.split()}) == 16


EXPLAINED = [
    ("steal 0", "'steal 0' is not legal: seat 0 cannot steal from itself; it may play 'score' or 'steal 1'."),
    ("steal 7", "'steal 7' is not legal: seat 0 cannot steal from seat 7, which is not at the table"),
    ("pilfer 1", "'pilfer 1' is not legal"),
    ("hello", "'hello' is not a Mantis action: write 'score', 'steal N' or 'pilfer N'"),
    ("[/red]", "'[/red]' is not a Mantis action"),
    ("3", "'3' is not a Mantis action"),
    ("0", "'0' is not a Mantis action"),
    ("-1", "'-1' is not a Mantis action"),
    ("help", "Type an action or its number; odds for the card odds"),
    ("?", "Type an action or its number; odds for the card odds"),
    ("", "Type an action or its number; odds for the card odds"),
    ("rules", "arena rules mantis"),
    ("table", "goal 15"),
]


def test_play_explains_what_it_does_not_take(tmp_path: Path) -> None:
    typed = "".join(f"{text}\n" for text, _ in EXPLAINED)
    done = play(typed, "mantis", "greedy", "--seed", "s", home=tmp_path)
    start, *answers, _ = done.stdout.split("> ")
    assert "Your turn: 1 score  2 steal 1" in start
    assert len(answers) == len(EXPLAINED)
    for answer, (_, explanation) in zip(answers, EXPLAINED, strict=True):
        assert explanation in answer
    assert done.stdout.count("Your turn") == 1


def test_play_takes_no_number_for_too_long_to_be_explained(tmp_path: Path) -> None:
    done = play("1" * 5000 + "\n", "mantis", "greedy", home=tmp_path)
    assert done.returncode == 130
    assert "is not a Mantis action" in done.stdout


@pytest.mark.parametrize("typed", ["", "1\nquit\n"], ids=["end of input", "quit"])
def test_play_ends_without_a_word_when_the_person_leaves(typed: str, tmp_path: Path) -> None:
    done = play(typed, "mantis", babbler(tmp_path), home=tmp_path)
    assert done.returncode == 130
    assert said(done) == []
    assert not (tmp_path / "replays").exists()
    (process,) = re.findall(r"started, process (\d+)", "\n".join(log("babbler", "--home", tmp_path)))
    assert not alive(int(process))


def test_play_goes_on_without_a_bot_that_fails(tmp_path: Path) -> None:
    done = play("1\n" * 500, "mantis", naughty(tmp_path, "exit"), "random", "--seed", "s", home=tmp_path)
    assert done.returncode == 0, done
    assert "Seat 1 forfeited (crash): Its program ended with exit code 3." in done.stdout
    (record,) = recorded(tmp_path / "replays")
    assert record.forfeited == (1,)
    replay.verify(record)


def test_play_keeps_the_replay_of_any_seed(tmp_path: Path) -> None:
    done = play("1\n" * 500, "mantis", "greedy", "--seed", f"a/b {BRACKETS}", home=tmp_path / BRACKETS)
    assert done.returncode == 0, done
    (record,) = recorded(tmp_path / BRACKETS / "replays")
    assert record.header.seed == f"a/b {BRACKETS}"
    assert str(tmp_path / BRACKETS) in done.stdout


BAD_PLAYS = [
    (("mantis", "random", "--seat", "2"), "Invalid `--seat 2`: expected a number from 0 to 1."),
    (("tentagram", "random"), "cannot be played with 2 seats"),
    (("mantis", "random", "--time-per-move", "soon"), "Invalid time `soon`"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD_PLAYS, ids=[sentence for _, sentence in BAD_PLAYS])
def test_play_with_bad_input_gets_one_sentence(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    assert sentence in complaint("play", *arguments, "--home", tmp_path)
