"""The C of external code generators, and of other devices, as modules that the library of a network imports, as TVM
has them.

library = relay.build(module, external="npu").get_lib()
[npu] = library.imported_modules
npu["get_const_vars"]()          ["dense_weights0", "dense_bias0"]
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp

from s2s.analysis.network.functions import CALLBACK, CONSTANTS, DEFINITIONS, EXTERNAL, HEADERS, SOURCE, device_of
from s2s.artifact import Artifact
from s2s.emit.stream import pieces
from s2s.tvm.runtime.library import SourceModule
from s2s.types.hints import isa


def generated_modules(artifact: Artifact) -> list[SourceModule]:
    """Return one module for each generator that computes a part of the network, and for each device where it does.

    Its functions are `get_func_names`, the C functions; `get_symbol`, the first of them; and `get_const_vars`, the
    constants that these read in a layout of the generator's own, which are no parameters of the network.
    """
    module = artifact.compilation.at("graph").module
    found = [op for op in module.ops if isinstance(op, FuncOp) and EXTERNAL in op.attributes]
    owners = dict.fromkeys((_text(op, EXTERNAL), device_of(op)) for op in found)
    return [_module([op for op in found if (_text(op, EXTERNAL), device_of(op)) == owner]) for owner in owners]


def device_modules(artifact: Artifact) -> list[SourceModule]:
    """Return one module for each device beside the first one: the C of its kernels. Devices that an external code
    generator writes all parts of have none."""
    tree = artifact.tree()
    paths = [f"src/{device.name}/{artifact.name}_{device.name}_kernels.c" for device in artifact.info.devices]
    return [SourceModule(b"".join(pieces(tree.files[path])).decode()) for path in paths if path in tree.files]


def _module(regions: Sequence[FuncOp]) -> SourceModule:
    headers = [f"#include {each}" for each in sorted({each for op in regions for each in _texts(op, HEADERS)})]
    code = [_text(op, key) for key in (DEFINITIONS, SOURCE) for op in regions]
    names = list(dict.fromkeys(_text(op, CALLBACK) for op in regions))
    constants = [each for op in regions for each in _texts(op, CONSTANTS)]
    return SourceModule(
        "\n\n".join(dict.fromkeys(each for each in ("\n".join(headers), *code) if each)),
        {"get_func_names": lambda: names, "get_symbol": lambda: names[0], "get_const_vars": lambda: constants},
    )


def _text(op: FuncOp, key: str) -> str:
    found = op.attributes.get(key)
    return found.data if isinstance(found, StringAttr) else ""


def _texts(op: FuncOp, key: str) -> list[str]:
    found = op.attributes.get(key)
    return [each.data for each in found] if isa(found, ArrayAttr[StringAttr]) else []
