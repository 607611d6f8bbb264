"""The address of a cluster, its certificates, and how to connect to it."""

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
from arena.tournament.config import CONFIG

if TYPE_CHECKING:
    from distributed import Client, Security

CORE = "arena-core"
"""The Dask resource that matches need: a core of a worker."""
DASK_SETTINGS: dict[str, object] = {  # leave the cores to the matches
    "distributed.worker.profile.enabled": False,  # samples all threads a hundred times a second
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.scheduler.active-memory-manager.start": False,  # results are fetched at once
    "distributed.client.scheduler-info-interval": "60s",
    "distributed.scheduler.http.routes": [],  # public even where everything else is encrypted
    "distributed.worker.http.routes": [],
}


@dataclass(frozen=True, slots=True)
class Certificates:
    """The TLS files of one machine of a cluster; all None: the cluster is not encrypted."""

    ca: Path | None = None
    """The certificate of the authority that has signed all others in the cluster."""
    cert: Path | None = None
    key: Path | None = None

    def check(self) -> None:
        """Raise `BadTournament` if files are missing."""
        files = {"--tls-ca": self.ca, "--tls-cert": self.cert, "--tls-key": self.key}
        missing = [option for option, file in files.items() if file is None]
        if missing and len(missing) < len(files):
            raise BadTournament(f"`{'` and `'.join(missing)}` is missing: TLS needs all three files.")
        for option, file in files.items():
            if file is not None and not file.is_file():
                raise BadTournament(f"`{option} {file}`: no such file.")

    def security(self) -> Security | None:
        """Return Dask's settings: the same certificate for every role, and each peer must present one."""
        if self.ca is None:
            return None
        from distributed import Security

        roles = ("client", "scheduler", "worker")
        files = (("cert", self.cert), ("key", self.key))
        pairs = {f"tls_{role}_{part}": str(file) for role in roles for part, file in files}
        return Security(tls_ca_file=str(self.ca), require_encryption=True, **pairs)


@dataclass(frozen=True, slots=True)
class ClusterLink:
    """The way to a scheduler."""

    address: str
    certificates: Certificates = Certificates()

    @property
    def host_and_port(self) -> tuple[str, int]:
        host, _, port = self.address.partition("://")[2].rpartition(":")
        return host.strip("[]"), int(port)

    def check(self) -> None:
        """Raise `BadTournament` if the address or the certificates are invalid."""
        require_distributed()
        if not re.fullmatch(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[^\s:/@]+):[0-9]{1,5}", self.address):
            expected = "expected `tcp://HOST:PORT` or `tls://HOST:PORT`"
            raise BadTournament(f"Invalid address of a cluster `{self.address}`: {expected}.")
        self.certificates.check()
        if (self.certificates.ca is not None) != self.address.startswith("tls://"):
            raise BadTournament(
                f"`{self.address}` and the certificates do not match: an address with `tls://` needs `--tls-ca`, "
                "`--tls-cert` and `--tls-key`, and one with `tcp://` takes none."
            )

    def connect(self, timeout: float = CONFIG.connect_timeout) -> Client:
        """Return a client of the cluster. Raise `HostFault` if the scheduler does not answer."""
        from distributed import Client

        configure_dask()
        self._check_handshake(timeout)
        security = self.certificates.security()
        try:
            return Client(self.address, security=security, timeout=timeout, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise HostFault(
                f"No scheduler answers at `{self.address}`: it does not run, a firewall is in between, or the two "
                "sides do not have certificates of the same authority.",
                hint="Run `arena cluster scheduler` there.",
            ) from error

    def _check_handshake(self, timeout: float) -> None:
        """Raise `HostFault` if certificates are refused: Dask's client would retry without giving the reason."""
        certificates = self.certificates
        if certificates.ca is None:
            return
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=certificates.ca)
        context.check_hostname = False  # as in Dask, only the authority counts
        try:
            context.load_cert_chain(str(certificates.cert), str(certificates.key))
            with (
                socket.create_connection(self.host_and_port, timeout) as plain,
                context.wrap_socket(plain) as encrypted,
            ):
                encrypted.recv(1)  # only here the scheduler says that it does not accept our certificate
        except ssl.SSLError as error:
            raise HostFault(
                f"The certificates are refused, here or by the scheduler at `{self.address}`: both sides need one of "
                f"the same authority that has not expired ({error.reason or error})."
            ) from error
        except OSError:
            return  # the client reports it


def require_distributed() -> None:
    """Raise `BadTournament` if Dask is not installed."""
    if importlib.util.find_spec("distributed") is None:
        raise BadTournament("Clusters need Dask, which is not installed.", hint="Run `pip install 'arena[cluster]'`.")


def configure_dask() -> None:
    """Set Dask's options and silence its logs: the runner has messages for the user. Call it before using Dask."""
    import dask

    dask.config.set(DASK_SETTINGS)
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
