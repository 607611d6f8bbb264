"""The state of the network link to a remote bot: pure, without clock or I/O.

Rules:
1. A link is CONNECTED from the bot's hello until packets are lost or the stream ends.
2. While packets are lost the link is UNREACHABLE: the stream is open, but nothing arrives, and no clock runs.
3. When packets arrive again the link is RECOVERING. The bot's messages may still be on their way, because its machine
   repeats lost packets at growing intervals, so the clocks still stand. The link is CONNECTED as soon as data has
   arrived that was sent after the loss, or after as long again as packets were lost.
4. A message of the bot makes the link CONNECTED at once.
5. When the stream ends the link is DISCONNECTED, until the same bot opens another stream.
6. An absence is the time in any other state than CONNECTED; it starts when the bot was last heard. It uses up grace.
   Grace is regained slowly while CONNECTED, up to a maximum. An absence longer than the grace ends the bot's matches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from arena.server.config import ServerConfig


class LinkState(Enum):
    """See the rules above."""

    CONNECTED = auto()
    UNREACHABLE = auto()
    RECOVERING = auto()
    DISCONNECTED = auto()


class LinkEvent(Enum):
    """What happens to a link. `silence` is the argument of `Link.after`."""

    PACKETS_LOST = auto()
    """`silence`: seconds since anything arrived."""
    PACKETS_ARRIVE = auto()
    """`silence`: seconds since data arrived."""
    MESSAGE = auto()
    STREAM_ENDED = auto()


@dataclass(frozen=True, slots=True)
class Link:
    """A state and what belongs to it."""

    config: ServerConfig
    since: float
    """CONNECTED: since when. In every other state: when the bot was last heard."""
    grace_left: float
    """At `since`; in other states than CONNECTED the length of the absence that ends the bot's matches."""
    state: LinkState = LinkState.CONNECTED
    recovering_since: float = 0.0

    @property
    def is_connected(self) -> bool:
        return self.state is LinkState.CONNECTED

    def grace_at(self, now: float) -> float:
        """Return the grace that is left now."""
        if self.is_connected:
            return min(self.config.grace, self.grace_left + (now - self.since) * self.config.grace_regained)
        return max(0.0, self.grace_left - self.absence(now))

    def absence(self, now: float) -> float:
        """Return the seconds of the absence so far; 0 while connected."""
        return 0.0 if self.is_connected else max(0.0, now - self.since)

    def is_expired(self, now: float) -> bool:
        return self.absence(now) > self.grace_left

    def after(self, event: LinkEvent, now: float, silence: float = 0.0) -> Link:
        """Return the link after an event."""
        match self.state, event:
            case LinkState.CONNECTED, LinkEvent.PACKETS_LOST:
                return self._absent(LinkState.UNREACHABLE, now, now - silence)
            case LinkState.CONNECTED, LinkEvent.STREAM_ENDED:
                return self._absent(LinkState.DISCONNECTED, now, now)
            case ((LinkState.UNREACHABLE | LinkState.RECOVERING), LinkEvent.STREAM_ENDED):
                return replace(self, state=LinkState.DISCONNECTED)
            case ((LinkState.UNREACHABLE | LinkState.RECOVERING), LinkEvent.MESSAGE):
                return self.reconnected(now)
            case LinkState.RECOVERING, LinkEvent.PACKETS_LOST:
                return replace(self, state=LinkState.UNREACHABLE)
            case LinkState.UNREACHABLE, LinkEvent.PACKETS_ARRIVE:
                if now - silence > self.since:
                    return self.reconnected(now)
                return replace(self, state=LinkState.RECOVERING, recovering_since=now)
            case LinkState.RECOVERING, LinkEvent.PACKETS_ARRIVE:
                lost_for = self.recovering_since - self.since
                if now - silence > self.since or now - self.recovering_since > lost_for:
                    return self.reconnected(now)
        return self

    def reconnected(self, now: float) -> Link:
        """Return a connected link with the grace that this one has left."""
        return replace(self, state=LinkState.CONNECTED, since=now, grace_left=self.grace_at(now))

    def _absent(self, state: LinkState, now: float, since: float) -> Link:
        return replace(self, state=state, since=since, grace_left=self.grace_at(now))
