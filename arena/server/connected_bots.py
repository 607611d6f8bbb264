"""The remote bots that are connected, or may still reconnect: joining, leaving, clocks and tokens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection

from anyio import to_thread

from arena.protocol.batching import Batching
from arena.protocol.config import CONFIG as PROTOCOL_CONFIG
from arena.server.config import ServerConfig
from arena.server.log import log_event
from arena.server.recording import StoreHealth
from arena.server.remote_bot import RemoteBot


class ConnectedBots:
    """The bots by their version in the store."""

    def __init__(self, config: ServerConfig, batching: Batching, left: Callable[[int], None]) -> None:
        """`left` is called with the version of a bot that has left."""
        self.config = config
        self.batching = batching
        self.closing = False
        """Whether the server shuts down, so that no bot can reconnect."""
        self.changed = asyncio.Event()
        """Set when a bot may be free for another match."""
        self._left = left
        self._bots: dict[int, RemoteBot] = {}

    def all(self) -> Collection[RemoteBot]:
        return self._bots.values()

    def get(self, version: int) -> RemoteBot | None:
        return self._bots.get(version)

    def join(self, bot: RemoteBot) -> None:
        """Add a bot. It replaces an earlier connection of the same bot, and takes its seats."""
        version = bot.entrant.version_id
        if before := self._bots.get(version):
            bot.take_over(before)
            before.remove("The bot has opened another connection, and only the latest one counts.")
            log_event("bot.reconnected", bot=bot.entrant.label, seats=len(bot.session.seats))
        self._bots[version] = bot
        self.changed.set()

    def stream_ended(self, bot: RemoteBot) -> None:
        """Remove a bot whose stream has ended, unless it has matches to which it may reconnect."""
        version = bot.entrant.version_id
        if bot.is_disconnected and bot.playing and not bot.dead and not self.closing:
            log_event("bot.disconnected", bot=bot.entrant.label, seats=len(bot.session.seats))
            return
        log_event("bot.left", bot=bot.entrant.label, user=bot.token.user)
        bot.leave()
        if self._bots.get(version) is bot:
            del self._bots[version]
            self._left(version)

    def close(self) -> None:
        """End every stream in order."""
        for bot in list(self._bots.values()):
            bot.leave()

    async def watch_clocks(self) -> None:
        """Check clocks and links until cancelled."""
        last_probe = 0.0
        while True:
            await asyncio.sleep(self.config.clock_interval)
            bots = list(self._bots.values())
            if time.monotonic() - last_probe > self.config.link_interval:
                last_probe = time.monotonic()
                for bot in bots:
                    bot.probe()
                self.batching.hold_seconds = max(PROTOCOL_CONFIG.hold_seconds, self.config.message_cost * len(bots))
                self.changed.set()  # a bot may be reachable again
            for bot in bots:
                if not bot.dead:
                    bot.check_time()
                if bot.dead and bot.is_disconnected:  # its stream ended earlier
                    self.stream_ended(bot)

    async def watch_tokens(self, valid_tokens: Callable[[], set[int]], store: StoreHealth) -> None:
        """Remove bots whose token is no longer valid, until cancelled."""
        while True:
            await asyncio.sleep(self.config.token_interval)
            bots = list(self._bots.values())  # without those that join during the query, perhaps with a newer token
            try:
                valid = await to_thread.run_sync(valid_tokens)
            except Exception as error:  # noqa: BLE001, the next query may succeed
                store.failed(error)
                continue
            for bot in bots:
                if bot.token.id not in valid and not bot.dead:
                    why = "Its token has expired or was revoked."
                    log_event("bot.removed", bot=bot.entrant.label, why=why)
                    bot.remove(why)
