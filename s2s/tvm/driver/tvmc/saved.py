"""The text of a saved network at graph level."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from xdsl.parser import Parser

from s2s.dialects import graph
from s2s.passes.context import CompilerContext
from s2s.tvm.relay.module import IRModule
from s2s.types.weights import WeightStore


def read_module(text: str, params: Mapping[str, npt.ArrayLike]) -> IRModule:
    """Return the network of a text that `TVMCModel.save` wrote, with the values of its weights."""
    module = Parser(CompilerContext(), text).parse_module()
    names = {op.weight_name.data for op in module.walk() if isinstance(op, graph.WeightOp)}
    weights = WeightStore()
    for name in sorted(names):
        weights.add(name, np.asarray(params[name]))
    return IRModule.of(module, weights)
