"""`arena cluster`: the machines on which a tournament can be played."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.console import err, out, shown
from arena.cli.options import printable
from arena.errors import BadTournament
from arena.tournament.runners.dask.link import Link, check_certificates, require_distributed

app = typer.Typer(help="Machines that play tournaments together, with Dask: see docs/cluster.md.", no_args_is_help=True)

TlsCa = Annotated[
    Path | None,
    typer.Option("--tls-ca", metavar="FILE", help="The certificate of the cluster's authority.", show_default=False),
]
TlsCert = Annotated[
    Path | None, typer.Option("--tls-cert", metavar="FILE", help="Our own certificate.", show_default=False)
]
TlsKey = Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="The key of it.", show_default=False)]


def link_to(address: str | None, ca: Path | None, cert: Path | None, key: Path | None) -> Link | None:
    """The way to the cluster that the options name; None: they name none."""
    if address is None:
        if ca or cert or key:
            raise BadTournament("certificates are for clusters: name one with --cluster tls://HOST:8786.")
        return None
    link = Link(address, ca, cert, key)
    link.check()
    return link


@app.command()
def local(
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=256, help="Each plays on one core. Default: one for each core.", show_default=False),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8786,
) -> None:
    """Run a cluster on this machine, to try it out, until Ctrl-C.

    Example: arena cluster local --workers 2
    """
    require_distributed()
    from arena.tournament.runners.dask.cluster import LocalCluster

    count = workers or len(os.sched_getaffinity(0))
    cluster = LocalCluster(count, port, lambda what: err.print(what, markup=False, highlight=False, soft_wrap=True))
    cluster.run(lambda address: _say(f"{'1 worker' if count == 1 else f'{count} workers'}", address))


def _say(what: str, address: str) -> None:
    out.print(f"{what} at [bold]{shown(address)}[/]", highlight=False, soft_wrap=True)
    err.print(
        f"Play there with: arena tournament --cluster {address}   Stop it with Ctrl-C.", highlight=False, soft_wrap=True
    )


@app.command()
def scheduler(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for everybody in the network.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8786,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
) -> None:
    """Run the scheduler of a cluster, until Ctrl-C.

    Whoever reaches it may run programs on all workers: without certificates listen only where you trust everybody.

    Example: arena cluster scheduler --host 0.0.0.0 --tls-ca ca.pem --tls-cert me.pem --tls-key me.key
    """
    require_distributed()
    check_certificates(tls_ca, tls_cert, tls_key)
    from arena.tournament.runners.dask.cluster import run_scheduler

    run_scheduler(host, port, (tls_ca, tls_cert, tls_key), lambda address: _say("scheduler", address))


@app.command()
def worker(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="The scheduler's: tcp://HOST:8786.")],
    cores: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="How many cores play. Default: all of them.", show_default=False),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Default: this machine's name and the process.", show_default=False)
    ] = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
) -> None:
    """Play for a cluster, until Ctrl-C. Waits for the scheduler, and for the next one where it is lost.

    Example: arena cluster worker tcp://head:8786 --cores 8
    """
    link = link_to(address, tls_ca, tls_cert, tls_key)
    assert link is not None, "an address was given"
    from arena.tournament.runners.dask.cluster import run_worker

    offered = cores or len(os.sched_getaffinity(0))
    called = printable(name) if name else f"{socket.gethostname()}-{os.getpid()}"
    err.print(
        f"{shown(called)} plays for {shown(address)} on {offered} of its cores. Stop it with Ctrl-C.",
        highlight=False,
        soft_wrap=True,
    )
    run_worker(link, offered, called, lambda: err.print("The scheduler is gone: waiting for it.", highlight=False))
