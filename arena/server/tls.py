"""The server's TLS certificate: the organiser's own, or a self-signed one that is made once per home.

A self-signed certificate is safe if clients get it by a trusted way: they name the file (`--ca FILE`) and can compare
its fingerprint.
"""

from __future__ import annotations

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

VALIDITY = timedelta(days=825)
"""Some clients reject certificates with a longer validity."""
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
"""Names that every self-signed certificate includes."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its key, both PEM files."""

    certificate: Path
    key: Path

    def read(self) -> tuple[bytes, bytes]:
        """Return the content of both files. Raise `ArenaError` if they are missing or do not belong together."""
        try:
            certificate, key = self.certificate.read_bytes(), self.key.read_bytes()
        except OSError as error:
            raise ArenaError(f"Cannot read the certificate: {refusal(error)}") from error
        try:
            known = x509.load_pem_x509_certificate(certificate).public_key()
            private = serialization.load_pem_private_key(key, None)
        except (ValueError, TypeError) as error:
            raise ArenaError(
                f"`{self.certificate}` and `{self.key}` are not a PEM certificate and its key without password."
            ) from error
        if private.public_key() != known:
            raise ArenaError(f"The key `{self.key}` does not belong to the certificate `{self.certificate}`.")
        return certificate, key

    @property
    def fingerprint(self) -> str:
        """The SHA-256 fingerprint of the certificate."""
        digest = x509.load_pem_x509_certificate(self.read()[0]).fingerprint(hashes.SHA256())
        return digest.hex(":").upper()


def self_signed(home: Home, names: Sequence[str]) -> Certificate:
    """Return the home's self-signed certificate for these names. Make one if there is none, or if it expires today."""
    folder = home.path / "tls"
    pair = Certificate(folder / "certificate.pem", folder / "key.pem")
    wanted = list(dict.fromkeys([*LOCAL_NAMES, *(name.strip("[]").lower() for name in names)]))
    if pair.certificate.exists() and pair.key.exists():
        known = x509.load_pem_x509_certificate(pair.read()[0])
        if known.not_valid_after_utc > datetime.now(UTC) + timedelta(days=1):
            listed = known.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            missing = [name for name in wanted if _general_name(name) not in listed]
            if missing:  # a new certificate would lock out all clients that have the old one
                raise ArenaError(
                    f"The certificate `{pair.certificate}` does not include "
                    f"{' and '.join(f'`{name}`' for name in missing)}.",
                    hint="Delete it to get a new one, and give the new one to everyone who connects.",
                )
            return pair
    certificate, key = _make(wanted)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path, content in ((pair.key, key), (pair.certificate, certificate)):
            path.unlink(missing_ok=True)
            path.touch(0o600, exist_ok=False)
            path.write_bytes(content)
    except OSError as error:
        raise ArenaError(f"Cannot store the certificate: {refusal(error)}") from error
    return pair


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
        .not_valid_after(now + VALIDITY)
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
