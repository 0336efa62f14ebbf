"""Checks that a pass keeps the numbers: every function of its `.mlir` test is run before and after it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, MemRefType, ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.hints import isa

from s2s.analysis.memory.buffers import outputs_of
from s2s.analysis.network.functions import STATE
from s2s.cli.opt import OptMain
from s2s.data.samples import sample
from s2s.dialects import loop, tensor
from s2s.errors import S2SError
from s2s.interpret.loop import run_loop_function
from s2s.interpret.tensor import run_tensor
from s2s.passes.context import CompilerContext
from s2s.tvm.runtime import register_func
from s2s.types.dtypes import AnyTensor, Array, as_tensor_type, tensor_type, to_numpy
from s2s.types.weights import WeightStore
from support.mlir import RunLineError, stages

RTOL, ATOL = 1e-4, 1e-5
"""Passes may add up float numbers in another order; integers have to stay as they are."""


def negated(x: Array, *others: Array) -> None:
    """The functions outside of the network that tests call: the last array becomes the negative first one."""
    others[-1][:] = -x


for function_name in ("test_blur", "test.scale"):
    register_func(function_name, negated, override=True)

OF_THE_LARGEST = {
    "tensor-transform-convolutions": 2e-6,
    "graph-quantize-activations": 1e-2,
    "graph-unpack-weights": 1e-6,
}
"""Passes whose float errors follow the largest number of a result, however small the others: transforms of tiles add
up large parts that cancel (the error with few channels, as tests have them; with 512 it is 7e-6), activations are
rounded to 8 bits, and a matrix product of numpy adds 40 large products in an order that depends on the processor."""

TENSOR_LEVELS = {"graph", "tensor", "arith", "math", "func"}
LOOP_LEVEL = {"loop", "arith", "math", "func"}
"""Dialects of functions that can be run, on tensors and on buffers."""


def check_numbers(command: str, file: Path) -> int:
    """Run the functions of `file` before and after the passes of `command`; return how many could be compared."""
    program, *args = stages(command, file)[0]
    assert program == "s2s-opt"
    opt = OptMain([*args, "--sample-weights"])
    assert isinstance(opt.ctx, CompilerContext)
    chunks, extension = opt.prepare_input()
    compared = 0
    for chunk, offset in chunks:
        with chunk:
            module = opt.parse_chunk(chunk, extension, offset)
        assert module is not None
        before = module.clone()
        try:
            opt.apply_passes(module)
        except (DiagnosticException, S2SError):
            continue
        of_largest = max((error for name, error in OF_THE_LARGEST.items() if name in command), default=0.0)
        compared += compare_modules(before, module, opt.ctx.weights, of_largest)
    return compared


def compare_modules(before: ModuleOp, after: ModuleOp, weights: WeightStore, of_largest: float = 0.0) -> int:
    """Compare the functions that somebody outside may call; where none can be run, the kernels on their own."""
    public = [same_numbers(each, after, weights, of_largest) for each in functions(before) if not is_private(each)]
    if any(public):
        return sum(public)
    return sum(same_numbers(each, after, weights, of_largest) for each in functions(before) if is_private(each))


def functions(module: ModuleOp) -> list[FuncOp]:
    """The functions of `module`."""
    return [op for op in module.body.block.ops if isinstance(op, FuncOp)]


def is_private(function: FuncOp) -> bool:
    """Whether only other functions of the module may call `function`: a pass is free to change what it takes."""
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def same_numbers(before: FuncOp, module: ModuleOp, weights: WeightStore, of_largest: float = 0.0) -> bool:
    """Compare `before` with the function of its name in `module`; false if one of them cannot be run."""
    after = next((each for each in functions(module) if each.sym_name == before.sym_name), None)
    if after is None or not (runnable(before) and runnable(after)) or _takes_constants_otherwise(before, after):
        return False
    drawn = after if takes_bytes(before, after) else before
    inputs = [sample(f"{i}", type) for i, type in enumerate(input_types(drawn))]
    reals = as_reals(inputs, before.arg_attrs, after.arg_attrs)
    with np.errstate(all="ignore"):
        found = as_reals(results(after, inputs, weights), before.res_attrs, after.res_attrs)
        compare(before.sym_name.data, results(before, reals, weights), found, of_largest)
    return True


def takes_bytes(before: FuncOp, after: FuncOp) -> bool:
    """Whether a pass has put bytes in place of real numbers that `main` takes."""
    if before.arg_attrs is None or after.arg_attrs is None:
        return False
    return any(
        "quant_scale" in now.data and "quant_scale" not in then.data
        for then, now in zip(before.arg_attrs.data, after.arg_attrs.data, strict=False)
    )


def as_reals(
    arrays: Sequence[Array], before: ArrayAttr[DictionaryAttr] | None, after: ArrayAttr[DictionaryAttr] | None
) -> list[Array]:
    """The real numbers of bytes that a pass has put in place of them, by attributes of `main`; others as they are."""
    if before == after or before is None or after is None:
        return list(arrays)
    return [_reals(*each) for each in zip(arrays, before, after, strict=True)]


def _reals(array: Array, before: DictionaryAttr, after: DictionaryAttr) -> Array:
    scale, zero_point = after.data.get("quant_scale"), after.data.get("quant_zero_point")
    if before == after or not isinstance(scale, FloatAttr) or not isinstance(zero_point, IntegerAttr):
        return array
    return (array.astype(np.float32) - np.float32(zero_point.value.data)) * np.float32(scale.value.data)


def _takes_constants_otherwise(before: FuncOp, after: FuncOp) -> bool:
    """Whether buffers have become shorter: constants that all callers pass in another form."""
    pairs = zip(before.args, after.args, strict=False) if on_buffers(before) else ()
    return any(
        isa(old.type, MemRefType[Attribute])
        and isa(new.type, MemRefType[Attribute])
        and new.type.get_shape()[0] < old.type.get_shape()[0]
        for old, new in pairs
    )


def runnable(function: FuncOp) -> bool:
    """Whether there is an interpreter for all that `function` holds; main is not run at loop level, and functions of
    the user are run in C only."""
    dialects = {op.dialect_name() for op in function.walk()}
    others = loop.AllocOp | loop.NetworkCall | CallOp | loop.BlockCallOp | tensor.CallBlocksOp
    if any(isinstance(op, others) for op in function.walk()):
        return False
    types = {type(argument.type) for argument in function.body.block.args}
    return (dialects <= TENSOR_LEVELS and types <= {TensorType}) or (dialects <= LOOP_LEVEL and types == {MemRefType})


def on_buffers(function: FuncOp) -> bool:
    """Whether `function` is at loop level."""
    return any(isinstance(argument.type, MemRefType) for argument in function.body.block.args)


def input_types(function: FuncOp) -> list[AnyTensor]:
    """What `function` reads; a flat buffer is a tensor of rank 1."""
    attributes = () if function.arg_attrs is None or on_buffers(function) else function.arg_attrs.data
    states = {number for number, each in enumerate(attributes) if STATE in each.data}
    types = [argument.type for argument in function.body.block.args if argument.index not in states]
    return (
        [as_flat_tensor(each) for each in types[len(outputs_of(function)) :]]
        if on_buffers(function)
        else [as_tensor_type(each) for each in types]
    )


def as_flat_tensor(buffer: Attribute) -> AnyTensor:
    """The tensor type with the elements of a buffer."""
    assert isa(buffer, MemRefType[Attribute])
    return tensor_type(buffer.element_type, buffer.get_shape())


def results(function: FuncOp, inputs: Sequence[Array], weights: WeightStore) -> list[Array]:
    """What `function` makes of `inputs`, flat: a lowering may forget shapes. Buffers after the inputs are scratch; a
    pass may make them longer."""
    if not on_buffers(function):
        return [np.ravel(each) for each in run_tensor(function, inputs, weights)]
    types = [as_flat_tensor(argument.type) for argument in function.body.block.args]
    made = len(outputs_of(function))
    buffers = [np.zeros(each.get_shape(), to_numpy(each.element_type)) for each in types]
    for buffer, each in zip(buffers[made:], inputs, strict=False):
        buffer[: each.size] = np.ravel(each)
    run_loop_function(function, buffers, weights)
    return buffers[:made]


def compare(name: str, expected: Sequence[Array], found: Sequence[Array], of_largest: float = 0.0) -> None:
    """Raise when a result differs."""
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if np.issubdtype(one.dtype, np.integer) or one.dtype == np.bool_:
            same = np.array_equal(one, other)
        else:
            wide = one.astype(np.float64), other.astype(np.float64)
            atol = max(ATOL, of_largest * np.abs(wide[0]).max(initial=0.0))
            same = one.shape == other.shape and np.allclose(*wide, RTOL, atol, equal_nan=True)
        if not same or one.dtype != other.dtype:
            raise RunLineError(f"@{name}, result {number}: the pass changes the numbers\nbefore: {one}\nafter: {other}")
