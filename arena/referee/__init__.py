"""Matches between bot processes over gRPC."""

from arena.referee.config import Settings
from arena.referee.launch import Launch
from arena.referee.match import Limits, MatchPlan, Outcome
from arena.referee.referee import Referee

__all__ = ["Launch", "Limits", "MatchPlan", "Outcome", "Referee", "Settings"]
