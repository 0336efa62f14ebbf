"""A reference for networks with steps before and behind them: the steps by the graph interpreter, the network by an
engine.

    samples ─ --pre, interpreter ─► inputs of the model ─ engine ─► its outputs ─ --post, interpreter ─► results

The steps stand around a function without operators, which hands its inputs on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from s2s.analysis.network.functions import input_numbers, main_of, output_numbers
from s2s.compilation import Compilation
from s2s.frontends.features.attach import surround
from s2s.interpret.graph import initial_state, run_graph
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore

Stream = Sequence[Sequence[Array]]
Ports = Sequence[tuple[Attribute, Mapping[str, Attribute]]]
"""The types of tensors, and the facts about them."""
Engine = Callable[[Compilation, Stream], Iterator[Sequence[Array]]]
"""Runs a network without steps on the inputs of consecutive runs."""


def without_steps(compilation: Compilation) -> Compilation:
    """Return the compilation of the model without its steps."""
    options = replace(compilation.options, pre=(), post=())
    return Compilation(compilation.source, options)


def run_around(compilation: Compilation, engine: Engine, stream: Stream) -> Iterator[Sequence[Array]]:
    """Yield the outputs of consecutive runs of a network with steps, whose model `engine` runs."""
    plain, options = without_steps(compilation), compilation.options
    main = main_of(plain.at("read").module)
    before, behind = _inputs_of(main), _outputs_of(main)
    passed = list(_run(before, stream, pre=options.pre))
    yield from _run(behind, list(engine(plain, passed)), post=options.post)


def _inputs_of(main: FuncOp) -> Ports:
    types, facts = main.function_type.inputs.data, main.arg_attrs
    return [(types[number], _facts(facts, number)) for number in input_numbers(main)]


def _outputs_of(main: FuncOp) -> Ports:
    types, facts = main.function_type.outputs.data, main.res_attrs
    return [(types[number], _facts(facts, number)) for number in output_numbers(main)]


def _facts(attributes: ArrayAttr[DictionaryAttr] | None, number: int) -> Mapping[str, Attribute]:
    return {} if attributes is None else attributes.data[number].data


def _run(
    ports: Ports, stream: Stream, *, pre: Sequence[str] = (), post: Sequence[str] = ()
) -> Iterator[Sequence[Array]]:
    """Run steps on the tensors of consecutive runs, from the initial state of the steps on."""
    module, weights = _handing_on(ports), WeightStore()
    if pre or post:
        surround(module, weights, pre, post)
    kept = initial_state(module, weights)
    for tensors in stream:
        yield run_graph(module, list(tensors), weights, state=kept)


def _handing_on(ports: Ports) -> ModuleOp:
    """Return a network that gives what it is passed."""
    types = [type for type, _ in ports]
    block = Block(arg_types=types)
    block.add_op(ReturnOp(*block.args))
    main = FuncOp("main", (types, types), Region(block))
    main.arg_attrs = main.res_attrs = ArrayAttr([DictionaryAttr(facts) for _, facts in ports])
    return ModuleOp([main])


__all__ = ["run_around", "without_steps"]
