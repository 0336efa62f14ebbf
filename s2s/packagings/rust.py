"""`--format rust`: a `no_std` crate, which compiles the C by its build script and calls it by safe functions."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from s2s.c_syntax.identifiers import line_comment, sizes_type
from s2s.c_syntax.interface import Port
from s2s.c_syntax.types import element_name
from s2s.emit.templates import fill
from s2s.errors import InputError
from s2s.packagings.description import TreeDescription
from s2s.targets.file import toml_value

_WORDS = """abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen
if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type
typeof unsafe unsized use virtual where while yield"""
KEYWORDS = frozenset(_WORDS.split())
"""Words that are no name in Rust."""
NO_CRATES = KEYWORDS | frozenset(
    ("alloc", "build", "core", "deps", "examples", "incremental", "proc_macro", "std", "test")
)
"""Names that Cargo refuses for a package, or that hide a crate of Rust."""
BITS = {"f16": "u16", "bf16": "u16"}
"""Element types that Rust lacks, and the types that hold their bits."""
_STATUS = re.compile(r"\bS2S_ERR_(\w+) = (-\d+)")
_PHRASE = re.compile(r'case S2S_ERR_(\w+): return "([^"\\]*)";')


class RustPort(NamedTuple):
    """An input or output as a parameter of `Network::run`."""

    name: str
    type: str
    """An array of arrays, as `[[f32; 10]; 1]`; a scalar is an array of one."""
    zeros: str
    """A value of the type."""
    about: str
    """A line about it."""


class RustStatus(NamedTuple):
    """A status that is an error."""

    name: str
    number: int
    phrase: str


class RustSize(NamedTuple):
    """A size of a run."""

    field: str
    least: int
    most: int


def rust(tree: TreeDescription) -> dict[str, bytes]:
    """A crate without dependencies; `cargo test` runs the self-test of the tree."""
    tree.check_call("rust")
    if "external" in tree.record or "packed" in tree.record:
        raise InputError(
            f"--format rust: {tree.name} calls code of others, which the crate does not have; leave it out"
        )
    network = tree.network
    crate = f"{tree.name}_net" if tree.name in NO_CRATES else tree.name
    inputs, outputs = ([_port(port) for port in ports] for ports in (network.inputs, network.outputs))
    views = {
        "tree": tree,
        "crate": crate,
        "toml_value": toml_value,
        "inputs": inputs,
        "outputs": outputs,
        "sizes": [RustSize(network.size_fields[name], size.least, size.most) for name, size in network.sizes.items()],
        "sizes_type": sizes_type(tree.name),
        "parameters": network.arguments(
            ["arena: *mut c_void"],
            [
                *(f"{port.name}: *const {port.type}" for port in inputs),
                *(f"{port.name}: *mut {port.type}" for port in outputs),
            ],
            weights="",
            pool="pool: *mut c_void",
            sizes="dims: *mut Dims",
        ),
        "arguments": network.arguments(
            ["self.arena.0.as_mut_ptr().cast()"],
            [port.name for port in (*inputs, *outputs)],
            weights="",
            pool="core::ptr::null_mut()",
            sizes="dims",
        ),
        "statuses": _statuses(tree.text("runtime/include/s2s.h")),
    }
    texts = {
        "Cargo.toml": "rust_cargo.toml.j2",
        "build.rs": "rust_build.rs.j2",
        "src/lib.rs": "rust_lib.rs.j2",
        "tests/self_test.rs": "rust_test.rs.j2",
        "README.md": "rust_readme.md.j2",
    }
    return {
        **{path: fill(f"packagings/{template}", **views).encode() for path, template in texts.items()},
        **tree.copied([*tree.library, *(path for path in tree.files if path.startswith("test/"))], "c/"),
        **tree.copied(tree.licences),
    }


def _port(port: Port) -> RustPort:
    name = f"{port.identifier}_" if port.identifier in KEYWORDS else port.identifier
    element = element_name(port.element)
    kind = BITS.get(element, element)
    zero = {"f32": "0.0", "f64": "0.0", "bool": "false"}.get(kind, "0")
    shape = port.shape or (1,)
    quantised = f", {port.quantisation.formula()}" if port.quantisation else ""
    bits = f", the bits of {element}" if element in BITS else ""
    about = f"`{line_comment(port.name).replace('`', chr(39))}`: {port.dtype}{list(port.named_shape)}{bits}{quantised}"
    return RustPort(name, _nested(kind, shape), _nested(zero, shape), about)


def _nested(element: str, shape: Iterable[int]) -> str:
    """Return `[[element; 3]; 2]` for the shape (2, 3)."""
    for size in reversed(tuple(shape)):
        element = f"[{element}; {size}]"
    return element


def _statuses(header: str) -> list[RustStatus]:
    phrases = dict(_PHRASE.findall(header))
    return [RustStatus(_camel(name), int(number), phrases[name]) for name, number in _STATUS.findall(header)]


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
