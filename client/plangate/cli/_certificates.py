"""A certificate authority for a trial, and the certificates that it signs. EC P-256 throughout."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CLOCKS_APART: Final = timedelta(minutes=5)
"""A machine whose clock is behind takes a new certificate, too."""
SERVER: Final = ExtendedKeyUsageOID.SERVER_AUTH
CLIENT: Final = ExtendedKeyUsageOID.CLIENT_AUTH


@dataclass(frozen=True, slots=True)
class Issued:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def read_issued(certificate_pem: bytes, key_pem: bytes) -> Issued:
    """What was made earlier; a ValueError says what is wrong with it."""
    certificate = x509.load_pem_x509_certificate(certificate_pem)
    key = serialization.load_pem_private_key(key_pem, password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != certificate.public_key():
        raise ValueError("the key is not that of the certificate")
    return Issued(certificate, key)


def make_authority(name: str, days: int) -> Issued:
    """An authority that signs certificates, but no further authorities."""
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    subject = _named(name)
    builder = _builder(subject, subject, key, now - CLOCKS_APART, now + timedelta(days=days))
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(_usage(signs_certificates=True), critical=True)
    return Issued(builder.sign(key, hashes.SHA256()), key)


def issue(
    authority: Issued,
    name: str,
    purpose: x509.ObjectIdentifier,
    *,
    end: datetime,
    hosts: tuple[str, ...] = (),
    begin: datetime | None = None,
) -> Issued:
    """A certificate for one purpose, SERVER or CLIENT, that ends no later than the authority's own."""
    key = ec.generate_private_key(ec.SECP256R1())
    signer = authority.certificate
    begin = begin or datetime.now(UTC) - CLOCKS_APART
    builder = _builder(_named(name), signer.subject, key, begin, min(end, signer.not_valid_after_utc))
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(_usage(signs_certificates=False), critical=True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
    builder = builder.add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()), critical=False
    )
    if hosts:
        names = x509.SubjectAlternativeName(list(map(host_name, hosts)))
        builder = builder.add_extension(names, critical=False)
    return Issued(builder.sign(authority.key, hashes.SHA256()), key)


def host_name(host: str) -> x509.GeneralName:
    """A host as certificates name it: by address, or by name."""
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, begin: datetime, end: datetime
) -> x509.CertificateBuilder:
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    builder = x509.CertificateBuilder(subject_name=subject, issuer_name=issuer, public_key=key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(begin).not_valid_after(end)
    return builder.add_extension(identifier, critical=False)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
