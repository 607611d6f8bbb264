"""Fields of entrants for the formats, as Hypothesis strategies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from hypothesis import strategies as st

from arena.tournament.formats.base import Field, Format, Pairing, PairingResult, Round

Points = Callable[[Pairing], Sequence[float]]


def by_strength(pairing: Pairing) -> list[float]:
    """The entrant with the higher number is placed before the others, always."""
    return shares([float(entrant) for entrant in pairing.entrants])


def all_tied(pairing: Pairing) -> list[float]:
    return [0.5] * len(pairing.entrants)


def mostly_by_strength(seed: int) -> Points:
    rng = Random(seed)
    return lambda pairing: shares([entrant + rng.gauss(0, 4) for entrant in pairing.entrants])


def with_many_ties(seed: int) -> Points:
    rng = Random(seed)
    return lambda pairing: shares([float(rng.randrange(2)) for _ in pairing.entrants])


def shares(values: Sequence[float]) -> list[float]:
    beaten = [sum(1 if own > other else 0.5 if own == other else 0 for other in values) - 0.5 for own in values]
    return [count / (len(values) - 1) for count in beaten]


def newcomer(entrant: int) -> tuple[float, float]:
    del entrant
    return 25.0, 25 / 3


def play(drawn_by: Format, points: Points, most_rounds: int = 200) -> list[Round]:
    """Plays to the end, or so many rounds."""
    rounds: list[Round] = []
    while len(rounds) < most_rounds and (drawn := drawn_by.next_round(newcomer)) is not None:
        check(drawn_by, drawn)
        rounds.append(drawn)
        drawn_by.record([PairingResult(pairing, tuple(points(pairing))) for pairing in drawn.pairings])
    return rounds


def check(drawn_by: Format, drawn: Round) -> None:
    """What holds for the rounds of all formats."""
    field = drawn_by.field
    assert drawn.pairings
    assert drawn.title
    for pairing in drawn.pairings:
        assert field.fewest <= len(pairing.entrants) <= field.seats
        assert len(set(pairing.entrants)) == len(pairing.entrants)
        assert set(pairing.entrants) <= set(range(field.size))
        assert len(pairing.deals) == drawn_by.deals
    assert len({pairing.deals for pairing in drawn.pairings}) == 1, "the same deals at all tables of a round"
    if drawn_by.waits:
        seated = [entrant for pairing in drawn.pairings for entrant in pairing.entrants]
        assert len(set(seated)) == len(seated), "nobody sits twice in a round"


def a_field(size: int, seats: int, fewest: int = 2, seed: str = "seed") -> Field:
    return Field(size, min(size, seats), fewest, seed)


@st.composite
def fields(draw: st.DrawFn, largest: int = 40) -> Field:
    fewest = draw(st.sampled_from([2, 2, 3, 4]))
    seats = draw(st.integers(fewest, 6))
    return a_field(draw(st.integers(fewest, largest)), seats, fewest, draw(st.sampled_from(["a", "b", "c"])))


results = st.one_of(
    st.just(by_strength),
    st.just(all_tied),
    st.integers(0, 99).map(mostly_by_strength),
    st.integers(0, 99).map(with_many_ties),
)
