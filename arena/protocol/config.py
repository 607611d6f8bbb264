"""The policy numbers of the protocol package."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProtocolConfig:
    """When turns are sent, and how much useless traffic a bot may cause."""

    batch_ms: float = 5.0
    """A batch has as many turns as the bot answers in this time. Its time may be shared: that keeps clocks exact."""
    first_batch: int = 4
    """Turns in a bot's first batch, before its speed is known."""
    largest_batch: int = 512
    unmeasured_batch: int = 128
    """Turns in a batch of a bot whose CPU time is not measured: wall time says more about the machine than about it."""
    remote_batch: int = 32
    """Turns that are sent to a remote bot even while it thinks, because the network takes its time."""
    ready_share: float = 0.75
    """An idle bot gets its turns at once when this share of its matches waits for it."""
    hold_seconds: float = 0.002
    """How long turns of an idle bot are held back at most. Longer makes fewer, larger messages and idle cores."""
    message_seconds: float = 0.001
    """What a message takes, roughly: turns are held back for longer where there are many bots."""
    pace_share: float = 0.25
    """The weight of a message in the estimate of the bot's speed."""
    max_strays: int = 1000
    """Answers that were not asked for, and empty messages, before a bot is disconnected."""


CONFIG = ProtocolConfig()
