"""Kernels of one operation, run at graph level and at tensor level on the same numbers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import FunctionType, ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from s2s.interpret.graph import run_graph
from s2s.interpret.tensor import run_tensor
from s2s.passes.context import CompilerContext
from s2s.passes.graph.lower_to_tensor import LowerToTensorPass
from s2s.types.dtypes import Array, from_numpy, is_float, type_of_array
from s2s.types.weights import WeightStore

Build = (
    Callable[[], Operation]
    | Callable[[SSAValue], Operation]
    | Callable[[SSAValue, SSAValue], Operation]
    | Callable[[SSAValue, SSAValue, SSAValue], Operation]
    | Callable[[*tuple[SSAValue, ...]], Operation]
    | Callable[[SSAValue, *tuple[SSAValue, ...]], Operation]
)
"""Makes the operation from the arguments of the kernel."""

TOLERANCE = {2: 2e-3, 4: 2e-5, 8: 1e-12}
"""Relative error by bytes of the element: sums are added up in another order, a few units in the last place apart."""


def kernel(build: Build, inputs: Sequence[Array]) -> FuncOp:
    """A kernel that returns the result of one operation, in a module of its own."""
    block = Block(arg_types=[type_of_array(x) for x in inputs])
    op = build(*block.args)
    for made in _needed(op):
        block.add_op(made)
    block.add_op(ReturnOp(op.results[0]))
    types = [argument.type for argument in block.args], [op.results[0].type]
    function = FuncOp("kernel", FunctionType.from_lists(*types), Region(block), "private")
    function.attributes["kernel"] = UnitAttr()
    ModuleOp([function]).verify()
    return function


def _needed(op: Operation) -> list[Operation]:
    """`op` after the operations that make its operands."""
    before = [
        made for operand in op.operands if isinstance(operand.owner, Operation) for made in _needed(operand.owner)
    ]
    return [*dict.fromkeys(before), op]


def lowered(function: FuncOp) -> FuncOp:
    """`function` at tensor level."""
    module = function.parent_op()
    assert isinstance(module, ModuleOp)
    copy = module.clone()
    LowerToTensorPass().apply(CompilerContext(), copy)
    copy.verify()
    [kernel] = copy.body.block.ops
    assert isinstance(kernel, FuncOp)
    return kernel


def check_lowering(build: Build, *inputs: Array, rtol: float | None = None) -> None:
    """Fail if the lowered kernel does not compute what the operation means."""
    function = kernel(build, inputs)
    [expected] = run_graph(function, inputs, WeightStore())
    with np.errstate(all="ignore"):
        [found] = run_tensor(lowered(function), inputs)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if not is_float(from_numpy(expected.dtype)):
        np.testing.assert_array_equal(found, expected)
        return
    tolerance = TOLERANCE[expected.dtype.itemsize] if rtol is None else rtol
    np.testing.assert_allclose(_wide(found), _wide(expected), rtol=tolerance, atol=tolerance)


def _wide(x: Array) -> Array:
    return x.astype(np.float64)


def rand(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Array:
    """Random numbers: normally distributed floats, integers of all sizes."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if is_float(from_numpy(kind)):
        return generator.standard_normal(shape).astype(kind)
    if kind == np.bool_:
        return generator.integers(0, 2, shape).astype(kind)
    limits = np.iinfo(kind)
    return generator.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
