"""The weights of a network in a pack: its layout, which the code takes for granted, and its files.

    net.weights            the pack
    src/net_pack.h         where each weight lies, for the run function
    src/net_pack.c         `net_bind_weights`
    test/net_test_pack.c   the bytes of the pack, for the self-test

The layout is a hash of the code without its comments, of the weights' places, of constants that the code holds itself,
and of the interface. Two networks of one layout have the same program and other weights.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from s2s.c_syntax.identifiers import c_comment
from s2s.c_syntax.interface import Interface
from s2s.c_syntax.types import element_name
from s2s.emit.pack_format import HEADER, MAX_ALIGN, Pack
from s2s.emit.stream import Content, Stream, pieces
from s2s.emit.weights import ConstantArray, Placed, binary_file, place
from s2s.passes.c.pack_weights import place_macro
from s2s.types.dtypes import size_in_bytes, ui8

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class PlaceView(NamedTuple):
    """The macro with the place of a weight."""

    macro: str
    place: int
    """In elements."""
    comment: str


class PackView(NamedTuple):
    """The template view of the files of a pack."""

    stem: str
    macro: str
    places: tuple[PlaceView, ...]
    layout: tuple[str, ...]
    """The bytes of the hash as literals, in lines."""
    size: int
    """Bytes of the weights."""
    align: int


class PackedWeights:
    """The weights of a network, placed in a pack."""

    def __init__(self, arrays: Sequence[ConstantArray], align: int) -> None:
        self.align = min(align, MAX_ALIGN)
        self.placed = place(arrays, self.align)
        self.layout = b""
        """The hash of what the code takes for granted; empty before `settle`."""

    @property
    def weights(self) -> bytes:
        """All weights, little-endian."""
        return b"".join(pieces(binary_file(self.placed)))

    @property
    def size(self) -> int:
        """Bytes of the pack."""
        return HEADER + max((placed.offset + placed.array.size for placed in self.placed), default=0)

    def table(self) -> list[dict[str, Any]]:
        """Describe each weight, as the record of a tree has it."""
        return [
            {
                "identifier": array.identifier,
                "name": array.name,
                "dtype": element_name(array.element),
                "shape": list(array.values.shape),
                "offset": offset,
                "size": array.size,
            }
            for array, offset in self.placed
        ]

    def settle(self, files: Mapping[str, Content], constants: Iterable[ConstantArray], network: Interface) -> bytes:
        """Compute the hash of what the code in `files` takes for granted, which holds `constants` itself."""
        hashed = hashlib.sha256(json.dumps([self.align, self.table(), interface_record(network)]).encode())
        for path, text in sorted(code_of(files).items()):
            hashed.update(f"\n{path}\n{text}".encode())
        for array in constants:
            hashed.update(f"\n{array.identifier}\n".encode())
            for piece in array.pieces():
                hashed.update(piece.tobytes())
        self.layout = hashed.digest()
        return self.layout

    def record(self, name: str) -> dict[str, Any]:
        """Describe the pack, as the record of a tree has it."""
        sizes = {"layout": self.layout.hex(), "size": self.size, "align": self.align}
        return {"file": f"{name}.weights", **sizes, "arrays": self.table()}

    def test_array(self, name: str) -> ConstantArray:
        """Return the bytes of the pack as a constant of the self-test."""
        values = np.frombuffer(b"".join(pieces(self.file())), np.uint8)
        return ConstantArray(f"{name}_test_pack", ui8, values, "the pack")

    def view(self, name: str, macro: str, layout: bytes) -> PackView:
        """Return the view of the files."""
        spelled = [f"0x{byte:02x}u" for byte in layout]
        return PackView(
            stem=f"{name}_pack",
            macro=macro,
            places=tuple(map(_place, self.placed)),
            layout=tuple(", ".join(spelled[at : at + 8]) for at in range(0, len(spelled), 8)),
            size=self.size - HEADER,
            align=self.align,
        )

    def file(self) -> Content:
        """Return the pack, unsigned."""
        return Stream(lambda: iter([Pack(self.layout, self.align, self.weights).to_bytes()]))


def code_of(files: Mapping[str, Content]) -> dict[str, str]:
    """Return the code of a network by its path, without comments, and without the files of its pack and constants."""
    return {
        path: _COMMENT.sub("", b"".join(pieces(content)).decode())
        for path, content in files.items()
        if path.startswith("src/") and path.endswith((".c", ".h")) and not _is_data(path)
    }


def interface_record(network: Interface) -> list[dict[str, Any]]:
    """Describe the inputs and outputs, with their quantisation."""
    return [port.as_dict() for port in network.ports]


def _is_data(path: str) -> bool:
    stem = path.rpartition(".")[0]
    return stem.endswith(("_pack", "_weights", "_trace"))


def _place(placed: Placed) -> PlaceView:
    array, shape = placed.array, "".join(f"[{size}]" for size in placed.array.values.shape)
    comment = c_comment(f"{element_name(array.element)} {array.name.split(';')[0][:60]} {shape}")
    return PlaceView(place_macro(array.identifier), placed.offset // size_in_bytes(array.element), comment)


__all__ = ["PackView", "PackedWeights", "code_of", "interface_record"]
