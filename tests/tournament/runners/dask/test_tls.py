"""A cluster with certificates refuses peers without one of the same authority, on every port."""

from __future__ import annotations

import datetime
import http.client
import socket
import ssl
from pathlib import Path

import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.cli import SLOW_MACHINE, arena, said
from tests.support.tournaments import FIELD
from tests.support.waiting import until
from tests.tournament.runners.dask.machines import HEAD, Machines

EVENT = (*FIELD, "--seed", "tls", "--rounds", "2", "--bracket", "mantis", *SLOW_MACHINE)


class Authority:
    """Signs certificates."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"authority {folder.name}")])
        self._sign(self.name, self.key.public_key(), "ca", 1, is_authority=True)

    def _sign(
        self, name: x509.Name, key: ec.EllipticCurvePublicKey, file: str, days: int, *, is_authority: bool
    ) -> None:
        now = datetime.datetime.now(datetime.UTC)
        signed = (
            x509.CertificateBuilder(self.name, name, key, x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=2))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .sign(self.key, hashes.SHA256())
        )
        (self.folder / f"{file}.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))

    def certificate(self, file: str, days: int = 1) -> tuple[str, ...]:
        """The options with such a certificate."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, file)])
        self._sign(name, key.public_key(), file, days, is_authority=False)
        (self.folder / f"{file}.key").write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        files = {"--tls-ca": "ca.pem", "--tls-cert": f"{file}.pem", "--tls-key": f"{file}.key"}
        return tuple(word for option, found in files.items() for word in (option, str(self.folder / found)))


def ports(machines: Machines, name: str) -> list[int]:
    """Those that the process listens on: only at the address of the cluster."""
    connections = psutil.Process(machines.processes[name].pid).net_connections("tcp")
    places = [found.laddr for found in connections if found.status == psutil.CONN_LISTEN]
    assert all(place.ip == "127.0.0.1" for place in places), places
    return [place.port for place in places]


def page(port: int) -> int | None:
    """The status of the page at a port; None: there are no pages."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/info/main/workers.html")
        return connection.getresponse().status
    except (http.client.HTTPException, ConnectionError):
        return None
    finally:
        connection.close()


def gets_in(port: int, options: tuple[str, ...] | None) -> bool:
    """Return whether a peer with these certificates gets an answer. None: without a certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if options is not None:
        context.load_cert_chain(options[3], options[5])
    try:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=60) as plain,
            context.wrap_socket(plain) as encrypted,
        ):
            return bool(encrypted.recv(1))  # Dask's servers speak first
    except (ssl.SSLError, ConnectionError):
        return False


@pytest.fixture
def ours(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "ours")


def test_only_who_has_a_certificate_of_the_cluster_gets_in(tmp_path: Path, ours: Authority) -> None:
    theirs = Authority(tmp_path / "theirs")
    good, wrong, old = ours.certificate("good"), theirs.certificate("wrong"), ours.certificate("old", days=-1)
    machines = Machines(tmp_path, "tls", good)
    machines.start(HEAD)
    try:
        machines.start("a")
        machines.options = wrong
        machines.start("stranger")
        until(lambda: len(ports(machines, HEAD)) == len(ports(machines, "a")) == 2, "both listen")
        for name in (HEAD, "a"):
            pages = {port: page(port) for port in ports(machines, name)}
            assert sorted(pages.values(), key=str) == [404, None], "one port for the cluster, no page behind another"
            (port,) = [port for port, status in pages.items() if status is None]
            assert gets_in(port, good), "or the others prove nothing"
            for refused in (wrong, old, None):
                assert not gets_in(port, refused), (name, refused)
        done = arena("tournament", *EVENT, "--cluster", machines.address, *wrong, "--home", tmp_path / "home")
        assert done.returncode == 2
        assert "The certificates are refused" in said(done)[-1]
        played = arena("tournament", *EVENT, "--cluster", machines.address, *good, "--home", tmp_path / "home")
        assert played.returncode == 0, played
        assert "1 worker, 1 core" in played.stderr, "the stranger does not play"
    finally:
        machines.stop()
