"""How to connect to a cluster: check its address and certificates, and configure Dask."""

from __future__ import annotations

import importlib.util
import logging
import re
import socket
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import BadTournament, HostFault
from arena.requests import ClusterAddress
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


def check_cluster(cluster: ClusterAddress) -> None:
    """Raise `BadTournament` if the address or the certificates are invalid."""
    require_distributed()
    if not re.fullmatch(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[^\s:/@]+):[0-9]{1,5}", cluster.address):
        expected = "expected `tcp://HOST:PORT` or `tls://HOST:PORT`"
        raise BadTournament(f"Invalid address of a cluster `{cluster.address}`: {expected}.")
    check_certificates(cluster)
    if (cluster.ca is not None) != cluster.address.startswith("tls://"):
        raise BadTournament(
            f"`{cluster.address}` and the certificates do not match: an address with `tls://` needs `--tls-ca`, "
            "`--tls-cert` and `--tls-key`, and one with `tcp://` takes none."
        )


def check_certificates(cluster: ClusterAddress) -> None:
    """Raise `BadTournament` if files are missing."""
    files = {"--tls-ca": cluster.ca, "--tls-cert": cluster.cert, "--tls-key": cluster.key}
    missing = [option for option, file in files.items() if file is None]
    if missing and len(missing) < len(files):
        raise BadTournament(f"`{'` and `'.join(missing)}` is missing: TLS needs all three files.")
    for option, file in files.items():
        if file is not None and not Path(file).is_file():
            raise BadTournament(f"`{option} {file}`: no such file.")


def host_and_port(cluster: ClusterAddress) -> tuple[str, int]:
    """Return the parts of the address."""
    host, _, port = cluster.address.partition("://")[2].rpartition(":")
    return host.strip("[]"), int(port)


def security(cluster: ClusterAddress) -> Security | None:
    """Return Dask's settings: the same certificate for every role, and each peer must present one."""
    if cluster.ca is None:
        return None
    from distributed import Security

    roles = ("client", "scheduler", "worker")
    files = (("cert", cluster.cert), ("key", cluster.key))
    pairs = {f"tls_{role}_{part}": file for role in roles for part, file in files}
    return Security(tls_ca_file=cluster.ca, require_encryption=True, **pairs)


def connect(cluster: ClusterAddress, timeout: float = CONFIG.connect_timeout) -> Client:
    """Return a client of the cluster. Raise `HostFault` if the scheduler does not answer."""
    from distributed import Client

    configure_dask()
    _check_handshake(cluster, timeout)
    try:
        return Client(cluster.address, security=security(cluster), timeout=timeout, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise HostFault(
            f"No scheduler answers at `{cluster.address}`: it does not run, a firewall is in between, or the two "
            "sides do not have certificates of the same authority.",
            hint="Run `arena cluster scheduler` there.",
        ) from error


def _check_handshake(cluster: ClusterAddress, timeout: float) -> None:
    """Raise `HostFault` if certificates are refused: Dask's client would retry without giving the reason."""
    if cluster.ca is None:
        return
    context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=cluster.ca)
    context.check_hostname = False  # as in Dask, only the authority counts
    try:
        context.load_cert_chain(str(cluster.cert), cluster.key)
        with (
            socket.create_connection(host_and_port(cluster), timeout) as plain,
            context.wrap_socket(plain) as encrypted,
        ):
            encrypted.recv(1)  # only here the scheduler says that it does not accept our certificate
    except ssl.SSLError as error:
        raise HostFault(
            f"The certificates are refused, here or by the scheduler at `{cluster.address}`: both sides need one of "
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
