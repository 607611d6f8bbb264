"""Other bytes bred from real ones: changed, cut, repeated and spliced."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

MOST_EDITS = 6
MOST_BYTES = 24


def mutate(seeds: Sequence[bytes], rng: Random) -> bytes:
    """One of the seeds with a few edits, each at a place of its own."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.randint(1, MOST_EDITS)):
        start = rng.randint(0, len(data))
        end = start + rng.randint(0, MOST_BYTES)
        match rng.randrange(5):
            case 0:
                data[start : start + 1] = rng.randbytes(1)
            case 1:
                del data[start:end]
            case 2:
                data[start:start] = data[start:end]
            case 3:
                data[start:end] = rng.randbytes(rng.randint(0, MOST_BYTES))
            case _:
                other = rng.choice(seeds)
                place = rng.randint(0, len(other))
                data[start:] = other[place:]
    return bytes(data)


def mutated(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    return st.randoms(use_true_random=False).map(lambda rng: mutate(seeds, rng))
