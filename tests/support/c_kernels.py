"""Kernels of the loop level, run as compiled C."""

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import FunctionType, IndexType, MemRefType, ModuleOp, VectorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.parser import Parser
from xdsl.utils.hints import isa

from s2s.dialects import c, loop
from s2s.dialects.loop.memory import scalar_type
from s2s.emit.headers import headers_of
from s2s.emit.statements import FunctionWriter
from s2s.passes.c.name_temporaries import NameTemporariesPass
from s2s.passes.context import CompilerContext
from s2s.passes.loop.lower_to_c import LowerToCPass
from s2s.types.dtypes import Array, to_numpy
from support.c_compilers import WARNINGS, require, run
from support.project import PACKAGES

PREFIX = "test"
Build = Callable[[Sequence[SSAValue]], Sequence[Operation]]
"""Makes the operations of a kernel from the values that it loads; the last one gives what it stores."""
FLAGS = ("-O2", "-ffp-contract=off")


def parse(text: str) -> ModuleOp:
    """A module of the loop level from text."""
    module = Parser(CompilerContext(), text).parse_module()
    module.verify()
    return module


def elementwise(
    name: str,
    build: Build,
    inputs: Sequence[Attribute],
    output: Attribute,
    count: int,
    lanes: int = 1,
) -> FuncOp:
    """A kernel that applies the operations of `build` to each element of its inputs, or to vectors of `lanes`."""
    types = [MemRefType(element, [count]) for element in (output, *inputs)]
    block, body = Block(arg_types=types), loop.ForOp(0, count, Block(arg_types=[IndexType()]), step=lanes)
    here = AffineMap(1, 0, (AffineDimExpr(0),))
    loads = [
        loop.LoadOp(buffer, here, [body.index], vector_of(scalar_type(element), lanes))
        for buffer, element in zip(block.args[1:], inputs, strict=True)
    ]
    made = build([load.result for load in loads])
    store = loop.StoreOp(made[-1].results[0], block.args[0], here, [body.index])
    body.body.block.add_ops([*loads, *made, store, loop.YieldOp()])
    block.add_ops([body, ReturnOp()])
    return FuncOp(name, FunctionType.from_lists(types, []), Region(block), "private")


def dtype_of(function: FuncOp) -> np.dtype[Any]:
    """The element type of the first buffer of a kernel."""
    buffer = function.function_type.inputs.data[0]
    assert isa(buffer, MemRefType[Attribute])
    return to_numpy(buffer.element_type)


def vector_of(element: Attribute, lanes: int) -> Attribute:
    """The type of a register."""
    return VectorType(element, [lanes]) if lanes > 1 else element


def c_text(module: ModuleOp) -> str:
    """The kernels of `module` as one C file."""
    lowered = module.clone()
    context = CompilerContext()
    LowerToCPass(prefix=PREFIX).apply(context, lowered)
    lowered.verify()
    NameTemporariesPass().apply(context, lowered)
    lowered.verify()
    functions = [op for op in lowered.ops if isinstance(op, c.FuncOp)]
    headers = sorted({'"s2s.h"', *(header for func in functions for header in headers_of(func))})
    lines = [f"#include {header}" for header in headers]
    for func in functions:
        writer = FunctionWriter(func)
        lines += [*writer.prototype(), "", *writer.definition(), ""]
    return "\n".join(lines)


class CompiledKernels:
    """The kernels of a module in this process."""

    def __init__(self, module: ModuleOp, folder: Path, flags: Sequence[str] = FLAGS) -> None:
        self.text = c_text(module)
        source, library = folder / "kernels.c", folder / "kernels.so"
        source.write_text(self.text)
        include = f"-I{PACKAGES['s2s.runtime_c'] / 'include'}"
        command: list[str | Path] = [require("gcc"), *WARNINGS, *flags, include, "-shared", "-fPIC", source]
        run([*command, "-o", library, "-lm"], folder)
        self._library = ctypes.CDLL(str(library))

    def run(self, name: str, buffers: Sequence[Array]) -> None:
        """Run the kernel called `name` on its buffers, in place."""
        function = self._library[f"{PREFIX}_{name}"]
        function(*(ctypes.c_void_p(buffer.ctypes.data) for buffer in buffers))
