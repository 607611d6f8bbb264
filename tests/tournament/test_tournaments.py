"""Whole tournaments from the command line: real bots, real workers, a real store."""

from __future__ import annotations

import json
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from arena.replay import loads, verify
from arena.requests import SubmitRequest
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.submit import submit
from tests.support.cli import ARENA, ROOT, SLOW_MACHINE, arena, complaint
from tests.support.tournaments import EVENT, FIELD, PATIENCE, board, kept, on_record, play, results

NAUGHTY = ROOT / "tests" / "referee" / "naughty.py"
ONLY_MANTIS = """
from arena.bot import Bot

class OnlyMantis(Bot):
    def mantis(self, turn):
        return turn.legal[0]

OnlyMantis().run()
"""


# The same whatever happens


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_the_leaderboard_does_not_depend_on_the_number_of_jobs(jobs: str, home: Path, tmp_path: Path) -> None:
    play(tmp_path, *EVENT, "--jobs", jobs)
    assert results(tmp_path) == results(home)
    assert board(tmp_path) == board(home)
    assert kept(tmp_path) == kept(home)


def test_a_match_that_the_host_spoils_costs_no_bot_anything(home: Path, tmp_path: Path) -> None:
    """With too few open files allowed no bot can be started: the tournament ends with the reason and can be resumed."""
    # 24 are enough for a worker without bots, with 29 one of them would start
    limited = f"ulimit -n 26; exec {' '.join(ARENA)} tournament {' '.join(EVENT)} --jobs 1 --home {tmp_path}"
    place = Home(tmp_path)
    with Store.open(place.database) as store:
        for bot in FIELD:
            submit(place, store, SubmitRequest(path=bot, time_to_start=60.0), Sandbox(), thorough=False)
    command = ("sh", "-c", limited)
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=False)
    assert done.returncode == 2, done
    assert "Too many open files" in done.stderr
    assert "Resume with: arena tournament --resume 1" in done.stderr
    assert on_record(tmp_path) == 0
    play(tmp_path, "--resume")
    assert results(tmp_path) == results(home)


# Bots that fail


def naughty(folder: Path, mode: str) -> Path:
    place = folder / f"naughty-{mode}"
    place.mkdir(parents=True)
    shutil.copy(NAUGHTY, place)
    command = json.dumps(["python", NAUGHTY.name, mode])
    (place / "arena.toml").write_text(f'games = ["mantis"]\ncommand = {command}\n', encoding="utf-8")
    return place


def test_a_tournament_in_which_every_third_bot_is_broken_finishes_with_a_correct_table(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    broken = ("crash-at-start", "illegal")
    with Store.open(home.database) as store:
        for mode in broken:  # past the check that would have kept them out
            content = sha256(mode.encode()).hexdigest()
            naughty(home.bots, mode).rename(home.bots / content)
            store.bots.register(mode, None, content, f"{content}/", "python", ["mantis"])
        twin = SubmitRequest(path="random", name="random_twin", time_to_start=60.0)
        submit(home, store, twin, Sandbox(), thorough=False)
    text = play(
        home.path, "random", "greedy", *broken, "counter", "random_twin", "--bracket", "mantis", "--rounds", "3",
        *SLOW_MACHINE,
    )  # fmt: skip
    (found,) = board(home.path)["brackets"]
    by_name = {row["bot"]: row for row in found["rows"]}
    assert by_name["crash-at-start"]["faults"] == {"start": by_name["crash-at-start"]["matches"]}
    assert by_name["illegal"]["faults"] == {"illegal": by_name["illegal"]["matches"]}
    assert {row["bot"] for row in found["rows"][-2:]} == set(broken)
    assert all(by_name[bot]["faults"] == {} for bot in ("random", "greedy", "counter"))
    assert len({row["matches"] for row in found["rows"]}) == 1
    assert "forfeit" in text


def test_a_gauntlet_leaves_out_what_its_newcomer_does_not_play(tmp_path: Path) -> None:
    (tmp_path / "only_mantis.py").write_text(ONLY_MANTIS, encoding="utf-8")
    bots = (str(tmp_path / "only_mantis.py"), *FIELD)
    dry = arena("tournament", *bots, "--format", "gauntlet", "--dry-run", "--home", tmp_path / "home")
    assert dry.returncode == 0, dry
    done = arena(
        "tournament", *bots, "--format", "gauntlet", "--rounds", "2", *SLOW_MACHINE, "--home", tmp_path / "home"
    )
    assert done.returncode == 0, done
    assert "tentagram is left out: the newcomer does not play it." in done.stderr
    (found,) = board(tmp_path / "home")["brackets"]
    assert found["bracket"] == "mantis"
    by_name = {row["bot"]: row["matches"] for row in found["rows"]}
    assert by_name["only_mantis"] == found["matches"]


# What can be done with what is on record


def test_replays_on_record_verify_and_can_be_shown_and_exported(home: Path, tmp_path: Path) -> None:
    done = arena("replay", "verify", "--tournament", "1", "--home", home)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "180 of 180 verified.")
    shown = arena("replay", "show", "1-tentagram-3-2", "--brief", "--home", home)
    assert shown.returncode == 0
    assert "match 1-tentagram-3-2" in shown.stdout
    file = tmp_path / "match.jsonl"
    assert arena("replay", "export", "1-mantis-1-1", file, "--home", home).returncode == 0
    replay = loads(file.read_bytes())
    assert verify(replay).placements
    assert replay.header.match == "1-mantis-1-1"
    assert arena("replay", "export", "1-mantis-1-1", "--html", "--home", home, cwd=tmp_path).returncode == 0
    assert "1-mantis-1-1" in (tmp_path / "1-mantis-1-1.html").read_text("utf-8")
    assert "There is no match `1-mantis-999-1` here" in complaint("replay", "show", "1-mantis-999-1", "--home", home)


