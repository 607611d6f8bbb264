"""Hosts that are network namespaces on a bridge: links can be cut or degraded without notice. Needs root."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.cli import ROOT
from tests.tournament.runners.dask.wire import finish_frames

SUBNET = "10.213.7"


def ip(*words: str, check: bool = True) -> None:
    done = subprocess.run(("ip", *words), check=False, capture_output=True, text=True)
    assert done.returncode == 0 or not check, f"ip {' '.join(words)}: {done.stderr}"


@dataclass
class BadLine:
    """What was done to a link."""

    way: str
    """By what it is bad: the kernel, or a program of ours."""
    wire: subprocess.Popen[str] | None = None


@dataclass
class Network:
    """The hosts, by name. The number of each is the end of its address."""

    hosts: Mapping[str, int]
    prefix: str = field(default_factory=lambda: f"arena{os.getpid() % 10_000}")
    """Of all that is made, so that several networks do not meet."""
    bad: dict[str, BadLine] = field(default_factory=dict)

    def address(self, host: str) -> str:
        return f"{SUBNET}.{self.hosts[host]}"

    def inside(self, host: str) -> tuple[str, ...]:
        """What stands before a command that is to run on the host."""
        return ("ip", "netns", "exec", self._space(host))

    def cut(self, host: str) -> None:
        ip("link", "set", self._port(host), "down")

    def restore(self, host: str) -> None:
        ip("link", "set", self._port(host), "up")

    def worsen(self, host: str, seconds: float, loss: float) -> str:
        """Makes the host's link late in both directions, and lose a share of what is sent. Returns by what means."""
        netem = ("netem", "delay", f"{round(seconds * 1e6)}us", "loss", f"{loss:.3%}")
        ours = subprocess.run(
            ("tc", "qdisc", "add", "dev", self._port(host), "root", *netem), check=False, capture_output=True
        )
        if ours.returncode == 0:
            theirs = (*self.inside(host), "tc", "qdisc", "add", "dev", "eth0", "root", *netem)
            subprocess.run(theirs, check=True, capture_output=True)
            self.bad[host] = BadLine("tc netem")
        else:
            self.bad[host] = BadLine("a program that passes frames on", self._lay_wire(host, seconds, loss))
        return self.bad[host].way

    def _lay_wire(self, host: str, seconds: float, loss: float) -> subprocess.Popen[str]:
        near, far = self._wire_ends(host)
        ip("link", "add", near, "type", "veth", "peer", "name", far)
        ip("link", "set", self._port(host), "nomaster")
        ip("link", "set", far, "master", self._bridge, "up")
        ip("link", "set", near, "up")
        command = [
            sys.executable,
            "-m",
            "tests.tournament.runners.dask.wire",
            self._port(host),
            near,
            str(seconds),
            str(loss),
        ]
        wire = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert wire.stdout is not None
        assert wire.stdout.readline() == "up\n"
        return wire

    def mend(self, host: str) -> str:
        """The link is good again. Returns what is known of the time when it was not."""
        line = self.bad.pop(host)
        if line.wire is None:
            subprocess.run(("tc", "qdisc", "del", "dev", self._port(host), "root"), check=True)
            subprocess.run((*self.inside(host), "tc", "qdisc", "del", "dev", "eth0", "root"), check=True)
            return ""
        line.wire.terminate()
        output, _ = line.wire.communicate()
        ip("link", "del", self._wire_ends(host)[0])
        ip("link", "set", self._port(host), "master", self._bridge)
        frames, lost = map(int, output.split())
        return f"{frames:,} frames, {lost:,} of them lost"

    @property
    def _bridge(self) -> str:
        return f"{self.prefix}br"

    def _space(self, host: str) -> str:
        return f"{self.prefix}{host}"

    def _port(self, host: str) -> str:
        return f"{self.prefix}v{self.hosts[host]}"

    def _wire_ends(self, host: str) -> tuple[str, str]:
        return f"{self.prefix}w{self.hosts[host]}", f"{self.prefix}x{self.hosts[host]}"

    def _make(self) -> None:
        ip("link", "add", self._bridge, "type", "bridge")
        ip("link", "set", self._bridge, "up")
        for host in self.hosts:
            space, port, inner = self._space(host), self._port(host), f"{self.prefix}e{self.hosts[host]}"
            ip("netns", "add", space)
            ip("link", "add", port, "type", "veth", "peer", "name", inner)
            finish_frames(inner)
            ip("link", "set", inner, "netns", space, "name", "eth0")
            ip("link", "set", port, "master", self._bridge, "up")
            ip("-n", space, "addr", "add", f"{self.address(host)}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
            ip("-n", space, "link", "set", "lo", "up")

    def _remove(self) -> None:
        for host in self.hosts:
            if (line := self.bad.pop(host, None)) is not None and line.wire is not None:
                line.wire.kill()
                line.wire.communicate()
            for link in (*self._wire_ends(host)[:1], self._port(host)):
                ip("link", "del", link, check=False)
            ip("netns", "del", self._space(host), check=False)
        ip("link", "del", self._bridge, check=False)


@contextmanager
def network(hosts: Sequence[str]) -> Iterator[Network]:
    """A host for each name, all on one bridge, as long as the context lasts."""
    made = Network({host: number for number, host in enumerate(hosts, start=1)})
    try:
        made._make()
        yield made
    finally:
        made._remove()
