"""What a tree says of functions outside of it: files of external generators, flags of compiler and linker."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr

from s2s.analysis.network.functions import DEFINITIONS, EXTERNAL, HEADERS, IMPORTS, PACKED, SOURCE
from s2s.dialects import c
from s2s.emit.build_view import ExternalView
from s2s.emit.units import owner_of
from s2s.external.registry import codegen_named
from s2s.types.devices import MAIN
from s2s.types.hints import isa

_VARIABLE = re.compile(r"\$(\w+)")
_MAKE, _CMAKE = partial(_VARIABLE.sub, r"$(\1)"), partial(_VARIABLE.sub, r"${\1}")
"""A text with its variables as make, or as CMake, writes them."""


class ExternalNeeds(NamedTuple):
    """What the code of one generator is compiled and linked with; `$NAME` stands for a variable of the build."""

    name: str
    include: tuple[str, ...]
    link: tuple[str, ...]
    sources: tuple[str, ...]
    device: str = MAIN
    """The device whose library the code belongs to."""

    def as_dict(self) -> dict[str, Any]:
        """Return the entry of the tree's record."""
        found = self._asdict()
        return found if self.device != MAIN else {key: value for key, value in found.items() if key != "device"}


def generator_of(func: c.FuncOp) -> str | None:
    """The code generator that a declared function comes from; None for a function of the user."""
    found = func.attributes.get(EXTERNAL)
    return found.data if isinstance(found, StringAttr) else None


def external_needs(callbacks: Sequence[c.FuncOp]) -> tuple[ExternalNeeds, ...]:
    """What the generators of some functions need, each once for each device."""
    named = [(name, owner_of(func)) for func in callbacks if (name := generator_of(func)) is not None]
    found = [(codegen_named(name), device) for name, device in dict.fromkeys(named)]
    return tuple(ExternalNeeds(each.name, each.include, each.link, each.sources, device) for each, device in found)


def external_view(every_need: Sequence[ExternalNeeds], device: str = MAIN) -> ExternalView | None:
    """The same for build files: what the library of one device needs."""
    needs = [each for each in every_need if each.device == device]
    if not needs:
        return None
    every = [text for each in needs for text in (*each.include, *each.link, *each.sources)]
    return ExternalView(
        names=", ".join(each.name for each in needs),
        variables=tuple(dict.fromkeys(name for text in every for name in _VARIABLE.findall(text))),
        libraries=" ".join(each for need in needs for each in need.link),
        make_includes=" ".join(f"-I{_MAKE(each)}" for need in needs for each in need.include),
        make_sources=" ".join(f"$(wildcard {_MAKE(each)})" for need in needs for each in need.sources),
        cmake_includes=tuple(_CMAKE(each) for need in needs for each in need.include),
        cmake_sources=tuple(_CMAKE(each) for need in needs for each in need.sources),
    )


def packed_functions(callbacks: Sequence[c.FuncOp]) -> list[str]:
    """The names of the packed functions that kernels call."""
    names = (func.attributes.get(PACKED) for func in callbacks)
    return sorted({name.data for name in names if isinstance(name, StringAttr)})


def imports_of(kernels: Sequence[c.FuncOp]) -> dict[str, str]:
    """The headers with functions of the user that kernels call, by name."""
    listed = (func.attributes.get(IMPORTS) for func in kernels)
    pairs = (pair for each in listed if isinstance(each, DictionaryAttr) for pair in each.data.items())
    return {name: text.data for name, text in pairs if isinstance(text, StringAttr)}


def texts_of(callbacks: Sequence[c.FuncOp]) -> list[str]:
    """The definitions that functions share, then the functions; equal texts once."""
    texts = (func.attributes.get(key) for key in (DEFINITIONS, SOURCE) for func in callbacks)
    return list(dict.fromkeys(text.data.strip("\n") for text in texts if isinstance(text, StringAttr)))


def headers_of_sources(callbacks: Sequence[c.FuncOp]) -> list[str]:
    """What the sources of functions include, each once."""
    listed = (func.attributes.get(HEADERS) for func in callbacks)
    return sorted({header.data for each in listed if isa(each, ArrayAttr[StringAttr]) for header in each})