def test_history_lists_tournaments_and_matches(home: Path) -> None:
    (tournament,) = json.loads(arena("history", "--json", "--home", home).stdout)
    assert (tournament["matches"], tournament["state"], tournament["bots"]) == (180, "done", 3)
    matches = json.loads(
        arena("history", "--bot", "greedy", "--bracket", "mantis", "-n", "3", "--json", "--home", home).stdout
    )
    assert len(matches) == 3
    assert all("greedy 1.0" in match["bots"] and match["bracket"] == "mantis" for match in matches)


def test_everything_can_be_exported(home: Path, tmp_path: Path) -> None:
    assert arena("export", "-o", tmp_path, "--home", home).returncode == 0
    rows = {file.stem: list(map(json.loads, file.read_text().splitlines())) for file in tmp_path.iterdir()}
    assert {name: len(found) for name, found in rows.items() if name in ("bots", "matches", "seats", "replays")} == {
        "bots": 3,
        "matches": 180,
        "seats": 540,
        "replays": 180,
    }
    done = arena("export", "seats", "--format", "csv", "--home", home)
    assert done.stdout.splitlines()[0].startswith("match,tournament_id,bracket,seat,bot,version,placement")
    assert len(done.stdout.splitlines()) == 541


def test_the_leaderboard_in_every_form(home: Path, tmp_path: Path) -> None:
    text = arena("leaderboard", "--bracket", "tentagram", "--home", home).stdout
    assert text.index("counter") < text.index("greedy") < text.index("random")
    assert "overall: 3 bots in mantis, tentagram" in arena("leaderboard", "--home", home).stdout
    assert len(arena("leaderboard", "--csv", "--home", home).stdout.splitlines()) == 7
    assert "| counter |" in arena("leaderboard", "--md", "--bracket", "mantis", "--home", home).stdout
    page = tmp_path / "board.html"
    assert arena("leaderboard", "--html", page, "--home", home).returncode == 0
    assert "<svg" in page.read_text(encoding="utf-8")


def test_bots_are_listed_with_what_they_reached_and_can_be_retired(home: Path) -> None:
    rows = json.loads(arena("bots", "--json", "--home", home).stdout)
    assert [row["bot"] for row in rows] == ["counter", "greedy", "random"]
    assert all(row["matches"] == 180 and row["last_result"] for row in rows)
    assert arena("retire", "random", "--home", home).returncode == 0
    assert len(json.loads(arena("bots", "--json", "--home", home).stdout)) == 2
    assert arena("retire", "random", "--undo", "--home", home).returncode == 0


# Formats


@pytest.mark.parametrize(
    "arguments",
    [
        ("--format", "swiss", "--rounds", "2", "--deals", "1"),
        ("--format", "knockout", "--deals", "1", "--seats", "2"),
        ("--format", "knockout", "--double", "--deals", "1", "--seats", "2"),
        ("--format", "ladder", "--matches", "24"),
        ("--format", "gauntlet", "--newcomer", "counter", "--rounds", "2"),
        ("--matches", "40", "--seats", "2", "--rate", "wins"),
        ("--time", "3s"),  # no less, so that a machine that is busy at first begins in time
    ],
    ids=" ".join,
)
def test_every_format_and_stop_rule(arguments: tuple[str, ...], tmp_path: Path) -> None:
    text = play(tmp_path, *FIELD, "--bracket", "mantis/icons", "--seed", "3", *arguments, *SLOW_MACHINE)
    assert "mantis/icons" in text
    assert on_record(tmp_path) >= 4
    if "--matches" in arguments:
        assert on_record(tmp_path) <= 40
    if "knockout" in arguments:
        assert "final" in text


