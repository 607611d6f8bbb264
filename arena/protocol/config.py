"""The policy numbers of the protocol package."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProtocolConfig:
    """When turns are sent, and how much useless traffic a bot may cause."""

    batches_in_flight: int = 2
    """Unanswered batches per bot. With one, all its matches would wait for the slowest."""
    full_batch: int = 32
    """Turns that are sent even to a bot that is thinking. Fewer wait: a message costs as much as many turns."""
    ready_share: float = 0.75
    """An idle bot gets its turns at once when this share of its matches waits for it,"""
    ready_turns: int = 64
    """or when this number of turns waits."""
    hold_seconds: float = 0.002
    """How long turns of an idle bot are held back at most. Longer makes fewer, larger messages and idle cores."""
    max_strays: int = 1000
    """Answers that were not asked for, and empty messages, before a bot is disconnected."""


CONFIG = ProtocolConfig()
