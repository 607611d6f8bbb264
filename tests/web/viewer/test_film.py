"""A film tells what the engine says at every step, and a seat's film no more than the seat may know."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import IllegalAction, ReplayMismatch
from arena.games import mantis, tentagram
from arena.games.base import AnyState
from arena.games.frames import Entry, Film
from arena.games.registry import find_game
from arena.games.tentagram.cards import ANYWHERE
from arena.replay import Decision, Fault, FaultKind, Header, follow, result_line, states
from arena.web.viewer.film import FilmMaker, film_of
from tests.support.films import match_with_faults, random_match, variant
from tests.support.hidden import actions_so_far, with_everything_hidden_permuted
from tests.support.variants import VARIANTS, Variant

every_variant = pytest.mark.parametrize("each", VARIANTS, ids=str)
few = settings(max_examples=2)
MOST_BYTES = {"mantis": 40_000, "tentagram": 80_000}


def size(film: Film) -> int:
    return len(json.dumps(film, separators=(",", ":")))


def check_frame(film: Film, step: int, state: AnyState) -> None:
    if isinstance(state, mantis.State):
        made = film["frames"][step]
        assert made["tanks"] == state.tanks
        assert made["scores"] == state.scores
        assert made["pile"] == len(state.pile)
        assert made["turn"] == state.to_move
        assert made.get("pilfering", False) == state.pilfering
        top = state.pile[-1] if state.pile else None
        assert made.get("next") == (str(top.front) if top else None)
        assert made["top"] == ("".join(colour.letter for colour in top.back) if top else None)
        exact = mantis.top_odds(state.view(0))
        assert made["odds"] == pytest.approx(list(exact.values()), abs=1e-4)
        return
    assert isinstance(state, tentagram.State)
    for seat, deck in enumerate(film["decks"]):
        view = state.view(seat)
        laid = [entry["do"] for entry in film["entries"][:step] if "do" in entry and entry["seat"] == seat]
        assert list(zip(deck, laid, strict=False)) == list(view.own_laid)
        assert deck[len(laid) : len(laid) + 1] == ([view.hand] if view.hand else [])
        assert sorted(deck[len(laid) + 1 :]) == sorted(view.to_come)


@every_variant
@few
@given(seed=st.text(max_size=8))
def test_every_frame_is_the_table_at_that_step(each: Variant, seed: str) -> None:
    replay = random_match(each, seed)
    film = film_of(replay)
    seen = list(states(replay))
    for step in range(0, len(seen), 1 if each.seats < 5 else 5):
        check_frame(film, step, seen[step])
    outcome = film["result"]
    assert outcome is not None
    assert film["seed"] == seed
    for key in ("placements", "winners", "score", "tank", "cards"):
        assert outcome.get(key) == (list(replay.result[key]) if key in replay.result else None)  # type: ignore[arg-type]
    assert size(film) <= MOST_BYTES[film["game"]]


def test_the_longest_films_are_small() -> None:
    for each in (variant("mantis-icons-6"), variant("mantis-classic-6"), variant("tentagram-free-16")):
        sizes = [size(film_of(random_match(each, str(number)))) for number in range(4)]
        assert max(sizes) <= MOST_BYTES[each.game.name]


def test_what_happened_between_two_frames() -> None:
    films = [film_of(random_match(variant("mantis-icons-4"), str(number))) for number in range(8)]
    for film in films:
        for step, entry in enumerate(film["entries"]):
            check_entry(entry, film["frames"][step], film["frames"][step + 1])
    entries = [entry for film in films for entry in film["entries"]]
    assert {entry["do"].split()[0] for entry in entries} == {"score", "steal", "pilfer"}
    assert {entry.get("icon") for entry in entries} == {None, "again", "pilfer", "bank"}


def check_entry(entry: Entry, before: Any, after: Any) -> None:
    seat = entry["seat"]
    gained = after["scores"][seat] - before["scores"][seat]
    if "flip" not in entry:
        target = int(entry["do"].split()[1])
        assert after["scores"][target] == before["scores"][target] - 1
        assert gained == 1
        return
    colour = "ROYGBPK".index(entry["flip"][0])
    assert before.get("next") == entry["flip"][0] + entry["flip"][5:]
    if not entry["moved"]:
        assert after["tanks"][entry["into"]][colour] == before["tanks"][entry["into"]][colour] + 1
        assert "to" not in entry
    elif entry["to"] == "tank":
        assert after["tanks"][seat][colour] == before["tanks"][seat][colour] + entry["moved"]
        assert after["tanks"][entry["into"]][colour] == 0
    else:
        assert gained == entry["moved"]


def test_piles_tell_which_cards_counted() -> None:
    replay = random_match(variant("tentagram-free-5"))
    outcome = film_of(replay)["result"]
    assert outcome is not None
    last = list(follow(replay))[-1].state
    assert isinstance(last, tentagram.State)
    for made, pile in zip(outcome["piles"], last.result().piles, strict=True):
        assert made["table"] == pile.table
        assert made["counted"] == [f"{seat}:{card}" for seat, card in pile.counted]
        assert made["aside"] == [f"{seat}:{card}" for seat, card in pile.set_aside]
        assert (made["winner"], made["taken"]) == (pile.winner, pile.taken)


def test_faults_and_the_house() -> None:
    replay = match_with_faults("mantis-classic-3", "1", {4: 1, 9: 0})
    film = film_of(replay)
    faults = [entry for entry in film["entries"] if "fault" in entry]
    assert [entry["seat"] for entry in faults] == [1, 0]
    assert faults[0]["why"] == "did not answer in time"
    assert "no answer within 500 ms" in faults[0]["detail"]
    assert {entry["seat"] for entry in film["entries"] if entry.get("house")} <= {0, 1}
    assert film["result"] is not None
    assert film["result"]["winners"] == [2]
    for step, state in enumerate(states(replay)):
        check_frame(film, step, state)


def test_everybody_forfeits() -> None:
    for name in ("mantis-grab-2", "tentagram-strict-3"):
        film = film_of(match_with_faults(name, "1", {0: 0, 2: 1, 3: 2}))
        assert film["result"] is not None
        assert film["result"]["ending"] == "every seat forfeited"
        assert film["result"]["winners"] == []


@pytest.mark.parametrize("name", ["mantis-icons-3", "tentagram-free-3"])
@pytest.mark.parametrize("seat", [None, 1])
def test_a_film_grows_line_by_line(name: str, seat: int | None) -> None:
    """What `add` returns, taken together, is the film."""
    replay = match_with_faults(name, "2", {5: 2})
    maker = FilmMaker(replay.header, seat)
    grown: dict[str, object] = json.loads(json.dumps(maker.film))
    entries, frames = grown["entries"], grown.get("frames", [])
    assert isinstance(entries, list)
    assert isinstance(frames, list)
    for entry in replay.entries:
        assert "seed" not in maker.film
        assert maker.film["result"] is None
        more = json.loads(json.dumps(maker.add(entry)))
        assert more["start"] == len(entries)
        entries += more["entries"]
        frames += more.get("frames", [])
        grown.update({key: more[key] for key in ("decks", "result", "seed") if key in more})
    assert maker.over
    assert grown == json.loads(json.dumps(maker.film))
    if seat is None:
        assert maker.film == film_of(replay)


def test_a_line_that_the_rules_do_not_allow() -> None:
    replay = random_match(variant("mantis-classic-2"))
    maker = FilmMaker(replay.header)
    with pytest.raises(ReplayMismatch, match="line 2: it was the turn of seat 0"):
        maker.add(Decision(1, "score", 0.0))


# Secrets


@every_variant
@few
@given(seed=st.text(max_size=8), actions=st.integers(0, 70))
def test_a_seats_film_is_the_same_whatever_is_hidden(each: Variant, seed: str, actions: int) -> None:
    state = each.random_state(seed, actions)
    if state.to_move is None:
        return  # in Tentagram nothing is hidden any more
    rng = Random(seed)
    for seat in (0, each.seats - 1):
        deal = with_everything_hidden_permuted(state, seat, rng)
        films = [
            film_so_far(each, dealt, actions_so_far(state), seat, secret)
            for dealt, secret in ((deal, "x"), (state.deal(), "y"))
        ]
        assert films[0] == films[1]


def film_so_far(each: Variant, deal: object, actions: Sequence[object], seat: int, seed: str) -> Film:
    options = each.game.complete(each.options)
    maker = FilmMaker(Header("m", each.game.name, options, seed, ("bot",) * each.seats, deal), seat)  # type: ignore[arg-type]
    for action in actions:
        assert maker.state.to_move is not None
        maker.add(Decision(maker.state.to_move, str(action), 0.0))
    return maker.film


def test_a_seats_film_has_its_own_cards_and_no_others() -> None:
    state = tentagram.new(3, "s")
    assert film_so_far(variant("tentagram-free-3"), state.deal(), (), 1, "s")["decks"] == [[], [state.decks[1][0]], []]
    film = film_so_far(variant("mantis-classic-2"), mantis.new(2, "s").deal(), (), 0, "s")
    assert "next" not in film["frames"][0]


def test_all_cards_are_shown_to_a_player_once_it_is_over() -> None:
    replay = random_match(variant("tentagram-free-3"))
    maker = FilmMaker(replay.header, 1)
    for entry in replay.entries:
        assert [bool(deck) for deck in maker.film["decks"]] == [False, True, False]
        maker.add(entry)
    assert maker.film["decks"] == film_of(replay)["decks"]
    assert result_line(maker.state.result())["cards"] == replay.result["cards"]


def test_an_illegal_move_does_not_tell_the_hand_that_it_was_made_with() -> None:
    game = find_game("tentagram")
    state = game.new(3, "1", placement="strict")
    header = Header("1-tentagram-1-1", "tentagram", {"placement": "strict"}, "1", ("a", "b", "c"), state.deal())
    hand = state.view(0).hand
    with pytest.raises(IllegalAction) as refused:
        state.apply(next(action for action in ANYWHERE if action not in state.legal()))
    assert str(hand) in str(refused.value)
    fault = Fault(0, FaultKind.ILLEGAL, str(refused.value))
    (told,) = FilmMaker(header, seat=1).add(fault)["entries"]
    assert str(hand) not in json.dumps(told)
    (own,) = FilmMaker(header, seat=0).add(fault)["entries"]
    assert own["detail"] == str(refused.value)
    late = Fault(0, FaultKind.START, "It printed: not today")
    (told,) = FilmMaker(header, seat=1).add(late)["entries"]
    assert told["detail"] == late.detail
