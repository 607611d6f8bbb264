"""Where a cluster is, and how it is reached."""

from __future__ import annotations

import importlib.util
import logging
import re
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import BadTournament, HostFault

if TYPE_CHECKING:
    from distributed import Client, Security

CORE = "arena-core"
"""The Dask resource that matches need: a core of a worker that nobody else uses meanwhile."""
CONNECT_WITHIN = 10.0
"""Seconds in which a scheduler must answer."""
SPARING: dict[str, object] = {
    "distributed.worker.profile.enabled": False,  # looks at all threads a hundred times a second
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.scheduler.active-memory-manager.start": False,  # results are fetched at once
    "distributed.client.scheduler-info-interval": "60s",
    "distributed.scheduler.http.routes": [],  # pages about the cluster, for anybody, even where all else is encrypted
    "distributed.worker.http.routes": [],
}
"""What Dask is told not to do, or more seldom: the cores are for matches, and nobody asked for pages."""
NO_PAGES = "127.0.0.1:0"
"""Where Dask's web server listens, which cannot be left out."""
ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[^\s:/@]+):[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Link:
    """The way to a scheduler."""

    address: str
    ca: Path | None = None
    """The certificate by which all others in the cluster are known."""
    cert: Path | None = None
    key: Path | None = None

    @property
    def is_encrypted(self) -> bool:
        return self.ca is not None

    def check(self) -> None:
        """Raises where nothing can be reached like this."""
        require_distributed()
        if not ADDRESS.fullmatch(self.address):
            raise BadTournament(
                f"{self.address!r} is no address of a cluster: write tcp://HOST:8786 or tls://HOST:8786."
            )
        check_certificates(self.ca, self.cert, self.key)
        if self.is_encrypted != self.address.startswith("tls://"):
            raise BadTournament(
                f"{self.address} and the certificates do not fit: an address with tls:// needs --tls-ca, --tls-cert "
                "and --tls-key, and one with tcp:// takes none."
            )

    def security(self) -> Security | None:
        """What Dask needs to know about certificates; None: the link is open to everybody."""
        return security(self.ca, self.cert, self.key)

    def connect(self, timeout: float = CONNECT_WITHIN) -> Client:
        """A client of the cluster. Raises HostFault where the scheduler does not answer."""
        from distributed import Client

        keep_quiet()
        spare_the_cores()
        self._knock(timeout)
        try:
            return Client(self.address, security=self.security(), timeout=timeout, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise HostFault(
                f"no scheduler answers at {self.address}: see that it runs there (arena cluster scheduler), that "
                "nothing lies between, and that both sides have certificates of the same authority, or none."
            ) from error

    def _knock(self, timeout: float) -> None:
        """Raises where certificates are refused: a client of Dask would try again and again, and not say why."""
        if not self.is_encrypted:
            return
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=self.ca)
        context.check_hostname = False  # all that counts is the authority, as among Dask's own
        host, _, port = self.address.partition("://")[2].rpartition(":")
        try:
            context.load_cert_chain(str(self.cert), str(self.key))
            with (
                socket.create_connection((host.strip("[]"), int(port)), timeout) as plain,
                context.wrap_socket(plain) as encrypted,
            ):
                encrypted.recv(1)  # a scheduler speaks first, and only here says that it does not accept ours
        except ssl.SSLError as error:
            raise HostFault(
                f"the certificates are refused by us or by the scheduler at {self.address}: both sides need one of the "
                f"same authority that has not expired ({error.reason or error})."
            ) from error
        except OSError:
            return  # nobody is there: the client will say so


def require_distributed() -> None:
    """Raises where the extra is not installed."""
    if importlib.util.find_spec("distributed") is None:
        raise BadTournament("clusters need Dask, which is not installed: pip install 'arena[cluster]'")


def check_certificates(ca: Path | None, cert: Path | None, key: Path | None) -> None:
    """Raises where some are missing: with only a part of them nothing would be encrypted, or nobody known."""
    files = {"--tls-ca": ca, "--tls-cert": cert, "--tls-key": key}
    missing = [option for option, file in files.items() if file is None]
    if missing and len(missing) < len(files):
        raise BadTournament(f"{' and '.join(missing)} is missing: certificates come as three files.")
    for option, file in files.items():
        if file is not None and not file.is_file():
            raise BadTournament(f"{option} {file}: there is no such file.")


def security(ca: Path | None, cert: Path | None, key: Path | None) -> Security | None:
    """The same certificate for whatever this process is in the cluster; everybody must show one."""
    if ca is None:
        return None
    from distributed import Security

    roles = ("client", "scheduler", "worker")
    pairs = {f"tls_{role}_{part}": str(file) for role in roles for part, file in (("cert", cert), ("key", key))}
    return Security(tls_ca_file=str(ca), require_encryption=True, **pairs)


def spare_the_cores() -> None:
    """To be called before anything of Dask is made."""
    import dask

    dask.config.set(SPARING)


def keep_quiet() -> None:
    """Dask tells its log all that we tell the user in sentences."""
    for name in [
        name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("distributed", "tornado")
    ]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
