"""`arena cluster`: the processes of a cluster that plays tournaments."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.console import err, out, shown
from arena.cli.options import printable
from arena.requests import ClusterAddress
from arena.tournament.runners.dask.link import check_certificates, check_cluster, require_distributed

app = typer.Typer(help="Play tournaments on several machines with Dask: see docs/cluster.md.")

TlsCa = Annotated[
    Path | None,
    typer.Option("--tls-ca", metavar="FILE", help="Certificate of the cluster's certificate authority."),
]
TlsCert = Annotated[Path | None, typer.Option("--tls-cert", metavar="FILE", help="Certificate of this machine.")]
TlsKey = Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Key of that certificate.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="0: any free port.")]


def cluster_address(address: str, *files: Path | None) -> ClusterAddress:
    """Return an address with the files of `--tls-ca`, `--tls-cert` and `--tls-key`."""
    ca, cert, key = (None if file is None else str(file) for file in files)
    return ClusterAddress(address=address, ca=ca, cert=cert, key=key)


@app.command()
def local(
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=256, help="Workers, one core each. Default: one for each core."),
    ] = None,
    port: Port = 8786,
) -> None:
    """Run a cluster on this machine until Ctrl-C, to try it out.

    Example: arena cluster local --workers 2
    """
    require_distributed()
    from arena.tournament.runners.dask.cluster import LocalCluster

    count = workers or len(os.sched_getaffinity(0))
    cluster = LocalCluster(count, port, lambda text: err.print(text, markup=False, soft_wrap=True))
    cluster.run(lambda address: _print_ready("1 worker" if count == 1 else f"{count} workers", address))


def _print_ready(what: str, address: str) -> None:
    out.print(f"{what} at [bold]{shown(address)}[/]", soft_wrap=True)
    err.print(f"Play on it with: arena tournament --cluster {address}   Stop it with Ctrl-C.", soft_wrap=True)


@app.command()
def scheduler(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0: all networks.")] = "127.0.0.1",
    port: Port = 8786,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
) -> None:
    """Run the scheduler of a cluster until Ctrl-C.

    Anyone who can connect to it can run code on all workers: without certificates, use a trusted network only.

    Example: arena cluster scheduler --host 0.0.0.0 --tls-ca ca.pem --tls-cert me.pem --tls-key me.key
    """
    require_distributed()
    cluster = cluster_address(f"{'tls' if tls_ca else 'tcp'}://{host}:{port}", tls_ca, tls_cert, tls_key)
    check_certificates(cluster)
    from arena.tournament.runners.dask.cluster import run_scheduler

    run_scheduler(cluster, lambda address: _print_ready("scheduler", address))


@app.command()
def worker(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="The scheduler's: tcp://HOST:8786.")],
    cores: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Cores that play. Default: all of them."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Default: host name and process id.")] = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
) -> None:
    """Play matches for a cluster until Ctrl-C. Waits for the scheduler, also when it is lost.

    Example: arena cluster worker tcp://head:8786 --cores 8
    """
    cluster = cluster_address(address, tls_ca, tls_cert, tls_key)
    check_cluster(cluster)
    from arena.tournament.runners.dask.cluster import run_worker

    offered = cores or len(os.sched_getaffinity(0))
    label = printable(name) if name else f"{socket.gethostname()}-{os.getpid()}"
    err.print(
        f"{shown(label)} plays for {shown(address)} on {offered} of its cores. Stop it with Ctrl-C.",
        soft_wrap=True,
    )
    run_worker(cluster, offered, label, lambda: err.print("The scheduler is lost: waiting for it."))
