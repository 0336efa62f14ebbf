"""Replace each region of an external code generator by a declaration of the C function that computes it.

    func.func private @blas_matmul(%x: …, %w: …) -> … attributes {kernel, external = "blas"} { graph.call … }
    func.func @main(…) { %y = graph.call @blas_matmul(%x, %w) … }
->
    func.func private @blas_matmul(…, …) -> … attributes {callback = "net_blas_1f0c…", source = "void …", …}
    func.func @main(…) { %y = graph.call @blas_matmul(%x, %w) … }
    builtin.module @meanings {
      func.func private @blas_matmul(%x: …, %w: …) -> … { … }
    }

The operators move to the module `@meanings`, by which interpreters of all levels compute what the C function does. From
here on the declaration is a kernel like the C functions that users supply (`tensor-lower-to-loop`). Constants that the
generator has in a layout of its own are named by the declaration and no longer passed by the call. The C function is
called after its text: regions with equal code share one function. Each device has functions of its own, for its target.
"""

import hashlib
from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FunctionType, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.constants import calls_of
from s2s.analysis.network.functions import (
    CALLBACK,
    CONSTANTS,
    DEFINITIONS,
    DEVICE,
    DOC,
    EXTERNAL,
    HEADERS,
    SCRATCH,
    SOURCE,
    add_meaning,
)
from s2s.analysis.numbers.known_values import known_value
from s2s.c_syntax.types import c_type
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance, provenance
from s2s.errors import CompilerBug
from s2s.external import generator as external
from s2s.external.registry import codegen_named
from s2s.passes.context import weights_of
from s2s.passes.graph.composites import composite_of, device_running, generator_of, inline, target_on
from s2s.passes.graph.constants import name_for
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN
from s2s.types.dtypes import Array, as_tensor_type, from_numpy
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

_DIGITS = 8


