"""What the passes for external code generators write into the IR, and read from it.

func.func private @blas_matmul_ops(…) attributes {composite = ["blas.matmul"]}   operators that one pattern matches
graph.call @blas_matmul_ops(…) {external = "blas", region = 0}                   who computes them, in which call
func.func private @blas_matmul(…) attributes {external = "blas"}                 a region: calls of composites
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation
from xdsl.rewriter import Rewriter

from s2s.analysis.network.functions import DEVICE, EXTERNAL
from s2s.analysis.numbers.known_values import known_value
from s2s.decisions.external import KIND, OURS
from s2s.dialects import graph
from s2s.errors import CompilerBug
from s2s.external.generator import Composite
from s2s.external.modes import Modes, parse_modes
from s2s.external.registry import codegen_named
from s2s.passes.context import given_of, target_of
from s2s.targets import Target
from s2s.types.devices import MAIN
from s2s.types.hints import isa
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

COMPOSITE = "composite"
"""Attribute of a function: the patterns that its operators match, as `generator.pattern`, the preferred one first."""
REGION = "region"
"""Attribute of a call of a composite: calls with equal numbers are computed together."""


class Enabled(NamedTuple):
    """The generators of a compilation."""

    by_device: Mapping[str, Modes]
    """Generators that options name for each device."""
    given: Modes
    """Generators that only given decisions name, for all devices."""

    @property
    def names(self) -> list[str]:
        """All of them, each once."""
        return list(dict.fromkeys(name for each in (*self.by_device.values(), self.given) for name, _ in each))

    def on(self, device: str) -> Modes:
        """Return the generators that are asked about operators of a device."""
        return (*self.by_device.get(device, ()), *self.given)


def enabled(ctx: Context, generators: Sequence[str]) -> Enabled:
    """The generators that an option names, as `blas=auto` or `dsp:npu=always`, and the generators that given decisions
    name."""
    listed: dict[str, list[str]] = {}
    for text in generators:
        device, _, generator = text.rpartition(":")
        listed.setdefault(device or MAIN, []).append(generator)
    modes = {device: parse_modes(texts) for device, texts in listed.items()}
    known = {OURS, *(name for each in modes.values() for name, _ in each)}
    named = dict.fromkeys(name for name in given_of(ctx).user.get(KIND, {}).values() if name not in known)
    for name in named:
        codegen_named(name)
    return Enabled(modes, tuple((name, "never") for name in named))


def device_running(op: Operation) -> str:
    """Return the device that runs an operator, or a composite; a reshape is where its operand is."""
    while isinstance(op, graph.ReshapeOp) and isinstance(op.x.owner, Operation):
        op = op.x.owner
    device = op.attributes.get(DEVICE)
    return device.data if isinstance(device, StringAttr) else MAIN


def target_on(ctx: Context, device: str, target: str, others: Sequence[str]) -> Target:
    """Return the target of a device: one of `others`, as `dsp=cortex-m4`, else `target`, the first device's."""
    own = dict(each.split("=", 1) for each in others)
    return target_of(ctx, own.get(device, target))


def composite_calls(block: Block) -> Iterator[tuple[graph.CallOp, FuncOp]]:
    """The calls of composites in a block, with the functions that they call."""
    for op in list(block.ops):
        if isinstance(op, graph.CallOp):
            callee = function_named(op, op.callee.string_value())
            if callee is not None and COMPOSITE in callee.attributes:
                yield op, callee


def patterns_of(function: FuncOp) -> dict[str, str]:
    """The pattern of each generator that a composite matches."""
    listed = function.attributes[COMPOSITE]
    assert isa(listed, ArrayAttr[StringAttr])
    pairs = (each.data.partition(".") for each in listed)
    return {generator: pattern for generator, _, pattern in pairs}


def composite_of(call: graph.CallOp, function: FuncOp, generator: str, weights: WeightStore) -> Composite:
    """A composite as its generator sees it."""
    values = {number: known_value(operand, weights) for number, operand in enumerate(call.operands)}
    constants = {number: value for number, value in values.items() if value is not None}
    return Composite(patterns_of(function)[generator], function, constants)


def generator_of(op: Operation) -> str | None:
    """The generator that computes a call or a function; None for the kernels of s2s."""
    found = op.attributes.get(EXTERNAL)
    return found.data if isinstance(found, StringAttr) else None


def region_of(call: graph.CallOp) -> int | None:
    """The number of the region that a call belongs to."""
    found = call.attributes.get(REGION)
    return found.value.data if isinstance(found, IntegerAttr) else None


def inline(call: graph.CallOp, function: FuncOp) -> list[Operation]:
    """Put the operators of a composite in the place of its only call, and erase the function; return them."""
    block = function.body.block
    last = block.last_op
    assert last is not None
    returned = list(last.operands)
    if any(isinstance(value, BlockArgument) for value in returned):
        raise CompilerBug(f"@{function.sym_name.data} returns an argument, no pattern matches nothing")
    for argument, operand in zip(block.args, call.operands, strict=True):
        argument.replace_all_uses_with(operand)
    Rewriter.erase_op(last)
    ops = list(block.ops)
    for op in ops:
        op.detach()
    Rewriter.replace_op(call, ops, returned)
    Rewriter.erase_op(function)
    return ops
