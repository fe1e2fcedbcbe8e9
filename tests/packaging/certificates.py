"""Certificates for signing, as Keychain Access exports them: with their keys, in PKCS #12."""

from __future__ import annotations

from datetime import UTC, datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from cryptography.x509.oid import NameOID

_ENDS = datetime(2999, 1, 1, tzinfo=UTC)


def exported_certificate(
    password: str,
    *,
    name: str = "Developer ID Application: Somebody (ABCDE12345)",
    ends: datetime = _ENDS,
    with_key: bool = True,
) -> bytes:
    """Return the file of a certificate of the team ABCDE12345, which nobody but itself has signed."""
    key = ec.derive_private_key(118, ec.SECP256R1())
    parts = [(NameOID.COMMON_NAME, name), (NameOID.ORGANIZATIONAL_UNIT_NAME, "ABCDE12345")]
    whose = x509.Name([x509.NameAttribute(kind, value) for kind, value in parts])
    made = x509.CertificateBuilder(whose, whose, key.public_key(), 1, datetime(2020, 1, 1, tzinfo=UTC), ends)
    certificate = made.sign(key, hashes.SHA256())
    return pkcs12.serialize_key_and_certificates(
        None, key if with_key else None, certificate, None, BestAvailableEncryption(password.encode())
    )
