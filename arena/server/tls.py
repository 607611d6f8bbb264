"""The certificate of the door: the organiser's own, or one that signs itself and is made once for a home.

A certificate that signs itself is as good as any other, if it reaches those who connect by a way that they trust: they
name the file (`arena bot connect --ca FILE`), and can compare the fingerprint.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from arena.errors import ArenaError, refusal
from arena.store.home import Home

LASTS = timedelta(days=825)
"""Longer than this some clients do not believe a certificate."""
ALWAYS = ("localhost", "127.0.0.1", "::1")
"""Names that a certificate of our own has in any case."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A certificate with its key, both as PEM files."""

    certificate: Path
    key: Path

    def read(self) -> tuple[bytes, bytes]:
        """The certificate and the key, as they are in their files. Raises where they are not there or not right."""
        try:
            certificate, key = self.certificate.read_bytes(), self.key.read_bytes()
        except OSError as error:
            raise ArenaError(f"the certificate cannot be read: {refusal(error)}") from error
        try:
            known = x509.load_pem_x509_certificate(certificate).public_key()
            private = serialization.load_pem_private_key(key, None)
        except (ValueError, TypeError) as error:
            raise ArenaError(
                f"{self.certificate} and {self.key} are not a certificate and its key in PEM files without a password."
            ) from error
        if private.public_key() != known:
            raise ArenaError(f"the key in {self.key} is not that of the certificate in {self.certificate}.")
        return certificate, key

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate, as people compare it."""
        digest = x509.load_pem_x509_certificate(self.read()[0]).fingerprint(hashes.SHA256())
        return digest.hex(":").upper()


def generated(home: Home, names: Sequence[str]) -> Identity:
    """The home's own certificate for these names; made where there is none, or where it is about to expire."""
    folder = home.path / "tls"
    identity = Identity(folder / "certificate.pem", folder / "key.pem")
    wanted = list(dict.fromkeys([*ALWAYS, *(name.strip("[]").lower() for name in names)]))
    if identity.certificate.exists() and identity.key.exists():
        known = x509.load_pem_x509_certificate(identity.read()[0])
        if known.not_valid_after_utc > datetime.now(UTC) + timedelta(days=1):
            _check_names(identity, known, wanted)
            return identity
    certificate, key = _make(wanted)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path, content in ((identity.key, key), (identity.certificate, certificate)):
            path.unlink(missing_ok=True)
            with open(path, "wb", opener=_for_us_only) as file:
                file.write(content)
    except OSError as error:
        raise ArenaError(f"the certificate cannot be kept: {refusal(error)}") from error
    return identity


def _for_us_only(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_EXCL, 0o600)


def _check_names(identity: Identity, known: x509.Certificate, wanted: Sequence[str]) -> None:
    """A new certificate would lock out all who have the old one, so that is the organiser's decision."""
    names = known.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    listed = {str(name.value) for name in names}
    if missing := [name for name in wanted if name not in listed]:
        raise ArenaError(
            f"the certificate in {identity.certificate} is not for {' and '.join(missing)}: delete it, and a new one "
            "is made, which must be given to everybody who connects."
        )


def _make(names: Sequence[str]) -> tuple[bytes, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "arena")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))  # clocks differ
        .not_valid_after(now + LASTS)
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return certificate.public_bytes(serialization.Encoding.PEM), key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
