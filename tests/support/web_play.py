"""A person who plays in the browser: as plain requests, and as pages in Chromium."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, ViewportSize

from arena import replay
from arena.replay import Replay
from arena.store.history import StoredMatch
from arena.store.home import Home
from arena.store.store import Store
from tests.support.chromium import DESKTOP, new_page
from tests.support.web_server import Served

PATIENCE = 60.0
CRASHES = """
from arena.bot import Bot

class Crasher(Bot):
    def mantis(self, turn):
        raise RuntimeError("I have had enough <b>of this</b>.")

Crasher().run()
"""
NEVER_STARTS = "raise SystemExit('not today')\n"
PLAYS = """
from arena.bot import Bot

class Simple(Bot):
    def mantis(self, turn):
        return turn.legal[0]

Simple().run()
"""
NASTY_NAME = "</script><img src=x onerror=alert(1)>'\""


def add_bot(home: Path, name: str, source: str) -> str:
    """Registers a bot as it is, without trying it out. Returns the key by which it is asked to a table."""
    place = Home(home)
    folder = place.bots / f"{len(list(place.bots.glob('*'))):064}"
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(source)
    with Store.open(place.database) as store:
        version = store.bots.register(name, "1", folder.name, f"{folder.name}/bot.py", "Python", ["mantis"])
    return f"version-{version.id}"


def wish(game: str = "mantis", *opponents: str, **more: object) -> dict[str, object]:
    """A table as a page asks for it."""
    return {"game": game, "opponents": list(opponents or ["bundled-random"] * 2), "seat": 0, "seed": "a", **more}


@dataclass
class Answer:
    status: int
    text: str

    @property
    def content(self) -> dict[str, Any]:
        found = json.loads(self.text)
        assert isinstance(found, dict)
        return found


@dataclass
class Visitor:
    """Sends requests without a browser."""

    served: Served
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def with_token(cls, served: Served) -> Visitor:
        """Return a visitor who has opened the address with the token, and a page."""
        visitor = cls(served)
        connection = visitor._connection()
        connection.request("GET", f"/?token={served.token}")
        cookie = (connection.getresponse().getheader("set-cookie") or "").partition(";")[0]
        connection.close()
        visitor.headers["Cookie"] = cookie
        csrf = visitor.get("/play").text.partition('name="arena-csrf" content="')[2].partition('"')[0]
        assert csrf
        visitor.headers["X-Arena-Csrf"] = csrf
        return visitor

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(urlsplit(self.served.address).netloc, timeout=PATIENCE)

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        connection = self._connection()
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return Answer(response.status, response.read().decode())
        finally:
            connection.close()

    def get(self, path: str) -> Answer:
        return self._ask("GET", path, None, self.headers)

    def post(self, path: str, content: object, **headers: str) -> Answer:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._ask("POST", path, body, {**self.headers, **given})

    def begin(self, content: object) -> str:
        """Begins a game and returns its address."""
        answer = self.post("/play", content)
        assert answer.status == 201, answer.text
        address = answer.content["address"]
        assert isinstance(address, str)
        return address

    @contextmanager
    def following(self, address: str) -> Iterator[Stream]:
        connection = self._connection()
        try:
            connection.request("GET", f"/events{address}", headers=self.headers)
            response = connection.getresponse()
            assert response.status == 200
            yield Stream(response)
        finally:
            connection.close()


class Stream:
    """The events of a game, and every byte of them."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response
        self.received = ""
        self.now: dict[str, Any] = {}

    def events(self) -> Iterator[tuple[str, Any]]:
        name = ""
        while line := self.response.readline().decode():
            self.received += line
            if line.startswith("event: "):
                name = line.removeprefix("event: ").strip()
            elif line.startswith("data: "):
                content = json.loads(line.removeprefix("data: "))
                if name == "now":
                    self.now = content
                yield name, content

    def until(self, wanted: str) -> dict[str, Any]:
        """Reads on to the next turn, or to the end, whichever is asked for; an end is always an end."""
        for name, content in self.events():
            if name == "now" and (content[wanted] or content["end"] or content["phase"] == "broken"):
                assert isinstance(content, dict)
                return content
        raise AssertionError("the stream has ended")

    def until_stored(self) -> str:
        """The name of the match, once it is in the store."""
        while not (end := self.now.get("end")) or not end["stored"]:
            self.until("end")
        stored = end["stored"]
        assert isinstance(stored, str)
        return stored


@contextmanager
def player(browser: Browser, served: Served, viewport: ViewportSize = DESKTOP, *, calm: bool = True) -> Iterator[Page]:
    """A page of a person who may play. `calm`: without animations."""
    with new_page(browser, viewport) as page:
        if calm:
            page.emulate_media(reduced_motion="reduce")
        page.goto(served.with_token)
        yield page


def sit_down(page: Page, served: Served, content: dict[str, object], *, wait: bool = True) -> str:
    """Begins a game from the page where one chooses a table, and waits for the first turn. Returns the address."""
    page.goto(f"{served.address}/play")
    address = page.evaluate(
        """async (wish) => {
            const csrf = document.querySelector("meta[name=arena-csrf]").content;
            const headers = {"content-type": "application/json", "x-arena-csrf": csrf};
            return (await (await fetch("/play", {method: "POST", headers, body: JSON.stringify(wish)})).json()).address;
        }""",
        content,
    )
    assert isinstance(address, str)
    page.goto(served.address + address)
    if wait:
        wait_for_turn(page)
    return address


def wait_for_turn(page: Page, after: str = "") -> str | None:
    """Waits until there is something to decide that was not decided before. Returns its number; None: it is over."""
    page.wait_for_function(
        """(after) => {
            const {turn, done} = document.getElementById("game")?.dataset ?? {};
            return done !== undefined || (turn && turn !== after);
        }""",
        arg=after,
    )
    number = page.evaluate(
        "() => (({turn, done}) => done === undefined ? turn : null)(document.getElementById('game').dataset)"
    )
    assert number is None or isinstance(number, str)
    return number


def stored_name(page: Page) -> str:
    """What the match is called, from the link at the end."""
    page.wait_for_selector("#stored:not([hidden])")
    address = page.get_attribute("#stored", "href")
    assert address
    return address.removeprefix("/matches/")


def on_record(home: Path, name: str) -> tuple[StoredMatch, Replay]:
    """The match in the store, with its replay, which must hold."""
    with Store.open(Home(home).database) as store:
        match = store.history.find(name)
        found = replay.loads(store.matches.replay(name).encode())
    replay.verify(found)
    assert found.header.match == name
    return match, found