def test_it_stops_when_the_bots_are_told_apart(tmp_path: Path) -> None:
    play(tmp_path, "random", "counter", "--bracket", "mantis", "--until-separated", "95%", "--seed", "3", *SLOW_MACHINE)
    (found,) = board(tmp_path)["brackets"]
    assert found["rows"][0]["bot"] == "counter"
    assert found["rows"][0]["separated"] is True


def test_a_dry_run_plays_nothing(tmp_path: Path) -> None:
    done = arena("tournament", *FIELD, "--dry-run", "--rounds", "30", "--home", tmp_path)
    assert done.returncode == 0
    assert "mantis: round-robin, 3 bots, 3 at a table, 30 meetings, 90 matches" in done.stdout
    assert "about" in done.stdout
    assert on_record(tmp_path) == 0


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("tournament", "nobody"), "Unknown bot `nobody`"),
        (("tournament", "random", "random"), "`random 1.0` is named twice."),
        (("tournament", *FIELD, "--format", "lottery"), "Unknown format `lottery`"),
        (("tournament", *FIELD, "--bracket", "mantis/iconz"), "expected mantis, mantis/icons or mantis/grab."),
        (("tournament", "random", "greedy", "--bracket", "tentagram"), "`tentagram` needs at least 3 bots"),
        (("tournament", *FIELD, "--bracket", "mantis", "--seats", "9"), "cannot be played with 9 seats"),
        (("tournament", "--resume", "99"), "There is no tournament `99` here"),
        (("tournament", "--resume", "1"), "`tournament 1` is already finished."),
        (("tournament", *FIELD, "--until-separated", "99%"), "`--until-separated 99%` is not supported"),
        (("tournament", *FIELD, "--double"), "The option `double` applies only to knockout tournaments."),
        (("tournament", *FIELD, "--format", "ladder"), "A ladder needs a stop rule"),
        (("tournament", "--resume", "1", "--seed", "1"), "`--seed` cannot be combined with `--resume`"),
        (("tournament", "random@7", "greedy"), "`random` has no version `7`: expected 1.0."),
        (("leaderboard", "--json", "--csv"), "`--json`, `--csv`, `--md` and `--html` cannot be combined."),
        (("leaderboard", "--tournament", "9" * 30), "There is no tournament"),
        (("leaderboard", "--bracket", "mantis/grab"), "No `mantis/grab` matches on record"),
        (("leaderboard", "--tournament", "cup"), "There is no tournament `cup` here"),
        (("compare", "random", "random"), "`random 1.0` cannot be compared with itself."),
        (("export", "everything"), "Unknown table `everything`"),
        (("retire", "nobody"), "Unknown bot `nobody`"),
        (("submit", "./nowhere.py"), "`./nowhere.py`: no such file or folder."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_mistakes_are_answered_in_a_sentence_and_change_nothing(
    arguments: tuple[str, ...], sentence: str, home: Path
) -> None:
    before = results(home)
    assert sentence in complaint(*arguments, "--home", home)
    assert results(home) == before


@pytest.mark.parametrize("command", ["leaderboard", "history", "export"])
def test_commands_that_read_make_no_home(command: str, tmp_path: Path) -> None:
    assert "There is no arena in" in complaint(command, "--home", tmp_path / "home")
    assert not (tmp_path / "home").exists()


# Old or new


def test_compare_says_who_is_stronger_in_one_sentence(tmp_path: Path) -> None:
    options = ("--home", tmp_path, "--seed", "1", *SLOW_MACHINE)
    done = arena("compare", "random", "counter", "--elo", "50", *options, columns=200)
    assert done.returncode == 0, done
    assert done.stdout.startswith("counter 1.0 is stronger than random 1.0 in mantis: +")
    done = arena("compare", "counter", "random", "--bracket", "tentagram", "--json", *options)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["decision"], found["faults"]) == ("not_better", 0)
    assert board_is_empty(tmp_path)


def board_is_empty(home: Path) -> bool:
    return "No matches on record." in complaint("leaderboard", "--home", home)
