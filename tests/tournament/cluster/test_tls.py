"""A cluster with certificates: whoever has none of the same authority does not get in."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.run import SLOW_MACHINE, arena, said
from tests.tournament.cluster.machines import Machines, wait_until
from tests.tournament.test_tournaments import FIELD

EVENT = (*FIELD, "--seed", "tls", "--rounds", "2", "--bracket", "mantis", *SLOW_MACHINE)


def authority(folder: Path) -> tuple[str, ...]:
    """The options of somebody with a certificate of an authority of its own."""
    folder.mkdir()
    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for command in (
        ("req", "-x509", *new_key, "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2"),
        ("req", *new_key, "-subj", "/CN=127.0.0.1", "-keyout", "me.key", "-out", "me.csr"),
        ("x509", "-req", "-in", "me.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", "1", "-out", "me.pem"),
    ):
        subprocess.run(("openssl", *command), cwd=folder, check=True, capture_output=True)
    files = {"--tls-ca": "ca.pem", "--tls-cert": "me.pem", "--tls-key": "me.key"}
    return tuple(word for option, file in files.items() for word in (option, str(folder / file)))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates are made with openssl")
def test_only_who_has_a_certificate_of_the_cluster_gets_in(tmp_path: Path) -> None:
    ours, theirs = authority(tmp_path / "ours"), authority(tmp_path / "theirs")
    machines = Machines(tmp_path, "tls", ours)
    machines.start_scheduler()
    try:
        machines.start_worker("a")
        wait_until("the scheduler listens", lambda: "scheduler at tls://" in machines.said())
        plain = machines.address.replace("tls:", "tcp:")
        for address, options in ((machines.address, theirs), (plain, ())):
            refused = arena("tournament", *EVENT, "--cluster", address, *options, "--home", tmp_path / "home")
            assert refused.returncode == 2
            assert "no scheduler answers at" in said(refused)[-1]
        played = arena("tournament", *EVENT, "--cluster", machines.address, *ours, "--home", tmp_path / "home")
        assert played.returncode == 0, played
    finally:
        machines.stop()
