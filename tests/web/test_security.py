"""What visitors without a token, other sites and bot authors cannot do."""

from __future__ import annotations

import http.client
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.web_server import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("home")) as running:
        yield running


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.cookies = response.msg.get_all("set-cookie") or []
        self.text = response.read().decode()


def ask(
    served: Served, path: str, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None
) -> Answer:
    """Send a request without a browser."""
    connection = http.client.HTTPConnection(urlsplit(served.address).netloc, timeout=30)
    try:
        connection.request(method, path, body, headers or {})
        return Answer(connection.getresponse())
    finally:
        connection.close()


def test_every_answer_forbids_inline_scripts_and_frames(served: Served) -> None:
    answers = [ask(served, path) for path in ("/", "/nowhere", "/bots", "/static/x/web.css", "/?token=x")]
    answers.append(ask(served, "/", headers={"Host": "evil.example"}))
    for headers in (answer.headers for answer in answers):
        policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert headers["x-content-type-options"] == "nosniff"


def test_other_host_names_are_refused(served: Served) -> None:
    """DNS rebinding: another site could resolve its name to this machine and read the pages."""
    assert ask(served, "/", headers={"Host": "evil.example"}).status == 400
    assert ask(served, "/", headers={"Host": "localhost:1"}).status == 200


def test_the_token_becomes_a_cookie_and_leaves_the_address(served: Served) -> None:
    answer = ask(served, f"/bots?token={served.token}&x=1")
    assert answer.status == 303
    assert answer.headers["location"] == "/bots?x=1"
    (cookie,) = answer.cookies
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert served.token not in cookie


def test_a_wrong_token_is_no_token(served: Served) -> None:
    answer = ask(served, "/?token=guess")
    assert answer.status == 303
    assert answer.cookies == []


@pytest.mark.parametrize("path", ["//evil.example/", "/\\\\evil.example/", "///evil.example/"])
def test_the_login_redirects_only_to_this_server(served: Served, path: str) -> None:
    answer = ask(served, f"{path}?token=x")
    assert answer.status in (303, 404, 400)
    assert answer.headers.get("location", "/")[:2] not in ("//", "/\\\\")


@pytest.mark.parametrize(
    "path",
    [
        "/static/x/../../../../etc/passwd",
        "/static/x/..%2f..%2f..%2fetc%2fpasswd",
        "/static/x//etc/passwd",
        "/static/x/%2e%2e/app.py",
        "/matches/..%2f..%2farena.db",
        "/bots/..%2f..%2farena.db",
        "/boards/..%2f..%2farena.db",
        "/tournaments/..%2farena.db",
        "/live/..%2f..%2farena.db",
        "/play/..%2f..%2farena.db",
    ],
)
def test_no_path_leads_out(served: Served, path: str) -> None:
    answer = ask(served, path)
    assert answer.status in (400, 404)
    assert "root:" not in answer.text
    assert "SQLite" not in answer.text


def test_large_bodies_are_refused(served: Served) -> None:
    assert ask(served, "/play", "POST", b"x" * 100_000).status == 413
    assert ask(served, "/play", "POST", None, {"Content-Length": "99999999999999"}).status == 413
    assert ask(served, "/play", "POST", None, {"Content-Length": "-1"}).status in (400, 413)


@pytest.mark.parametrize("path", ["/", "/boards/mantis", "/bots", "/matches", "/tournaments", "/boards.csv"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_pages_take_no_changes(served: Served, path: str, method: str) -> None:
    assert ask(served, path, method).status in (403, 405)


@pytest.mark.parametrize(
    "query",
    ["tournament=-1", "tournament=x", "tournament=" + "9" * 5000, "versions=some", "seats=zero", "seats=99", "%00=%ff"],
)
def test_bad_queries_get_an_error_page(served: Served, query: str) -> None:
    for path in ("/", "/boards/mantis", "/matches", "/bots"):
        answer = ask(served, f"{path}?{query}")
        assert answer.status in (200, 400, 404), (path, answer.text)
        assert "Internal error" not in answer.text


def test_an_unreadable_store_is_reported_without_its_path(tmp_path: Path) -> None:
    with serving(tmp_path) as own:
        with sqlite3.connect(tmp_path / "arena.db") as connection:
            connection.execute("ALTER TABLE bots RENAME TO hidden")
        answer = ask(own, "/bots")
        assert answer.status == 503
        assert str(tmp_path) not in answer.text
        assert "content-security-policy" in answer.headers
        with sqlite3.connect(tmp_path / "arena.db") as connection:
            connection.execute("ALTER TABLE hidden RENAME TO bots")
        assert ask(own, "/bots").status == 200


def test_names_by_which_it_is_known(tmp_path: Path) -> None:
    with serving(tmp_path, "--known-as", "arena.example") as own:
        assert ask(own, "/", headers={"Host": "Arena.Example"}).status == 200
        assert ask(own, "/", headers={"Host": "evil.example"}).status == 400


def test_the_home_is_not_told(served: Served, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Pages do not contain the path of the home."""
    home = str(Path(tmp_path_factory.getbasetemp()))
    for path in ("/", "/nowhere", "/bots/unknown", "/matches/1-mantis-1-1", "/boards/chess"):
        assert home not in ask(served, path).text
