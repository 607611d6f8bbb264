"""Kuhn poker on the wire."""

from __future__ import annotations

from typing import Any

from arena.games.base import Json
from arena.games.codec import json_codec
from tests.games.kuhn.game import BET, PASS, Acted, Action, View


def to_json(view: View) -> Json:
    history: list[Json] = [[acted.seat, str(acted.action)] for acted in view.history]
    return {"seat": view.seat, "card": view.card, "deck": view.deck, "ante": view.ante, "history": history}


def from_json(sent: Any, legal: tuple[Action, ...]) -> View:
    history = tuple(Acted(seat, BET if action == "bet" else PASS) for seat, action in sent["history"])
    return View(sent["seat"], 2, sent["seat"], legal, sent["card"], tuple(sent["deck"]), sent["ante"], history)


CODEC = json_codec("kuhn", {PASS: 1, BET: 2}, to_json, from_json)
