"""The format of a pack of weights (`runtime_c/include/s2s_pack.h` has the table): a header, then the weights."""

import hashlib
import struct
import zlib
from collections.abc import Callable
from typing import NamedTuple

from s2s.errors import InputError

MAGIC, FORMAT = b"s2s-pack", 1
HEADER, SIGNED, SIGNATURE = 192, 128, 64
"""Bytes of the header, of the part that a signature covers, and of a signature."""
NONE, ED25519, ECDSA_P256 = 0, 1, 2
"""The kinds of signatures."""
MAX_ALIGN = 64
"""The greatest alignment of weights, which divides the header."""
_HEAD = struct.Struct("<8sHHI32sIIII32s28x")
_CRC = struct.Struct("<I")


class Signer(NamedTuple):
    """A private key."""

    kind: int
    sign: Callable[[bytes], bytes]
    """Returns the signature of a message."""


class Pack(NamedTuple):
    """A pack of weights."""

    layout: bytes
    """The SHA-256 of what the code takes for granted of the weights."""
    align: int
    weights: bytes
    version: int = 1
    """Of the model, as its maker counts."""

    def to_bytes(self, signer: Signer | None = None) -> bytes:
        """Return the file, with the signature of `signer`."""
        kind = NONE if signer is None else signer.kind
        size = len(self.weights)
        digest = hashlib.sha256(self.weights).digest()
        numbers = (size, HEADER + size, self.align, kind)
        head = _HEAD.pack(MAGIC, FORMAT, HEADER, self.version, self.layout, *numbers, digest)
        head += _CRC.pack(zlib.crc32(self.weights, zlib.crc32(head)))
        signature = bytes(SIGNATURE) if signer is None else signer.sign(head)
        if len(signature) != SIGNATURE:
            raise InputError(f"signature: has {len(signature)} bytes, not {SIGNATURE}; sign with Ed25519 or P-256")
        return head + signature + self.weights


__all__ = ["ECDSA_P256", "ED25519", "FORMAT", "HEADER", "MAX_ALIGN", "SIGNATURE", "SIGNED", "Pack", "Signer"]
