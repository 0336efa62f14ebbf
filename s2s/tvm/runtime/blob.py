"""Modules packed into a library, in the form of TVM's library blob.

All numbers are little endian and of 64 bits; a text is its length and its bytes.

    bytes that follow
    count, then for each entry its kind:
        "_lib"           the library that holds the blob
        "_import_tree"   count and first items (CSR rows), count and imported modules
        any other        the module: what `save_to_binary` gave, as a text

Modules are numbered in the order of their entries; the first one is what `load_module` gives. A module of kind K is
made again by the registered function `runtime.module.loadbinary_K`. Source: `src/target/codegen.cc` of TVM 0.12.
"""

import struct
from collections.abc import Sequence

from s2s.errors import InputError
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.registry import get_global_func

LIBRARY = "_lib"
IMPORT_TREE = "_import_tree"
LOADER = "runtime.module.loadbinary_"


def save_blob(root: Module, library: Module) -> bytes:
    """`root` and all modules that it imports; `library` is the one that will hold the blob."""
    modules = [root, *root.all_imports()]
    entries = [_text(LIBRARY) if each is library else _text(each.type_key) + _data(each) for each in modules]
    rows, children = [0], list[int]()
    for each in modules:
        children += [modules.index(imported) for imported in each.imported_modules]
        rows.append(len(children))
    entries.append(_text(IMPORT_TREE) + _numbers(rows) + _numbers(children))
    body = struct.pack("<Q", len(entries)) + b"".join(entries)
    return struct.pack("<Q", len(body)) + body


def load_blob(blob: bytes, library: Module) -> Module:
    """The first module, with its imports."""
    reader = _Reader(blob)
    if reader.number() != len(blob) - 8:
        raise InputError("library: its blob has another size than it says; export it again")
    modules: list[Module] = []
    tree: tuple[list[int], list[int]] | None = None
    for _ in range(reader.number()):
        kind = reader.text().decode(errors="replace")
        if kind == IMPORT_TREE:
            tree = reader.numbers(), reader.numbers()
        else:
            modules.append(library if kind == LIBRARY else _module(kind, reader.text()))
    if not modules or tree is None:
        raise InputError("library: its blob holds no module or no import tree; export it again")
    _import(modules, *tree)
    return modules[0]


def _module(kind: str, data: bytes) -> Module:
    loader = get_global_func(LOADER + kind, allow_missing=True)
    if loader is None:
        raise InputError(f"library: it holds a module of kind {kind!r}; register {LOADER + kind!r}, which loads it")
    try:
        module = loader(data)
    except ValueError as error:
        raise InputError(f"library: its module of kind {kind!r} is damaged ({error}); export it again") from error
    if not isinstance(module, Module):
        raise InputError(f"{LOADER + kind}: it returned no module; return a Module")
    return module


def _import(modules: Sequence[Module], rows: Sequence[int], children: Sequence[int]) -> None:
    is_ordered = (
        len(rows) == len(modules) + 1 and list(rows) == sorted(rows) and (rows[0], rows[-1]) == (0, len(children))
    )
    if not is_ordered or any(child >= len(modules) for child in children):
        raise InputError("library: the import tree of its blob contradicts itself; export it again")
    for number, module in enumerate(modules):
        for child in children[rows[number] : rows[number + 1]]:
            module.import_module(modules[child])


def _data(module: Module) -> bytes:
    return _text(module.save_to_binary())


def _text(text: str | bytes) -> bytes:
    encoded = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(encoded)) + encoded


def _numbers(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<Q{len(numbers)}Q", len(numbers), *numbers)


class _Reader:
    """Takes numbers and texts in order, and never more than there is."""

    def __init__(self, blob: bytes) -> None:
        self._blob, self._at = blob, 0

    def number(self) -> int:
        """The next number."""
        return struct.unpack("<Q", self._take(8))[0]

    def text(self) -> bytes:
        """The next text."""
        return self._take(self.number())

    def numbers(self) -> list[int]:
        """The next list of numbers."""
        count = self.number()
        return list(struct.unpack(f"<{count}Q", self._take(8 * count)))

    def _take(self, size: int) -> bytes:
        if size > len(self._blob) - self._at:
            raise InputError("library: its blob is cut short; export it again")
        self._at += size
        return self._blob[self._at - size : self._at]
