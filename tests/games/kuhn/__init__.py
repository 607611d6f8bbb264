"""Kuhn poker: a third game, added by the steps in CONTRIBUTING.md and by nothing else."""

from tests.games.kuhn.game import Kuhn

GAME = Kuhn()
