"""The states of the link to a remote bot, by the numbered rules in arena/server/link.py."""

from __future__ import annotations

import pytest

from arena.server.config import ServerConfig
from arena.server.link import Link, LinkEvent, LinkState

CONFIG = ServerConfig(grace=20.0, grace_regained=0.1)
CONNECTED = Link(CONFIG, 1000.0, 20.0)
EVENTS = list(LinkEvent)


def lost(now: float = 1005.0, silence: float = 2.0) -> Link:
    return CONNECTED.after(LinkEvent.PACKETS_LOST, now, silence)


def test_2_lost_packets_make_the_link_unreachable_since_the_bot_was_last_heard() -> None:
    assert lost() == Link(CONFIG, 1003.0, 20.0, LinkState.UNREACHABLE)
    assert lost().after(LinkEvent.PACKETS_LOST, 1010.0, 7.0) == lost()


def test_3_new_data_ends_the_loss_at_once() -> None:
    assert lost().after(LinkEvent.PACKETS_ARRIVE, 1010.0, 1.0).is_connected


def test_3_acknowledgements_alone_end_the_loss_after_as_long_again() -> None:
    recovering = lost().after(LinkEvent.PACKETS_ARRIVE, 1010.0, 60.0)
    assert recovering.state is LinkState.RECOVERING
    assert recovering.after(LinkEvent.PACKETS_ARRIVE, 1017.0, 60.0) == recovering
    assert recovering.after(LinkEvent.PACKETS_ARRIVE, 1017.1, 60.0).is_connected
    assert recovering.after(LinkEvent.PACKETS_LOST, 1012.0).state is LinkState.UNREACHABLE


def test_4_a_message_ends_the_loss_at_once() -> None:
    connected = lost().after(LinkEvent.MESSAGE, 1010.0)
    assert (connected.state, connected.since, connected.grace_left) == (LinkState.CONNECTED, 1010.0, 13.0)
    assert CONNECTED.after(LinkEvent.MESSAGE, 1001.0) == CONNECTED


@pytest.mark.parametrize("event", EVENTS)
def test_5_a_stream_that_has_ended_stays_ended(event: LinkEvent) -> None:
    ended = CONNECTED.after(LinkEvent.STREAM_ENDED, 1001.0)
    assert ended == Link(CONFIG, 1001.0, 20.0, LinkState.DISCONNECTED)
    assert ended.after(event, 1002.0, 0.5) == ended
    assert lost().after(LinkEvent.STREAM_ENDED, 1010.0).since == 1003.0


def test_6_an_absence_uses_up_grace_which_is_regained_slowly() -> None:
    ended = CONNECTED.after(LinkEvent.STREAM_ENDED, 1001.0)
    assert not ended.is_expired(1021.0)
    assert ended.is_expired(1021.1)
    again = ended.reconnected(1016.0)
    assert again.grace_left == 5.0
    assert again.grace_at(1066.0) == 10.0
    assert again.grace_at(9999.0) == 20.0
