"""Server-sent events: browsers receive changed parts of a page as soon as the store has them.

A topic is what one kind of page shows. Its messages are rendered once and sent to all its subscribers; nothing is
rendered, and the store is not polled, without subscribers. Back-pressure: for each message name only the latest
message waits for a slow browser.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import resource
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from anyio import to_thread
from starlette.responses import StreamingResponse

from arena.errors import ArenaError
from arena.games.base import Json
from arena.web.config import CONFIG
from arena.web.errors import ServerBusy

log = logging.getLogger("arena.web")


Messages = Mapping[str, Json]
"""Content by message name, which is the name of a part of the page."""


@dataclass(eq=False)
class Subscriber:
    """A browser with an open event stream."""

    waiting: dict[str, bytes] = field(default_factory=dict)
    """Encoded messages that were not sent yet, by key."""
    has_messages: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, key: str, message: bytes) -> None:
        self.waiting.pop(key, None)  # a message that replaces another one goes to the end of the queue
        self.waiting[key] = message
        self.has_messages.set()

    async def next_chunk(self) -> bytes:
        """Wait for messages and return them; a comment if there are none for a while."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.has_messages.wait(), CONFIG.keep_alive_interval)
        self.has_messages.clear()
        messages, self.waiting = self.waiting, {}
        return b"".join(messages.values()) or b": keep-alive\n\n"


class Topic:
    """What one kind of page shows, with its subscribers."""

    def __init__(self, render: Callable[[], Messages] = dict) -> None:
        self.render = render
        self.subscribers: set[Subscriber] = set()
        self._latest: dict[str, bytes] = {}
        """The message last rendered, by name."""

    def welcome(self, subscriber: Subscriber) -> None:
        """Send the current state to a new subscriber."""
        for name, message in self._latest.items():
            subscriber.put(name, message)

    def send(self, key: str, message: bytes) -> None:
        for subscriber in self.subscribers:
            subscriber.put(key, message)

    async def refresh(self) -> None:
        """Render the messages and send those that changed."""
        try:
            rendered = await to_thread.run_sync(self.render)
        except ArenaError:
            self._latest.clear()  # new subscribers must not get outdated messages
            raise
        for name, content in rendered.items():
            message = encode(name, content)
            if self._latest.get(name) != message:
                self._latest[name] = message
                self.send(name, message)


def encode(name: str, content: object) -> bytes:
    """Return the content as an event. JSON has no line breaks, so one data line is enough."""
    return encode_json(name, json.dumps(content, ensure_ascii=False))


def encode_json(name: str, text: str) -> bytes:
    return f"event: {name}\ndata: {text}\n\n".encode()


class EventHub:
    """All topics, refreshed when the store changes."""

    def __init__(self, store_state: Callable[[], int]) -> None:
        """`store_state`: returns a number that differs after every change of the store."""
        self._store_state = store_state
        self._seen: int | None = None
        self._settled_at = math.inf
        self._last_error = ""
        self.topics: dict[Hashable, Topic] = {}
        self._closed = False

    async def run(self) -> None:
        """Poll the store while there are topics."""
        while True:
            await asyncio.sleep(CONFIG.store_poll_interval)
            if not self.topics:
                continue
            try:
                await self._poll()
            except Exception as error:  # the next poll may succeed
                self._seen = None
                if str(error) != self._last_error:
                    unexpected = not isinstance(error, ArenaError)
                    log.error("Pages cannot be updated at the moment: %s", error, exc_info=unexpected)
                self._last_error = str(error)

    async def _poll(self) -> None:
        seen = await to_thread.run_sync(self._store_state)
        now = time.monotonic()
        if seen == self._seen and now < self._settled_at:
            return
        self._settled_at = math.inf if seen == self._seen else now + CONFIG.settle_delay
        for topic in list(self.topics.values()):
            await topic.refresh()
        self._seen = seen
        self._last_error = ""

    async def follow(self, key: Hashable, new_topic: Topic) -> AsyncIterator[bytes]:
        """Yield the current state of the topic, then every change. The first subscriber's `new_topic` is used."""
        topic = self.topics.setdefault(key, new_topic)
        subscriber = Subscriber()
        is_first = not topic.subscribers
        topic.subscribers.add(subscriber)
        try:
            if is_first:
                with suppress(ArenaError):  # the next poll logs it
                    await topic.refresh()
            subscriber.waiting.clear()  # the current state contains it
            topic.welcome(subscriber)
            while not self._closed:
                yield await subscriber.next_chunk()
        finally:
            topic.subscribers.discard(subscriber)
            if not topic.subscribers and self.topics.get(key) is topic:
                del self.topics[key]

    def close(self) -> None:
        """End all streams, because the server shuts down."""
        self._closed = True
        for topic in self.topics.values():
            for subscriber in topic.subscribers:
                subscriber.has_messages.set()

    def response(self, key: Hashable, new_topic: Topic) -> StreamingResponse:
        """Return the event stream of a topic. Raise `ServerBusy` if there are too many subscribers or topics."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        limit = min(CONFIG.max_subscribers, max(16, files - CONFIG.reserved_files))
        subscribers = sum(len(topic.subscribers) for topic in self.topics.values())
        if subscribers >= limit or (key not in self.topics and len(self.topics) >= CONFIG.max_topics):
            raise ServerBusy("Too many browsers follow this arena: reload the page from time to time instead.")
        return event_stream(self.follow(key, new_topic))


def event_stream(messages: AsyncIterator[bytes]) -> StreamingResponse:
    """Return a response that stays open. The header asks proxies not to buffer it."""
    return StreamingResponse(messages, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


@asynccontextmanager
async def background(*jobs: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Run the jobs until the block ends."""
    tasks = [asyncio.create_task(job) for job in jobs]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
