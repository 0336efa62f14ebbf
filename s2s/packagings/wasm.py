"""`--format wasm` and `--format web`: a network as a WebAssembly module with a loader, or in one page for browsers.

The module imports nothing. It exports its memory and functions that take the number of an input or output.
"""

import base64
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from s2s.c_syntax.interface import Port
from s2s.c_syntax.types import element_name
from s2s.emit.templates import fill
from s2s.errors import CompilerBug, InputError
from s2s.packagings.description import TreeDescription
from s2s.packagings.example import arena_argument, declarations, run_call

TRIPLE = "--target=wasm32-wasi"
FLAGS = ("-msimd128", "-nostartfiles", "-Wl,--no-entry", "-Wl,--strip-all", "-Wl,-z,stack-size=1048576")
"""Vectors of 128 bits; no start function, since the module is a library."""
INSTALL = "install clang, lld, wasi-libc and libclang-rt-dev-wasm32, or name a clang that has them in CLANG"
ARRAYS = {
    "f32": "Float32Array",
    "f64": "Float64Array",
    "i8": "Int8Array",
    "i16": "Int16Array",
    "i32": "Int32Array",
    "i64": "BigInt64Array",
    "u8": "Uint8Array",
    "u16": "Uint16Array",
    "u32": "Uint32Array",
    "u64": "BigUint64Array",
    "bool": "Uint8Array",
    "f16": "Uint16Array",
    "bf16": "Uint16Array",
}
"""The arrays of JavaScript by element type; 16-bit floats are bits."""

_OPERATIONS = {
    AffineBinaryOpKind.Add: "({} + {})",
    AffineBinaryOpKind.Mul: "({} * {})",
    AffineBinaryOpKind.Mod: "({} % {})",
    AffineBinaryOpKind.FloorDiv: "Math.floor({} / {})",
    AffineBinaryOpKind.CeilDiv: "Math.ceil({} / {})",
}
"""Operations of formulas of sizes in JavaScript; no size is negative."""

SMALLEST = 4
"""Pixels of a side of an image, at least."""


class ImageShape(NamedTuple):
    """How an input is an image."""

    height: int
    width: int
    channels: int
    is_channels_first: bool


def wasm(tree: TreeDescription) -> dict[str, bytes]:
    """The C, a Makefile for clang, and a loader in JavaScript."""
    _check(tree, "wasm")
    texts = {
        "Makefile": "wasm_makefile.j2",
        f"{tree.name}_wasm.c": "wasm.c.j2",
        f"{tree.name}.mjs": "wasm_module.mjs.j2",
        "README.md": "wasm_readme.md.j2",
    }
    tests = tree.copied([path for path in tree.files if path.startswith("test/")], "c/")
    return {
        **{path: _filled(template, tree) for path, template in texts.items()},
        **tree.copied(tree.library, "c/"),
        **tests,
        **tree.copied(tree.licences),
    }


def web(tree: TreeDescription) -> dict[str, bytes]:
    """One page with the network inside, which asks no other file and no server."""
    _check(tree, "web")
    module = base64.b64encode(_built(tree)).decode()
    return {"index.html": _filled("web.html.j2", tree, module=module), **tree.copied(tree.licences)}


def _check(tree: TreeDescription, format: str) -> None:
    place = f"--format {format}"
    tree.check_call(format)
    if any(path.endswith(".c.bin") for path in tree.library):
        raise InputError(f"{place}: the weights are a binary file; compile the network with --weights arrays")
    if tree.network.threads:
        raise InputError(f"{place}: a module has one thread; compile {tree.name} without --threads")
    if "external" in tree.record or "packed" in tree.record:
        raise InputError(f"{place}: {tree.name} calls code of others; compile it without --external")


def _built(tree: TreeDescription) -> bytes:
    """Compile the module by clang. Raises `InputError` where that lacks something."""
    clang = shutil.which("clang")
    if clang is None:
        raise InputError(f"--format web: there is no clang to compile the module; {INSTALL}")
    with tempfile.TemporaryDirectory() as written:
        folder = Path(written)
        for path, content in wasm(tree).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        command = ["make", "-s", "-C", folder, f"CLANG={clang}"]
        build = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", errors="replace")
        if build.returncode:
            said = build.stderr.strip().splitlines()
            raise InputError(f"--format web: {said[0] if said else 'make failed'}; {INSTALL}")
        return (folder / f"{tree.name}.wasm").read_bytes()


def _filled(template: str, tree: TreeDescription, **more: Any) -> bytes:
    network = tree.network
    views = {
        "declarations": declarations(network, changes_sizes=True),
        "run": run_call(network),
        "arena": arena_argument(network),
        "facts": _facts(tree),
        "derived": {name: _in_javascript(formula.results[0]) for name, formula in network.derived_sizes.items()},
        "flags": [TRIPLE, "-std=c99", tree.level, *tree.flags],
        "linking": FLAGS,
        **more,
    }
    return fill(f"packagings/{template}", tree=tree, **views).encode()


def _facts(tree: TreeDescription) -> dict[str, Any]:
    """Describe the network for JavaScript."""
    network = tree.network
    return {
        "name": tree.name,
        "summary": tree.summary,
        "inputs": list(map(_port, network.inputs)),
        "outputs": list(map(_port, network.outputs)),
        "sizes": {name: [size.least, size.most, size.step] for name, size in network.sizes.items()},
        "computed": list(network.computed_sizes),
    }


def _in_javascript(expr: AffineExpr) -> str:
    """Return a size that follows from the sizes of a run, in the array `dims`, as an expression of JavaScript."""
    match expr:
        case AffineConstantExpr():
            return str(expr.value)
        case AffineDimExpr():
            return f"dims[{expr.position}]"
        case AffineBinaryOpExpr():
            return _OPERATIONS[expr.kind].format(*map(_in_javascript, (expr.lhs, expr.rhs)))
        case _:
            raise CompilerBug(f"{expr} is no formula of sizes")


def _port(port: Port) -> dict[str, Any]:
    image, quantised = None if any(port.varies) else image_of(port), port.quantisation
    return {
        "name": port.name,
        "dtype": element_name(port.element),
        "array": ARRAYS[element_name(port.element)],
        "shape": list(port.shape),
        "axes": list(port.axes),
        "quantisation": None if quantised is None else quantised._asdict(),
        "image": None if image is None else image._asdict(),
    }


def image_of(port: Port) -> ImageShape | None:
    """Return how an input is an image: its last or second dimension are 1 or 3 channels, or there are none."""
    shape = port.shape[1:] if len(port.shape) == 4 and port.shape[0] == 1 else port.shape
    if len(shape) == 2:
        shape = (*shape, 1)
    if len(shape) != 3:
        return None
    if shape[0] in (1, 3) and (port.layout.endswith("H, W") or shape[2] not in (1, 3)):
        return _shaped(shape[1], shape[2], shape[0], is_channels_first=True)
    return _shaped(shape[0], shape[1], shape[2], is_channels_first=False) if shape[2] in (1, 3) else None


def _shaped(height: int, width: int, channels: int, *, is_channels_first: bool) -> ImageShape | None:
    return ImageShape(height, width, channels, is_channels_first) if min(height, width) >= SMALLEST else None


__all__ = ["image_of", "wasm", "web"]
