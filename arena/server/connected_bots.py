"""The remote bots that are connected, or may still reconnect: joining, leaving, clocks and tokens."""

from __future__ import annotations

import asyncio
import time

from anyio import to_thread

from arena.protocol.batching import Batching
from arena.protocol.config import CONFIG as PROTOCOL_CONFIG
from arena.server.config import ServerConfig
from arena.server.ladder_record import LadderRecord
from arena.server.log import log_event
from arena.server.remote_bot import RemoteBot


class ConnectedBots:
    """The bots of a server."""

    def __init__(self, config: ServerConfig, batching: Batching) -> None:
        self.config = config
        self.batching = batching
        self.closing = False
        """Whether the server shuts down, so that no bot can reconnect."""
        self.changed = asyncio.Event()
        """Set when a bot may be free for another match."""
        self.by_version: dict[int, RemoteBot] = {}

    def join(self, bot: RemoteBot) -> None:
        """Add a bot. It replaces an earlier connection of the same bot, and takes its seats."""
        version = bot.entrant.version_id
        if before := self.by_version.get(version):
            bot.take_over(before)
            before.remove("The bot has opened another connection, and only the latest one counts.")
            log_event("bot.reconnected", bot=bot.entrant.label, seats=len(bot.session.seats))
        self.by_version[version] = bot
        self.changed.set()

    def stream_ended(self, bot: RemoteBot) -> None:
        """Remove a bot whose stream has ended, unless it has matches to which it may reconnect."""
        if bot.is_disconnected and bot.playing and not bot.dead and not self.closing:
            log_event("bot.disconnected", bot=bot.entrant.label, seats=len(bot.session.seats))
            return
        log_event("bot.left", bot=bot.entrant.label, user=bot.token.user)
        bot.leave()
        if self.by_version.get(bot.entrant.version_id) is bot:
            del self.by_version[bot.entrant.version_id]

    def close(self) -> None:
        """End every stream in order."""
        for bot in list(self.by_version.values()):
            bot.leave()

    async def watch_clocks(self) -> None:
        """Check clocks and links until cancelled."""
        last_probe = 0.0
        while True:
            await asyncio.sleep(self.config.clock_interval)
            bots = list(self.by_version.values())
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

    async def watch_tokens(self, record: LadderRecord) -> None:
        """Remove bots whose token is no longer valid, until cancelled."""
        while True:
            await asyncio.sleep(self.config.token_interval)
            bots = list(self.by_version.values())  # not those that join during the query, perhaps with a newer token
            try:
                valid = await to_thread.run_sync(record.store.tokens.valid)
            except Exception as error:  # noqa: BLE001, the next query may succeed
                record.log_failure(error)
                continue
            for bot in bots:
                if bot.token.id not in valid and not bot.dead:
                    why = "Its token has expired or was revoked."
                    log_event("bot.removed", bot=bot.entrant.label, why=why)
                    bot.remove(why)
