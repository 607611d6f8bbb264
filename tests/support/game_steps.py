"""Which of the steps in CONTRIBUTING.md, "How to add a game", has been forgotten for a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from random import Random

from arena.errors import ArenaError
from arena.games.base import AnyGame
from arena.games.brackets import Bracket
from arena.games.codec import TurnEntry
from arena.games.registry import GAMES, codec_of, frames_of, painter_of, profile_of, words_of
from arena.replay import simulate_game
from arena.v1 import referee_pb2 as pb
from tests.support.playthroughs import GOLDEN
from tests.support.variants import Variant, variants_of


def forgotten_steps(game: AnyGame, golden: Path = GOLDEN, tests: Path | None = None) -> list[str]:
    """One sentence for each step that is missing or incomplete."""
    if GAMES.get(game.name) is not game:
        return [f"step 5: {game.name} is not registered: add it to arena/games/registry.py, or to ARENA_GAMES"]
    steps: list[Callable[[AnyGame], Iterator[str]]] = [_rules, _codec, _words, _profile, _painters]
    found: list[str] = []
    for number, step in zip((1, 2, 3, 4, 6), steps, strict=True):
        try:
            found += [f"step {number}: {wrong}" for wrong in step(game)]
        except (ArenaError, AttributeError, LookupError, TypeError, ValueError) as error:
            found.append(f"step {number}: {error}")
    for bracket in Bracket.all_of(game):
        values = "-".join([game.name, *(value for _, value in bracket.options)])
        if not list(golden.glob(f"{values}-*.txt")):
            found.append(f"step 6: no golden playthrough of {bracket.name} ({values}-SEATS.txt): run `make golden`")
    folder = tests or GOLDEN.parent / "games" / game.name
    if not list(folder.glob("test_*.py")):
        found.append(f"step 6: no tests of its rules in {folder.name}/")
    return found


def _package(game: AnyGame) -> str:
    return type(game).__module__.rpartition(".")[0]


def _states(game: AnyGame) -> Iterator[tuple[Variant, Random]]:
    for variant in variants_of(game):
        yield variant, Random(str(variant))


def _rules(game: AnyGame) -> Iterator[str]:
    book = resources.files(_package(game)).joinpath("RULES.md")
    if not book.is_file() or not book.read_text("utf-8").strip():
        yield f"the package {_package(game)} has no RULES.md"
    for variant, _ in _states(game):
        simulate_game(game, variant.options, variant.seats, "steps", "match")


def _codec(game: AnyGame) -> Iterator[str]:
    codec = codec_of(game.name)
    for variant, rng in _states(game):
        state = variant.new("steps")
        encoder = codec.encoder(state)
        rules = pb.Rules(seats=variant.seats)
        encoder.fill_rules(rules)
        if (rules.other.game or rules.WhichOneof("game")) != game.name:
            yield f"the rules of {variant} do not name the game"
        setup = encoder.setup()
        while (seat := state.to_move) is not None:
            legal, position, events = encoder.legal(), encoder.position(seat), encoder.unseen_events(seat)
            if codec.reader(rules, seat, 0, setup).turn(legal, position, events).view != state.view(seat):
                yield f"the view that a bot reads in {variant} is not the view that was sent"
                break
            message = pb.PlayResponse()
            codec.version1.add_turn(message, variant.seats, TurnEntry(1, 1, legal, position, events, 0))
            if len(message.mantis_turns) + len(message.tentagram_turns) + len(message.game_turns) != 1:
                yield f"a turn of {variant} is missing in version 1 of the protocol"
                break
            action = rng.choice(state.legal())
            if codec.codes.action_of[codec.codes.code_of[action]] is not action:
                yield f"the code of `{action}` does not stand for it"
            encoder.record(state.apply(action))
            for other in range(variant.seats):  # a reader that starts anew gets all events
                encoder.forget(other)


def _words(game: AnyGame) -> Iterator[str]:
    words = words_of(game.name)
    for variant, rng in _states(game):
        names = [f"bot {seat}" for seat in range(variant.seats)]
        state = variant.new("steps")
        while (seat := state.to_move) is not None:
            view = state.view(seat)
            for action in view.legal:
                if words.choice(view, action, names, hints=True)["action"] != str(action):
                    yield f"the choice of `{action}` does not carry its notation"
            state.apply(rng.choice(state.legal()))
        if not all(words.score(state.result(), seat) for seat in range(variant.seats)):
            yield "a seat's score is empty"
        if not words.how_to_play(variant.seats, variant.options):
            yield "how_to_play is empty"


def _profile(game: AnyGame) -> Iterator[str]:
    profile = profile_of(game.name)
    for bracket in Bracket.all_of(game):
        if tuple(value for _, value in bracket.options) not in profile.tie_rates:
            yield f"the profile has no tie rate of {bracket.name}: measure it with `python bench/ratings.py --ties`"
    if not any(profile.seats in variant.game.seat_range(**variant.options) for variant, _ in _states(game)):
        yield f"the game is never played with the profile's {profile.seats} seats"
    state = next(variants_of(game)).new("steps")
    if profile.playout(profile.draw(state, None, Random(1))(), Random(1)) <= 0:
        yield "the playout plays nothing"


def _painters(game: AnyGame) -> Iterator[str]:
    """Plain boards do for every game; what is drawn must not fail."""
    painter, frames = painter_of(game.name), frames_of(game.name)
    for variant, rng in _states(game):
        names = [f"bot {seat}" for seat in range(variant.seats)]
        state = variant.new("steps")
        while state.to_move is not None:
            painter.draw(state, names, seen_by=0)
            frames.frame(state, 0)
            for event in state.apply(rng.choice(state.legal())):
                if not painter.describe(event, state, names):
                    yield f"the painter has no words for {event!r}"
        painter.draw(state, names)
        frames.frame(state)
