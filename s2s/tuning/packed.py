"""Tasks as bytes, for processes on other machines: the IR of a kernel as text, and the weights that it reads."""

from collections.abc import Mapping

from xdsl.parser import Parser

from s2s.dialects import graph
from s2s.passes.context import CompilerContext
from s2s.stages.state import Facts, State
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore

Packed = tuple[str, str, Mapping[str, Array], Facts]
"""Stage, module, weights by name, and facts."""


def packed(state: State) -> Packed:
    """Return a state as data that can be pickled."""
    names = {op.weight_name.data for op in state.module.walk() if isinstance(op, graph.WeightOp)}
    weights = {name: state.weights.get(name) for name in state.weights.names() if name in names}
    return state.stage, str(state.module), weights, state.facts


def unpacked(data: Packed) -> State:
    """Return the state that was packed."""
    stage, text, arrays, facts = data
    weights = WeightStore()
    for name, array in arrays.items():
        weights.add(name, array)
    return State(stage, Parser(CompilerContext(), text).parse_module(), weights, facts)