@frozen
class GenerateExternalCodePass(ModulePass):
    """Ask the generators for the C of their regions."""

    name = "graph-generate-external-code"

    target: str = "c"
    targets: tuple[str, ...] = ()
    """The targets of other devices than the first one, as `dsp=cortex-m4`, where they differ."""
    prefix: str = "net"
    """The name of the network in C."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        calls = calls_of(op)
        claimed = [each for each in op.body.block.ops if isinstance(each, FuncOp) and generator_of(each) is not None]
        for function in claimed:
            name = generator_of(function)
            assert name is not None
            if len(calls[function.sym_name.data]) != 1:
                raise CompilerBug(f"@{function.sym_name.data}: a region is called once")
            call = calls[function.sym_name.data][0]
            region = _region(function, call, name, weights_of(ctx))
            device = device_running(function)
            code = codegen_named(name).code(region, target_on(ctx, device, self.target, self.targets))
            prefix = self.prefix if device == MAIN else f"{self.prefix}_{device}"
            _replace(op, function, call, _Written(region, code, name, prefix), weights_of(ctx))


def _region(function: FuncOp, call: graph.CallOp, generator: str, weights: WeightStore) -> external.Region:
    """The region as its generator sees it."""
    block = function.body.block
    last = block.last_op
    assert isinstance(last, ReturnOp)
    names: dict[SSAValue, str] = {argument: f"x{argument.index}" for argument in block.args}
    names |= {value: f"y{number}" for number, value in enumerate(last.arguments)}
    calls = [op for op in block.ops if isinstance(op, graph.CallOp)]
    inner = [value for each in calls for value in each.results if value not in names]
    names |= {value: f"t{number}" for number, value in enumerate(inner)}
    known = {
        argument: known_value(operand, weights) for argument, operand in zip(block.args, call.operands, strict=True)
    }
    constants: dict[SSAValue, Array] = {value: array for value, array in known.items() if array is not None}
    steps: list[external.Step] = []
    for each in calls:
        callee = function_named(each, each.callee.string_value())
        assert callee is not None
        composite = composite_of(each, callee, generator, weights)
        passed = {number: constants[value] for number, value in enumerate(each.operands) if value in constants}
        composite = external.Composite(composite.pattern, composite.function, passed)
        inputs, outputs = (tuple(names[value] for value in values) for values in (each.operands, each.results))
        steps.append(external.Step(composite, inputs, outputs))
    return external.Region(
        steps=tuple(steps),
        inputs=tuple(function.function_type.inputs),
        outputs=tuple(function.function_type.outputs),
        constants={names[value]: array for value, array in constants.items()},
        inner={names[value]: value.type for value in inner},
    )


@frozen
class _Written:
    """The code of a region as text."""

    region: external.Region
    code: external.Code
    generator: str
    prefix: str
    """The name of the network, with the name of the device unless it is the first one."""

    @property
    def passed(self) -> list[int]:
        """The numbers of the inputs that calls pass."""
        return [number for number in range(len(self.region.inputs)) if f"x{number}" not in self.code.replaced]

    @property
    def function(self) -> str:
        """The name of the C function, after its text."""
        text = "\n".join([*self.code.headers, self.code.definitions, self._parameters, self.code.body])
        digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
        return f"{self.prefix}_{self.generator.replace('-', '_')}_{digest}"

    @property
    def source(self) -> str:
        """The definition of the C function."""
        body = "\n".join(f"    {line}" if line else "" for line in self.code.body.strip("\n").split("\n"))
        return f"void {self.function}({self._parameters})\n{{\n{body}\n}}"

    @property
    def _parameters(self) -> str:
        region, code = self.region, self.code
        made = [f"{_element(type)} *y{number}" for number, type in enumerate(region.outputs)]
        made += ["int64_t *scratch"] if code.scratch else []
        made += [f"const {_element(region.inputs[number])} *x{number}" for number in self.passed]
        made += [f"const {c_type(from_numpy(array.dtype))} *{name}" for name, array in code.constants.items()]
        return ", ".join(made)


def _element(type: Attribute) -> str:
    return c_type(as_tensor_type(type).element_type)


def _replace(module: ModuleOp, function: FuncOp, call: graph.CallOp, written: _Written, weights: WeightStore) -> None:
    """Put a declaration in place of the region, and move the region to the meanings."""
    code, name = written.code, function.sym_name.data
    operands = [call.operands[number] for number in written.passed]
    kind = FunctionType.from_lists([value.type for value in operands], list(function.function_type.outputs))
    declaration = FuncOp(name, kind, Region(), visibility="private")
    declaration.attributes |= {
        CALLBACK: StringAttr(written.function),
        EXTERNAL: StringAttr(written.generator),
        SOURCE: StringAttr(written.source),
        DOC: StringAttr(_doc(name, written, provenance(call))),
    }
    if DEVICE in function.attributes:
        declaration.attributes[DEVICE] = function.attributes.pop(DEVICE)
    if code.headers:
        declaration.attributes[HEADERS] = ArrayAttr(map(StringAttr, code.headers))
    if code.definitions:
        declaration.attributes[DEFINITIONS] = StringAttr(code.definitions.strip("\n"))
    if code.scratch:
        declaration.attributes[SCRATCH] = IntegerAttr(code.scratch, i64)
    if code.constants:
        stored = [weights.add(name_for(call, key), array) for key, array in code.constants.items()]
        declaration.attributes[CONSTANTS] = ArrayAttr(map(StringAttr, stored))
    module.body.block.insert_op_before(declaration, function)
    made = graph.CallOp(name, operands, call.result_types)
    copy_provenance(made, call)
    for old, new in zip(call.results, made.results, strict=True):
        new.name_hint = old.name_hint
    old_operands = list(call.operands)
    Rewriter.replace_op(call, made)
    _keep_meaning(module, function, old_operands, written.passed)


def _doc(name: str, written: _Written, nodes: Sequence[str]) -> str:
    what = ", ".join(step.composite.pattern for step in written.region.steps)
    return f"{name}: {what}, by {written.generator}\nnodes: {', '.join(nodes)}" if nodes else f"{name}: {what}"


def _keep_meaning(module: ModuleOp, function: FuncOp, operands: Sequence[SSAValue], passed: Sequence[int]) -> None:
    """Move the operators of a region to the module of meanings; inputs that are not passed become constants there."""
    block = function.body.block
    for call in [each for each in block.ops if isinstance(each, graph.CallOp)]:
        composite = function_named(call, call.callee.string_value())
        assert composite is not None
        inline(call, composite)
    first = block.first_op
    assert first is not None
    for number in reversed([number for number in range(len(operands)) if number not in passed]):
        constant = operands[number].owner
        assert isinstance(constant, graph.ConstantInterface)
        copy = constant.clone()
        block.insert_op_before(copy, first)
        block.args[number].replace_all_uses_with(copy.results[0])
        block.erase_arg(block.args[number])
    outputs = list(function.function_type.outputs)
    function.function_type = FunctionType.from_lists([argument.type for argument in block.args], outputs)
    function.detach()
    add_meaning(module, function)
