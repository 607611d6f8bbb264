"""What breeding inputs has found, or would have: each once, as the smallest input that does it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena import replay
from arena.bot.session import BotSession
from arena.errors import BadSubmission, BotDidNotStart, MalformedReplay, ReplayError
from arena.games.codec import Unreadable
from arena.protocol.batching import Batching
from arena.protocol.clock import Moment
from arena.protocol.session import SessionState
from arena.referee.config import Settings
from arena.referee.launch import Launch
from arena.referee.processes.process import BotProcess
from arena.sandbox import Sandbox, SandboxView
from arena.submissions.manifest import MANIFEST
from arena.submissions.submission import find_launch
from arena.v1 import mantis_pb2
from arena.v1 import referee_pb2 as pb
from tests.fuzz.targets.desk import ATTACKER, Desk, honest_answers, request
from tests.fuzz.targets.replay import seeds
from tests.fuzz.targets.sdk import Curious

# The stream


def asked(desk: Desk) -> pb.PlayResponse:
    """What the attacker is asked now."""
    desk.attacker.release()
    message = desk.take()
    assert message is not None
    return message


def test_a_message_without_answers_stops_no_clock() -> None:
    """Otherwise a bot could think for ever, if only it said nothing from time to time."""
    desk = Desk()
    message = asked(desk)
    for _ in range(3):
        desk.now += 0.4
        desk.send(b"")
    thinking = desk.attacker.thinking(Moment(desk.now))
    assert thinking is not None
    assert round(thinking[1].wall) == 1200
    desk.attacker.receive(honest_answers(message), Moment(desk.now))
    assert round(max(desk.charged())) == 1200


def test_an_answer_to_a_lost_match_stops_no_clock() -> None:
    desk = Desk()
    asked(desk)
    desk.send(request([(1, 99, 1)]).SerializeToString())
    assert desk.tables[0].match.forfeited == [0]
    desk.play_honestly()
    asked(desk)
    desk.now += 0.7
    desk.send(request([(1, 1, 1)]).SerializeToString())
    thinking = desk.attacker.thinking(Moment(desk.now))
    assert thinking is not None
    assert round(thinking[1].wall) == 700


def test_a_late_answer_to_a_lost_match_ends_the_wait_for_it() -> None:
    """The turns behind it are not charged for the time that cost the match."""
    desk = Desk()
    desk.play_honestly()
    message = asked(desk)
    desk.wait(1.5)
    assert any(table.match.forfeited for table in desk.tables)
    desk.send(honest_answers(message).SerializeToString())
    assert desk.attacker.state is not SessionState.LATE
    desk.play_to_the_end()
    assert (
        sum(fault.fault is replay.FaultKind.TIMEOUT for table in desk.tables for fault in table.match.outcome().faults)
        == 1
    )
    assert desk.bots[ATTACKER].batching.in_flight == 0


class SlowStream:
    """A stream on which nothing ever gets through."""

    async def read(self) -> None:
        await asyncio.get_running_loop().create_future()

    async def write(self, message: bytes) -> None:  # noqa: ARG002 - nobody gets it
        await asyncio.get_running_loop().create_future()


def test_a_hello_that_is_refused_is_not_followed_by_another(tmp_path: Path) -> None:
    """A bot that was welcomed on one stream while it was refused on the other would never be asked, nor ever lose."""

    async def say_hello_twice() -> None:
        program = Launch("attacker", "", tmp_path, ("sleep", "600"))
        cell = Sandbox().cell(SandboxView(tmp_path, tmp_path))
        process = BotProcess(program, "unix:nowhere", Settings(), Batching(), cell, lambda *_: None)
        hellos = [pb.Hello(protocol=version, token=process.token, games=[pb.GAME_MANTIS]) for version in (9, 1)]
        streams = [asyncio.create_task(process.serve(hello, SlowStream())) for hello in hellos]
        try:
            await asyncio.sleep(0.01)
            with pytest.raises(BotDidNotStart, match="speaks version 9 of the protocol"):
                await process.wait_until_ready(0.1)
            assert not process.games
        finally:
            for stream in streams:
                stream.cancel()
            process.cut_off()
            await process.stop()

    asyncio.run(say_hello_twice())


# Replays

Change = Callable[[list[dict[str, Any]]], None]


def _escape_half_a_character(lines: list[dict[str, Any]]) -> None:
    lines[0]["match"] = "\ud800"


def _think_for_longer_than_a_float_holds(lines: list[dict[str, Any]]) -> None:
    lines[1]["ms"] = 10**400


def _say_a_number_beyond_all_floats(lines: list[dict[str, Any]]) -> None:
    lines[1]["comment"] = "1e999"


@pytest.mark.parametrize(
    ("line", "change"),
    [
        (1, _escape_half_a_character),  # it could be read, but neither printed nor written
        (2, _think_for_longer_than_a_float_holds),
        (2, _say_a_number_beyond_all_floats),
    ],
)
def test_a_replay_that_could_not_be_written_again_is_refused(line: int, change: Change) -> None:
    lines = [json.loads(text) for text in seeds()[0].splitlines()]
    change(lines)
    data = "".join(json.dumps(each) + "\n" for each in lines).replace('"1e999"', "1e999").encode()
    with pytest.raises(ReplayError) as caught:
        replay.loads(data)
    assert caught.value.line == line


def test_a_character_beyond_16_bits_may_be_escaped() -> None:
    lines = [json.loads(text) for text in seeds()[0].splitlines()]
    lines[0]["match"] = "\N{OCTOPUS}"
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    assert rb"\ud83d\udc19" in data
    assert replay.loads(data).header.match == "\N{OCTOPUS}"


def test_lists_in_lists_that_could_be_read_but_not_shown() -> None:
    """The reader goes as deep as Python's stack allows, and whoever shows or writes it may stand deeper already."""
    lines = seeds()[0].splitlines()
    lines[1] = b'{"seat": 0, "ms": 1, "action": ' + b"[" * 900 + b"]" * 900 + b"}"
    with pytest.raises(MalformedReplay, match="line 2: not a JSON object"):
        replay.loads(b"\n".join(lines))


