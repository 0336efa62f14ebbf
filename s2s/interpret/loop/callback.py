"""Interpret calls of C functions whose meaning is known, by the graph interpreter."""

from xdsl.dialects.builtin import ModuleOp

from s2s.analysis.network.functions import meanings_of
from s2s.dialects import loop
from s2s.errors import InputError
from s2s.interpret.affine import Frame
from s2s.interpret.graph import run_graph
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step
from s2s.interpret.scalar import signless
from s2s.types.dtypes import Array, as_tensor_type, to_numpy
from s2s.types.symbols import enclosing_module, function_named


@MEANINGS.register(loop.CallbackOp)
def callback(scope: Scope, op: loop.CallbackOp) -> Step:
    """`loop.callback`: the first outputs by the operators that the function stands for; the rest is scratch."""
    module = enclosing_module(op)
    meanings = meanings_of(module) if isinstance(module, ModuleOp) else None
    name = None if op.meaning is None else op.meaning.data
    meaning = None if meanings is None or name is None else function_named(meanings, name)
    if meaning is None:
        raise InputError(
            f"{op.function.data}: is a C function of the user, which only the emitted C can call; run that"
        )
    types = [as_tensor_type(type) for type in meaning.function_type.inputs]
    inputs, outputs = scope.operands(op.inputs)[: len(types)], scope.operands(op.outputs)

    def step(frame: Frame) -> None:
        given: list[Array] = [
            frame[place].view(to_numpy(type.element_type)).reshape(type.get_shape())
            for place, type in zip(inputs, types, strict=True)
        ]
        for place, value in zip(outputs, run_graph(meaning, given, scope.weights), strict=False):
            frame[place][:] = signless(value.reshape(-1))

    return step


@MEANINGS.register(loop.BlockCallOp)
def block_call(scope: Scope, op: loop.BlockCallOp) -> Step:
    """`loop.block_call`: nobody but the C knows what the function does to its block."""
    raise InputError(f"{op.function.data}: is a C function of the user, which only the emitted C can call; run that")
