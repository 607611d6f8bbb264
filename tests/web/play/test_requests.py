"""What a match sends and accepts: nothing hidden, nothing without the token, nothing invalid."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from arena.games import mantis
from arena.games.tentagram import TENTAGRAM
from arena.replay import FaultKind
from arena.web.config import CONFIG
from tests.support.web_play import Visitor, on_record, wish
from tests.support.web_server import Served, serving

SEED = "a secret seed"
CARD = re.compile(r"\b[A-E]{3,5}\b")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def served(home: Path) -> Iterator[Served]:
    with serving(home) as running:
        yield running


@pytest.fixture(scope="module")
def visitor(served: Served) -> Visitor:
    return Visitor.with_token(served)


@pytest.mark.parametrize("placement", ["free", "strict"])
def test_cards_of_others_are_not_sent(visitor: Visitor, home: Path, placement: str) -> None:
    """Every card that is named in the bytes is one that the person has drawn by then."""
    seat = 1
    own = TENTAGRAM.new(3, SEED, placement=placement).decks[seat]
    address = visitor.begin(wish("tentagram", options={"placement": placement}, seat=seat, seed=SEED, hints=True))
    with visitor.following(address) as stream:
        for laid in range(len(own)):
            now = stream.until("turn")
            named = set(CARD.findall(stream.received))
            assert named <= set(own[: laid + 1])
            assert own[laid] in named
            assert SEED not in stream.received
            assert '"deal"' not in stream.received
            turn = now["turn"]
            chosen = next(choice for choice in turn["choices"] if choice["fits"])
            content = {"decision": turn["decision"], "action": chosen["action"]}
            assert visitor.post(f"{address}/choose", content).status == 200
            while stream.now["turn"] and stream.now["turn"]["decision"] == turn["decision"]:
                next(stream.events())
        name = stream.until_stored()
        assert SEED in stream.received  # now everybody may know
    _, replay = on_record(home, name)
    assert replay.header.seed == SEED


def test_the_draw_pile_is_not_sent(visitor: Visitor) -> None:
    deck = mantis.new(3, SEED, edition="icons").deck
    address = visitor.begin(wish("mantis", options={"edition": "icons"}, seed=SEED, hints=True))
    with visitor.following(address) as stream:
        for _ in range(3):
            turn = stream.until("turn")["turn"]
            flipped = turn["decision"] - 1
            visitor.post(f"{address}/choose", {"decision": turn["decision"], "action": turn["choices"][0]["action"]})
            named = {card.notation for card in deck if f'"{card.notation}"' in stream.received}
            assert named <= {card.notation for card in deck[12 : 12 + flipped]}
            assert '"next"' not in stream.received
            assert SEED not in stream.received


def test_a_choice_counts_once(visitor: Visitor) -> None:
    """A doubled click and an old tab change nothing; what is not legal is refused with the reason."""
    address = visitor.begin(wish("mantis"))
    with visitor.following(address) as stream:
        turn = stream.until("turn")["turn"]
        for action, why in (
            ("steal 0", "cannot steal from itself"),
            ("fly", "is not a Mantis action"),
            ("pilfer 1", ""),
        ):
            answer = visitor.post(f"{address}/choose", {"decision": turn["decision"], "action": action})
            assert answer.status == 400
            assert why in answer.content["error"]
        first = {"decision": turn["decision"], "action": "score"}
        assert [visitor.post(f"{address}/choose", first).status for _ in range(3)] == [200, 409, 409]
        after = stream.until("turn")["turn"]
        while after["decision"] == turn["decision"]:
            after = stream.until("turn")["turn"]
        assert after["decision"] == turn["decision"] + 3
        assert visitor.post(f"{address}/choose", first).content["error"] == "This turn is already over."


def test_strangers_change_nothing(visitor: Visitor, served: Served) -> None:
    address = visitor.begin(wish("mantis"))
    cookie, csrf = visitor.headers["Cookie"], visitor.headers["X-Arena-Csrf"]
    for path in ("/play", f"{address}/choose", f"{address}/resign", f"{address}/again"):
        for headers in (
            {},
            {"Cookie": cookie},
            {"X-Arena-Csrf": csrf},
            {"Cookie": cookie, "X-Arena-Csrf": csrf[::-1]},
            {"Cookie": cookie, "X-Arena-Csrf": csrf, "Origin": "http://evil.example"},
            {"Cookie": cookie, "X-Arena-Csrf": csrf, "Sec-Fetch-Site": "cross-site"},
        ):
            answer = Visitor(served, headers).post(path, wish("mantis"))
            assert answer.status == 403, (path, headers)
            assert answer.content["error"].endswith(".")
    for path in (address, f"/events{address}"):
        answer = Visitor(served).get(path)
        assert answer.status == 403
        assert "token" in answer.text
    with visitor.following(address) as stream:
        assert stream.until("turn")["turn"]["decision"] == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b'{"game": NaN}', "not JSON"),
        (b"[" * 5000, "Expected `object`"),
        (b"[]", "Expected `object`, got `array`"),
        ({"game": 1}, "Expected `str`, got `int` - at `$.game`"),
        (wish("chess"), "Unknown game"),
        (wish(options={"edition": "golden"}), "Unknown mantis edition"),
        (wish(options={"placement": "free"}), "option"),
        (wish(options=[]), "$.options"),
        (wish("mantis", *["bundled-random"] * 6), "cannot be played with 7 seats"),
        (wish("tentagram", "bundled-random"), "cannot be played with 2 seats"),
        (wish("mantis", "bundled-../../etc"), "no bot"),
        (wish("mantis", "version-999999"), "no bot"),
        (wish(seat=3), "no seat `3`"),
        (wish(seat=-1), "no seat `-1`"),
        (wish(seat=0.5), "Expected `int | null`, got `float`"),
        (wish(seat=True), "Expected `int | null`, got `bool`"),
        (wish(seconds=0), ">= 1"),
        (wish(seconds=1e300), "<= 600"),
        (wish(seed="x" * 101), "$.seed"),
        (wish(seed="a\nb"), "Invalid seed"),
        (wish(name="\u202eeve"), "Invalid name"),
        (wish(hints="yes"), "$.hints"),
        (wish(colour="red"), "unknown field `colour`"),
    ],
)
def test_nonsense_is_refused_with_the_reason(visitor: Visitor, content: object, why: str) -> None:
    answer = visitor.post("/play", content)
    assert answer.status in (400, 404)
    assert why in answer.content["error"]


def test_nonsense_in_a_game_is_refused(visitor: Visitor) -> None:
    address = visitor.begin(wish("mantis"))
    nonsense: list[object] = [
        [],
        {},
        {"decision": 1},
        {"decision": "1", "action": "score"},
        {"decision": True, "action": "score"},
        {"decision": 1, "action": ["score"]},
    ]
    for content in nonsense:
        assert visitor.post(f"{address}/choose", content).status == 400
    assert visitor.post(f"{address}/choose", b"x" * 70_000).status == 413
    assert visitor.post(f"{address}/again", {"rotate": 1}).status == 400
    for path in ("/play/000000000000", "/play/..%2fx", "/play/" + "x" * 5000):
        assert visitor.get(path).status == 404
        assert visitor.get(f"/events{path}").status == 404
        assert visitor.post(f"{path}/choose", {"decision": 1, "action": "score"}).status == 404
    with visitor.following(address) as stream:
        assert stream.until("turn")["turn"]["decision"] == 1


def test_a_resigned_game_is_stored_and_can_be_rotated(visitor: Visitor, home: Path) -> None:
    address = visitor.begin(wish("mantis", "bundled-random", "bundled-greedy", seat=2))
    with visitor.following(address) as stream:
        stream.until("turn")
        assert visitor.post(f"{address}/resign", {}).status == 200
        match, replay = on_record(home, stream.until_stored())
        assert visitor.post(f"{address}/resign", {}).status == 409
    assert match.seats[2].fault == FaultKind.DISCONNECT.value
    assert match.seats[2].placement == 3
    again = visitor.post(f"{address}/again", {"rotate": True}).content["address"]
    with visitor.following(again) as stream:
        film = next(content for name, content in stream.events() if name == "film")
    assert film["seat"] == 0
    assert film["seats"][1:] == list(replay.header.seats[:2])


def test_games_that_everybody_has_left_make_room(visitor: Visitor) -> None:
    addresses = [visitor.begin(wish("mantis")) for _ in range(CONFIG.max_matches + 1)]
    with visitor.following(addresses[0]) as stream:
        now = stream.until("turn")
    assert now["phase"] == "broken"
    assert "was not stored" in now["problem"]
    with visitor.following(addresses[-1]) as stream:
        assert stream.until("turn")["turn"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_bot_outlives_the_server(tmp_path: Path, how: signal.Signals) -> None:
    bots: list[psutil.Process] = []
    with serving(tmp_path / "home") as served:
        visitor = Visitor.with_token(served)
        address = visitor.begin(wish("mantis", "bundled-random", "bundled-random", hints=True))
        with visitor.following(address) as stream:
            while not (stream.now.get("turn") or {}).get("hint"):
                next(stream.events())
            bots = psutil.Process(served.process.pid).children(recursive=True)
            assert len(bots) >= 3
            served.process.send_signal(how)
            served.process.wait(30)
    deadline = time.monotonic() + 30
    while left := [bot for bot in bots if bot.is_running() and bot.status() != psutil.STATUS_ZOMBIE]:
        assert time.monotonic() < deadline, left
        time.sleep(0.02)