# Bots' folders

MANIFESTS = {
    "lists in lists": b"command = " + b"[" * 5000,
    "a number with more digits than Python reads": b"name = 1" + b"0" * 5000,
}


@pytest.mark.parametrize("manifest", MANIFESTS.values(), ids=MANIFESTS)
def test_a_manifest_that_python_cannot_read_is_refused(manifest: bytes, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes(manifest)
    with pytest.raises(BadSubmission, match="is not valid TOML"):
        find_launch(str(tmp_path))


def test_a_command_with_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    """There is no such file in the folder; there is none anywhere, but that is found out when it is started."""
    (tmp_path / MANIFEST).write_text(f'command = ["{"a" * 300}"]')
    assert find_launch(str(tmp_path)).command == ("a" * 300,)


@pytest.mark.parametrize("named", ["a" * 300, "./" + "a" * 300, "./\0"], ids=["name", "path", "NUL"])
def test_a_name_that_no_file_can_have(named: str) -> None:
    with pytest.raises(BadSubmission):
        find_launch(named)


# The SDK

CLASSIC = mantis_pb2.MantisStart(edition=mantis_pb2.MANTIS_EDITION_CLASSIC)
RULES = [pb.Rules(number=1, seats=2, mantis=CLASSIC)]
DEALT = b"\0\0" * 8


def start(rules: int = 1, setup: bytes = DEALT) -> pb.Starts:
    return pb.Starts(match=[1], rules=[rules], id=["m"], seat=[0], seed=[0], setup=[setup])


def turn(match: int = 1, legal: bytes = b"\1", position: bytes = bytes(17), events: bytes = b"") -> pb.Turns:
    return pb.Turns(match=[match], turn=[1], legal=[legal], position=[position], events=[events])


UNREADABLE = {
    "an edition that is not known": pb.PlayResponse(
        rules=[pb.Rules(number=1, seats=2, mantis=mantis_pb2.MantisStart(edition=9))],  # type: ignore[arg-type]
        new_matches=start(),
    ),
    "a game that is not known": pb.PlayResponse(rules=[pb.Rules(number=1, seats=2)]),
    "rules that were not sent": pb.PlayResponse(rules=RULES, new_matches=start(rules=2)),
    "a match without seats": pb.PlayResponse(rules=[pb.Rules(number=1, mantis=CLASSIC)], new_matches=start()),
    "a turn in no match": pb.PlayResponse(turns=turn(7)),
    "columns of different lengths": pb.PlayResponse(rules=RULES, new_matches=start(), turns=pb.Turns(match=[1])),
    "an action that is not known": pb.PlayResponse(rules=RULES, new_matches=start(), turns=turn(legal=b"\xff")),
    "half an event": pb.PlayResponse(rules=RULES, new_matches=start(), turns=turn(events=b"\0")),
    "half a position": pb.PlayResponse(rules=RULES, new_matches=start(), turns=turn(position=b"\0")),
    "the end of no match": pb.PlayResponse(ended_matches=pb.Ends(match=[7], placements=[b""], forfeited=[b""])),
    "an end without places": pb.PlayResponse(
        rules=RULES, new_matches=start(), ended_matches=pb.Ends(match=[1], placements=[b""], forfeited=[b""])
    ),
}


async def write(_: pb.PlayRequest) -> None:
    """Nobody listens."""


@pytest.mark.parametrize("message", UNREADABLE.values(), ids=UNREADABLE)
def test_a_bot_says_what_it_cannot_read(message: pb.PlayResponse) -> None:
    with pytest.raises(Unreadable):
        asyncio.run(BotSession(Curious()).handle(message, write))


def test_a_fault_of_a_kind_to_come_is_printed_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    fault = pb.Fault(kind=99, detail="Too loud.")  # type: ignore[arg-type]
    asyncio.run(BotSession(Curious()).handle(pb.PlayResponse(faults=[fault]), write))
    assert capsys.readouterr().err == "FAULT 99 in every match: Too loud.\n"
