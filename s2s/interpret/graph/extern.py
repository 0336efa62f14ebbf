"""`graph.extern` in numpy: the Python function that is registered under the name of the function."""

from collections.abc import Sequence

import numpy as np

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.interpret.host import host
from s2s.types.dtypes import Array, as_tensor_type, to_numpy


def run_extern(op: graph.ExternOp, operands: Sequence[Array]) -> list[Array]:
    """Compute the results by a registered function, called with copies of the inputs and with the outputs to write."""
    name = op.function.data
    types = [as_tensor_type(output.type) for output in op.outputs]
    outputs = [np.zeros(type.get_shape(), to_numpy(type.element_type)) for type in types]
    registry = host()
    inputs = [np.array(each, order="C") for each in operands]
    if registry is None or not registry.call(name, inputs, outputs, op.values):
        what = "packed function" if op.packed is not None else "function of C"
        raise InputError(
            f"{what} {name}: no Python function says what it computes; register one by s2s.register_func({name!r}, …)"
        )
    return outputs
