"""Sign packs of weights with Ed25519 or P-256 keys, by the package `cryptography` (extra `sign`)."""

from functools import partial
from pathlib import Path
from typing import Any

from s2s.emit.pack_format import ECDSA_P256, ED25519, Signer
from s2s.errors import InputError
from s2s.support.extras import optional_module

_NUMBER = 32
"""Bytes of each number of an ECDSA signature of P-256."""


def signer_of(path: Path) -> Signer:
    """Return what signs with a private key in PEM. Raises `InputError` if it cannot be read, or is of another kind."""
    pem, ed25519, ec = map(_module, ("serialization", "asymmetric.ed25519", "asymmetric.ec"))
    try:
        key = pem.load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"--sign {path}: is no private key that can be read: {error}; give one in PEM") from error
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return Signer(ED25519, key.sign)
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        return Signer(ECDSA_P256, partial(_ecdsa, key))
    raise InputError(f"--sign {path}: is no Ed25519 or P-256 key; make one by openssl genpkey -algorithm ed25519")


def _ecdsa(key: Any, message: bytes) -> bytes:
    """Sign, and return the two numbers of the signature, big-endian."""
    ec, utils, hashes = map(_module, ("asymmetric.ec", "asymmetric.utils", "hashes"))
    r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(_NUMBER, "big") + s.to_bytes(_NUMBER, "big")


def _module(name: str) -> Any:
    return optional_module(f"cryptography.hazmat.primitives.{name}", "sign", "--sign")


__all__ = ["signer_of"]
