"""A network of one kernel, cut out of the compilation of a whole network.

    main: … %y = graph.call @conv_3x3(%x, %w, %bias) …
->
    main(%input0): %w = graph.weight "…" %bias = graph.weight "…" graph.call @conv_3x3(%input0, %w, %bias)

The kernel keeps its task key, because it reads the same operands, of which the same ones are weights.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from s2s.analysis.network.constants import constant_arguments
from s2s.c_syntax.interface import Port, named_ports
from s2s.data.samples import sample
from s2s.dialects import graph
from s2s.emit.info import GoldenVector
from s2s.errors import InputError
from s2s.interpret.tensor import run_tensor
from s2s.stages.graph import Grouped
from s2s.stages.read import Read
from s2s.stages.settle import Settled
from s2s.stages.simplify import Simplified
from s2s.stages.state import Facts, State
from s2s.types.dtypes import Array, as_tensor_type, tensor_type

NAME = "task"
"""The prefix of the C names of a task."""


def isolated(state: State, kernel: FuncOp, calls: Mapping[str, list[graph.CallOp]]) -> State:
    """Return the state of a network that calls `kernel` once, with the weights of its first call."""
    call = calls[kernel.sym_name.data][0]
    constants = constant_arguments(kernel, calls)
    passed = [argument not in constants for argument in kernel.body.block.args]
    types = [operand.type for operand, given in zip(call.operands, passed, strict=True) if given]
    block = Block(arg_types=types)
    inputs = iter(block.args)
    copies = [next(inputs) if given else _copy(operand) for operand, given in zip(call.operands, passed, strict=True)]
    made = graph.CallOp(call.callee, copies, [result.type for result in call.results])
    made.attributes.update(call.attributes)
    weights = dict.fromkeys(each.owner for each in copies if isinstance(each.owner, Operation))
    block.add_ops([*weights, made, ReturnOp(*made.results)])
    main = FuncOp("main", (types, [result.type for result in made.results]), Region(block))
    names = [f"input{number}" for number in range(len(types))], [f"output{n}" for n in range(len(made.results))]
    main.arg_attrs, main.res_attrs = (
        ArrayAttr([DictionaryAttr({"name": StringAttr(n)}) for n in each]) for each in names
    )
    module = ModuleOp([kernel.clone(), main])
    ports = [
        tuple(_port(name, value) for name, value in zip(listed, values, strict=True))
        for listed, values in zip(names, (block.args, made.results), strict=True)
    ]
    return _with_facts(replace(state, module=module, weights=state.weights.copy()), *named_ports(*ports))


def _copy(operand: SSAValue) -> SSAValue:
    assert isinstance(operand.owner, graph.WeightOp)
    return operand.owner.clone().results[0]


def _port(name: str, value: SSAValue) -> Port:
    type = as_tensor_type(value.type)
    return Port(name, type.element_type, type.get_shape())


def _with_facts(state: State, inputs: tuple[Port, ...], outputs: tuple[Port, ...]) -> State:
    read = Read(NAME, NAME, "", inputs, outputs, (), ())
    golden = _golden(state, inputs)
    settled = Settled(golden=(golden,), sums=(), steps=(None,) * len(outputs), work=0)
    facts = Facts()
    for fact in (read, settled, Simplified(None), Grouped(())):
        facts = facts.extended(fact)
    return replace(state, facts=facts)


def _golden(state: State, inputs: Sequence[Port]) -> GoldenVector:
    """Made-up inputs and what the tensor interpreter computes from them; small indices where others are illegal."""
    arrays = tuple(_made_up(port) for port in inputs)
    try:
        return GoldenVector(arrays, tuple(run_tensor(state.module, arrays, state.weights, fast=True)))
    except (InputError, IndexError):
        arrays = tuple(np.zeros_like(array) for array in arrays)
        return GoldenVector(arrays, tuple(run_tensor(state.module, arrays, state.weights, fast=True)))


def _made_up(port: Port) -> Array:
    return sample(port.name, tensor_type(port.element, port.shape))
