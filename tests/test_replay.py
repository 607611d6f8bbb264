"""The replay format: written to the letter, read with care, verified by playing again."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import replay
from arena.errors import MalformedReplay, NotAReplay, ReplayError, ReplayMismatch, TruncatedReplay
from arena.games import mantis, tentagram
from arena.games.base import AnyState
from arena.games.registry import find_game
from arena.replay import Decision, Fault, FaultKind, Header, Replay, simulate_game

Line = dict[str, Any]


def a_replay(game: str = "mantis", seats: int = 3, seed: str = "seed", **options: str) -> bytes:
    return replay.dumps(simulate_game(find_game(game), options, seats, seed, "match-1").replay).encode()


def lines_of(data: bytes) -> list[Line]:
    return [json.loads(line) for line in data.splitlines()]


def data_of(lines: list[Line]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


# The form


def test_the_header_of_mantis() -> None:
    header = lines_of(a_replay(edition="icons"))[0]
    assert list(header) == ["format", "match", "game", "options", "seed", "seats", "deal"]
    assert header["format"] == "arena.replay/1"
    assert (header["match"], header["game"], header["options"]) == ("match-1", "mantis", {"edition": "icons"})
    assert (header["seed"], header["seats"]) == ("seed", ["random"] * 3)
    assert len(header["deal"]) == 105
    assert {"G:YGP", "R:RGP", "R:RYB+bank", "O:ROY+again"} <= set(header["deal"])


def test_the_header_of_tentagram() -> None:
    header = lines_of(a_replay("tentagram", placement="strict"))[0]
    assert (header["game"], header["options"]) == ("tentagram", {"placement": "strict"})
    assert [sorted(deck) for deck in header["deal"]] == [sorted(tentagram.DECK)] * 3


def test_a_decision_is_written_as_in_the_format() -> None:
    text = replay.dumps(
        Replay(
            Header("m", "mantis", {"edition": "classic"}, "s", ("a 1", "b 2"), []),
            [
                Decision(0, "steal 1", 0.41),
                Fault(1, FaultKind.TIMEOUT, "No answer within 1 s."),
                Decision(1, "score", 0.0, by_house=True),
            ],
            {"placements": (1, 2)},
        )
    )
    assert text.splitlines()[1:] == [
        '{"seat": 0, "action": "steal 1", "ms": 0.41}',
        '{"seat": 1, "fault": "timeout", "detail": "No answer within 1 s."}',
        '{"seat": 1, "action": "score", "ms": 0.0, "by": "house"}',
        '{"placements": [1, 2]}',
    ]


def test_the_result_lines() -> None:
    last = lines_of(a_replay())[-1]
    assert list(last) == ["placements", "winners", "score", "tank"]
    last = lines_of(a_replay("tentagram"))[-1]
    assert list(last) == ["placements", "winners", "cards", "piles"]
    assert list(last["piles"]) == list(tentagram.TABLE_CARDS)
    assert all(set(pile) == {"winner", "taken"} for pile in last["piles"].values())


def test_names_beyond_ascii_stand_as_they_are(tmp_path: Path) -> None:
    played = simulate_game(find_game("mantis"), {}, 2, "Grüße", "m").replay
    file = replay.write(played, tmp_path)
    assert '"seed": "Grüße"' in file.read_text(encoding="utf-8")
    assert replay.loads(file.read_bytes()) == replay.loads(replay.dumps(played).encode())
    assert [path.name for path in tmp_path.iterdir()] == ["m.jsonl"]


def test_unknown_keys_are_ignored() -> None:
    lines = lines_of(a_replay())
    for line in lines:
        line["comment"] = {"by": "somebody"}
    lines[0]["options"]["colour"] = "red"
    assert replay.verify(replay.loads(data_of(lines)))


def test_a_missing_last_line_end_and_windows_line_ends_do_no_harm() -> None:
    data = a_replay()
    assert replay.verify(replay.loads(data.removesuffix(b"\n")))
    assert replay.verify(replay.loads(data.replace(b"\n", b"\r\n")))


# What is wrong is named, with its line


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"hello", b"\x89PNG\r\n\x1a\n", b"[]\n", b"{}\n", b'{"format": "arena.replay/2"}\n', b"\xff\xfe\n{}"],
)
def test_not_a_replay_at_all(data: bytes) -> None:
    with pytest.raises(NotAReplay, match="line 1: "):
        replay.loads(data)


@pytest.mark.parametrize("game", ["mantis", "tentagram"])
def test_a_replay_cut_anywhere_is_refused_with_the_line(game: str) -> None:
    data = a_replay(game)
    header_end = data.index(b"\n") + 1
    rng = Random(1)
    cuts = [header_end, *(rng.randrange(header_end, len(data) - 1) for _ in range(100))]
    for cut in cuts:
        with pytest.raises(TruncatedReplay) as caught:
            replay.loads(data[:cut])
        whole_lines = data[:cut].count(b"\n")
        assert caught.value.line == whole_lines + (not data[:cut].endswith(b"\n"))


def test_a_replay_cut_in_its_header_is_no_replay() -> None:
    with pytest.raises(NotAReplay, match="line 1"):
        replay.loads(a_replay()[:100])


def set_to(line: int, key: str, value: object) -> Callable[[list[Line]], None]:
    def change(lines: list[Line]) -> None:
        lines[line][key] = value

    return change


def without(line: int, key: str) -> Callable[[list[Line]], None]:
    def change(lines: list[Line]) -> None:
        del lines[line][key]

    return change


MALFORMED = [
    *[(1, without(0, key)) for key in ("match", "game", "options", "seed", "seats", "deal")],
    (1, set_to(0, "match", 7)),
    (1, set_to(0, "seed", 7)),
    (1, set_to(0, "game", "chess")),
    (1, set_to(0, "options", {})),
    (1, set_to(0, "options", [])),
    (1, set_to(0, "options", {"edition": "deluxe"})),
    (1, set_to(0, "seats", ["a"])),
    (1, set_to(0, "seats", "abc")),
    (1, set_to(0, "seats", [1, 2, 3])),
    (1, set_to(0, "deal", [])),
    (1, set_to(0, "deal", ["R:ROY"] * 105)),
    *[(2, without(1, key)) for key in ("seat", "action", "ms")],
    *[(2, set_to(1, "seat", seat)) for seat in (-1, 3, "0", True, None, 0.0)],
    *[(2, set_to(1, "ms", ms)) for ms in (-1, "1", None, True, float("nan"), float("inf"))],
    (2, set_to(1, "action", 1)),
    (2, set_to(1, "by", "me")),
    (2, set_to(1, "by", None)),
    (2, set_to(1, "comment", float("nan"))),
]


@pytest.mark.parametrize(("line", "change"), MALFORMED)
def test_a_malformed_line_is_named(line: int, change: Callable[[list[Line]], None]) -> None:
    lines = lines_of(a_replay())
    change(lines)
    with pytest.raises(MalformedReplay) as caught:
        replay.loads(data_of(lines))
    assert caught.value.line == line


@pytest.mark.parametrize("text", [b"nonsense", b"[1]", b"", b"\xff", b'{"seat": 0}', b"[" * 100_000])
def test_a_line_of_another_kind_is_named(text: bytes) -> None:
    data = a_replay().splitlines()
    data[4] = text
    with pytest.raises(MalformedReplay, match="line 5: "):
        replay.loads(b"\n".join(data))


@pytest.mark.parametrize("fault", [{"seat": 1, "fault": "bored", "detail": ""}, {"seat": 1, "fault": "crash"}])
def test_a_malformed_fault_is_named(fault: Line) -> None:
    lines = lines_of(a_replay())
    lines.insert(3, fault)
    with pytest.raises(MalformedReplay, match="line 4: "):
        replay.loads(data_of(lines))


def test_nothing_may_follow_the_result() -> None:
    data = a_replay()
    with pytest.raises(MalformedReplay, match="nothing may follow the result"):
        replay.loads(data + data.splitlines()[1] + b"\n")


def mismatch(lines: list[Line]) -> ReplayError:
    with pytest.raises(ReplayError) as caught:
        replay.verify(replay.loads(data_of(lines)))
    return caught.value


def test_an_action_of_another_game_or_not_legal_is_named() -> None:
    for action in ("AB", "steal 0", "steal 7", "pilfer 1", ""):
        lines = lines_of(a_replay())
        lines[1]["action"] = action
        error = mismatch(lines)
        assert isinstance(error, ReplayMismatch)
        assert error.line == 2


def test_a_decision_out_of_turn_is_named() -> None:
    lines = lines_of(a_replay())
    lines[2]["seat"] = 2
    assert "line 3: it was the turn of seat 1, not of seat 2" in str(mismatch(lines))


def test_a_decision_after_the_end_is_named() -> None:
    lines = lines_of(a_replay())
    lines.insert(-1, {"seat": 0, "action": "score", "ms": 0})
    assert "the game was over before this decision" in str(mismatch(lines))


def test_a_result_before_the_end_is_named() -> None:
    lines = lines_of(a_replay())
    del lines[-2]
    error = mismatch(lines)
    assert error.line == len(lines)
    assert "the game is not over" in str(error)


@pytest.mark.parametrize("game", ["mantis", "tentagram"])
def test_every_part_of_the_result_is_compared(game: str) -> None:
    good = lines_of(a_replay(game))
    result = good[-1]
    changes: list[Line] = [
        {"placements": [1, 1, 1]},
        {"placements": result["placements"][:2]},
        {"placements": "123"},
        {"winners": [0, 1, 2]},
        {"winners": None},
    ]
    if game == "mantis":
        changes += [{"score": [0, 0, 0]}, {"tank": [float(count) for count in result["tank"]]}]
    else:
        changes += [{"cards": [48, 0, 0]}, {"piles": {**result["piles"], "AB": {"winner": 9, "taken": 1}}}]
        changes += [{"piles": {key: value for key, value in result["piles"].items() if key != "DE"}}]
    for change in changes:
        error = mismatch([*good[:-1], {**result, **change}])
        assert error.line == len(good), change
    for key in result:
        if key != "placements":
            error = mismatch([*good[:-1], {k: v for k, v in result.items() if k != key}])
            assert f"{key!r} is missing" in str(error)


def test_a_fault_after_the_end_is_named() -> None:
    lines = lines_of(a_replay())
    lines.insert(-1, {"seat": 0, "fault": "disconnect", "detail": "Gone."})
    error = mismatch(lines)
    assert error.line == len(lines) - 1
    assert "the game was over before" in str(error)


@pytest.mark.parametrize("key", ["fault", "placements"])
def test_a_line_that_is_two_things_is_refused(key: str) -> None:
    lines = lines_of(a_replay())
    lines[2][key] = None
    with pytest.raises(MalformedReplay, match="line 3: a line must have exactly one of"):
        replay.loads(data_of(lines))


@given(position=st.integers(0, 10**9), byte=st.integers(0, 255))
def test_one_changed_byte_never_crashes_the_reader(position: int, byte: int) -> None:
    data = bytearray(a_replay("tentagram"))
    data[position % len(data)] = byte
    with contextlib.suppress(ReplayError):
        replay.verify(replay.loads(bytes(data)))


# Forfeits


def play_with_faults(state: AnyState, faults: dict[int, list[int]], header: Header) -> Replay:
    """Plays at random; `faults` says which seats forfeit before which decision. The house plays on for them."""
    record = Replay(header)
    rng = Random(1)
    decision = 0
    while (seat := state.to_move) is not None:
        for forfeiter in faults.get(decision, []):
            record.entries.append(Fault(forfeiter, FaultKind.CRASH, "It ended with signal 11."))
        if len(record.forfeited) == state.seats:
            break
        house = seat in record.forfeited
        action = rng.choice(state.house_actions() if house else state.legal())
        state.apply(action)
        record.entries.append(Decision(seat, str(action), 0.5, by_house=house))
        decision += 1
    record.result = replay.result_line(state.result(record.forfeited))
    return record


def forfeited_match(game: str, faults: dict[int, list[int]]) -> Replay:
    rules = find_game(game)
    state = rules.new(4, "seed")
    header = Header("m", game, rules.complete({}), "seed", ("a", "b", "c", "d"), state.deal())
    return replay.loads(replay.dumps(play_with_faults(state, faults, header)).encode())


@pytest.mark.parametrize("game", ["mantis", "tentagram"])
def test_forfeiters_come_last_in_the_order_of_their_faults(game: str) -> None:
    record = forfeited_match(game, {0: [2], 5: [0]})
    result = replay.verify(record)
    assert (result.placements[2], result.placements[0]) == (4, 3)
    assert set(result.winners) <= {1, 3}
    assert sorted((result.placements[1], result.placements[3])) in ([1, 2], [1, 1])


@pytest.mark.parametrize("game", ["mantis", "tentagram"])
def test_when_every_seat_forfeits_the_match_stops_at_once(game: str) -> None:
    record = forfeited_match(game, {3: [1, 3], 6: [0, 2]})
    result = replay.verify(record)
    assert sum(isinstance(entry, Decision) for entry in record.entries) == 6
    assert (result.placements, result.winners) == ((2, 4, 1, 3), ())
    assert result.ending.name == "ALL_FORFEITED"


def test_when_every_seat_forfeits_the_details_count_what_lies() -> None:
    record = forfeited_match("tentagram", {6: [0, 1, 2, 3]})
    piles: Any = record.result["piles"]
    assert sum(pile["taken"] for pile in piles.values()) == sum(record.result["cards"]) <= 6  # type: ignore[arg-type]
    assert replay.verify(record)


def test_the_house_plays_for_forfeiters_only_and_then_always() -> None:
    lines = lines_of(replay.dumps(forfeited_match("mantis", {0: [2]})).encode())
    assert lines[1] == {"seat": 2, "fault": "crash", "detail": "It ended with signal 11."}
    house = next(number for number, line in enumerate(lines) if line.get("by") == "house")
    assert lines[house]["seat"] == 2

    changed = json.loads(json.dumps(lines))
    del changed[house]["by"]
    assert "seat 2 decides, though it has forfeited" in str(mismatch(changed))
    changed = json.loads(json.dumps(lines))
    changed[2]["by"] = "house"
    assert "the house plays for seat 0, which has not forfeited" in str(mismatch(changed))
    changed = json.loads(json.dumps(lines))
    changed.insert(2, changed[1])
    assert "seat 2 had forfeited before" in str(mismatch(changed))


def test_no_decision_may_follow_when_every_seat_has_forfeited() -> None:
    lines = lines_of(replay.dumps(forfeited_match("mantis", {1: [0, 1, 2, 3]})).encode())
    lines.insert(-1, {"seat": 1, "action": "score", "ms": 0, "by": "house"})
    assert "every seat had forfeited" in str(mismatch(lines))


def test_mantis_without_the_forfeiter_who_reached_the_goal_the_rest_is_ranked_by_cards() -> None:
    state = mantis.new(4, "seed")
    state.scores = [10, 3, 3, 4]
    state.tanks = [[0] * 7, [1] * 7, [2] * 7, [0] * 7]
    result = state.result(forfeited=[0])
    assert (result.placements, result.winners) == ((4, 3, 2, 1), (3,))


def test_mantis_says_when_the_house_reached_the_goal() -> None:
    position = mantis.State(mantis.EDITIONS["classic"], 3, mantis.EDITIONS["classic"].cards)
    position.scores = [9, 3, 3]
    position.tanks[0] = [1] * 7
    position.apply(mantis.SCORE)
    assert position.result().ending.name == "GOAL"
    assert position.result([0]).ending.name == "GOAL_OF_FORFEITER"


def test_tentagram_counts_are_unshared_among_those_who_did_not_forfeit() -> None:
    state = tentagram.new(3, "seed", "free")
    while state.to_move is not None:
        state.apply(find_game("tentagram").parse_action(("AB", "CD", "DE")[state.to_move]))
    assert state.result().cards == (7, 7, 7)
    assert state.result().winners == ()
    assert state.result([1]).winners == ()
    assert (state.result([1, 2]).winners, state.result([1, 2]).placements) == ((0,), (1, 3, 2))


@given(
    st.integers(0, 15),
    st.text(max_size=20),
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 10**6),
    st.booleans(),
)
def test_a_decision_is_written_as_json_writes_it(seat: int, action: str, ms: float, by_house: bool) -> None:
    expected = {"seat": seat, "action": action, "ms": ms, **({"by": "house"} if by_house else {})}
    header = Header("m", "mantis", {}, "s", ("a",), [])
    line = replay.dumps(Replay(header, [Decision(seat, action, ms, by_house)], {})).split("\n", 1)[1]
    assert line == json.dumps(expected, ensure_ascii=False) + "\n{}\n"
