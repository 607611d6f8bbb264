"""The figures of Kuhn poker: chips are never shared, so there are no ties."""

from __future__ import annotations

from itertools import product

from arena.games.profile import Profile
from tests.games.kuhn.game import ANTES, CARDS

PROFILE = Profile(decisions=1.2, seats=2, tie_rates=dict.fromkeys(product(CARDS, ANTES), 0.005))
