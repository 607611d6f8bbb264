"""Every target of `make fuzz`, on a few hundred inputs: enough to notice a door that was left open."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from arena.v1 import desk_pb2 as pb
from tests.fuzz.mutations import mutated
from tests.fuzz.targets import TARGETS, boards, manifest, replay, sdk, stream

EXAMPLES = {"stream": 60, "sdk": 200, "replay": 300, "live_match": 80, "manifest": 200, "upload": 100, "boards": 50}
"""What takes each of them about a second."""


def examples(count: int) -> settings:
    """So many of them, however slowly they are drawn: that is the machine's business."""
    return settings(max_examples=count, suppress_health_check=[HealthCheck.too_slow])


numbers = st.integers() | st.floats() | st.integers(0, 16) | st.just(10**400)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize("target", TARGETS)
def test_the_seeds(target: str) -> None:
    for seed in TARGETS[target].seeds():
        TARGETS[target].check(seed)


@pytest.mark.parametrize("target", TARGETS)
def test_any_bytes(target: str) -> None:
    examples(EXAMPLES[target] // 2)(given(st.binary(max_size=300))(TARGETS[target].check))()


@pytest.mark.parametrize("target", TARGETS)
def test_bytes_bred_from_the_seeds(target: str) -> None:
    examples(EXAMPLES[target])(given(mutated(TARGETS[target].seeds()))(TARGETS[target].check))()


# Shapes that bytes rarely take

KEYS = ("format", "match", "game", "options", "seed", "seats", "deal", "seat", "action", "ms", "by", "fault", "detail")


@examples(150)
@given(
    seed=st.sampled_from(replay.seeds()[:4]),
    line=st.sampled_from([0, 1, 2, 5, -2, -1]),
    key=st.sampled_from((*KEYS, "placements", "winners", "score", "cards", "piles")) | st.text(max_size=4),
    value=values | st.sampled_from(["mantis", "tentagram", "house", "crash", "score", "\ud800"]),
)
def test_a_replay_with_any_value_in_any_place(seed: bytes, line: int, key: str, value: Any) -> None:
    lines = [json.loads(text) for text in seed.splitlines()]
    lines[line][key] = value
    replay.check("\n".join(map(json.dumps, lines)).encode())


@examples(40)
@given(st.lists(values | st.dictionaries(st.sampled_from(KEYS), values), max_size=5))
def test_a_replay_of_any_json(lines: list[Any]) -> None:
    replay.check("\n".join(map(json.dumps, lines)).encode())


@pytest.mark.parametrize("depth", [30, 40, 500, *range(940, 1000, 7), 100_000])
@pytest.mark.parametrize("key", ["action", "placements", "comment"])
def test_a_replay_with_lists_in_lists(key: str, depth: int) -> None:
    lines = replay.seeds()[0].splitlines()
    deep = "[" * depth + "]" * depth
    lines[-1 if key == "placements" else 1] = f'{{"seat": 0, "ms": 1, "{key}": {deep}}}'.encode()
    replay.check(b"\n".join(lines))


def toml(value: Any) -> str:
    """The value in the notation of TOML, which is that of JSON but for tables in a value."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {toml(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, float):
        return str(value)
    return json.dumps(value)


MANIFEST_KEYS = st.sampled_from(("name", "version", "games", "command", "build", "env", "exclude"))
words = st.lists(st.sampled_from(["python", "./bot", "mantis", "\0", "a" * 300, "", "..", "/"]) | st.text(max_size=5))


@examples(150)
@given(st.dictionaries(MANIFEST_KEYS | st.text(max_size=4), values | words, max_size=5))
@example({"command": ["a" * 300]})
@example({"command": ["x" * 300 + "/" + "y" * 5000]})
def test_a_manifest_of_any_table(table: dict[str, Any]) -> None:
    text = "".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in table.items())
    manifest.check(text.encode(errors="surrogatepass"))


@examples(60)
@given(st.lists(st.sampled_from([*stream.seeds(), b"\1\0", b"\5\xff", b"\7"]), max_size=6))
def test_attacks_one_after_another(scripts: list[bytes]) -> None:
    stream.check(b"".join(scripts))


@examples(100)
@given(st.permutations(list(sdk.messages(sdk.seeds()[0]))[:8]), st.integers(1, 8))
def test_messages_to_a_bot_in_any_order(messages: list[bytes], count: int) -> None:
    sdk.check(sdk.framed(messages[:count]))


def places(document: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """All places in a document of JSON; of lists the first two."""
    inner: list[Any] = []
    if isinstance(document, dict):
        inner = list(document.items())
    elif isinstance(document, list):
        inner = list(enumerate(document[:2]))
    return [place, *(found for key, each in inner for found in places(each, (*place, key)))]


def board_document() -> Any:
    return MessageToDict(pb.GetLeaderboardResponse.FromString(boards.seeds()[0]))


@examples(40)
@given(
    place=st.sampled_from(places(board_document())[1:]),
    value=values | st.sampled_from([-1, 1e308, "NaN", "Infinity", [None], {}]),
)
def test_boards_with_any_value_in_any_place(place: tuple[str | int, ...], value: Any) -> None:
    document = board_document()
    *way, last = place
    within = document
    for key in way:
        within = within[key]
    within[last] = value
    try:
        message = ParseDict(document, pb.GetLeaderboardResponse())
    except (ParseError, UnicodeError):
        return
    boards.check(message.SerializeToString())
