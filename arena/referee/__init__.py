"""Matches between bot processes over gRPC."""

from arena.referee.match import Limits, MatchPlan, Outcome
from arena.referee.programs import Program, find_program
from arena.referee.referee import Referee, Settings

__all__ = ["Limits", "MatchPlan", "Outcome", "Program", "Referee", "Settings", "find_program"]
