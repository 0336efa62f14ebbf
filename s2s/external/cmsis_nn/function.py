"""What the functions of CMSIS-NN have in common: how one is described, its arguments as C, and the final rescale."""

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import SSAValue

from s2s.dialects import graph
from s2s.external.generator import Code, Composite, Step
from s2s.external.pattern import Pattern
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.dtypes import Array


@frozen
class Function:
    """A function of the library, and the operators that it computes."""

    name: str
    pattern: Pattern
    refused: Callable[[Composite], str | None]
    """Why it cannot compute what the pattern matches; None if it can."""
    code: Callable[[Step, Target], Code]


def has_vectors(target: Target) -> bool:
    """Whether the library is compiled for vectors of integers (MVE)."""
    return target.integer_lanes > 0


def known(composite: Composite, operand: SSAValue) -> Array:
    """The value of a constant operand."""
    value = composite.value(operand)
    assert value is not None
    return np.asarray(value)


def refused_rescale(composite: Composite, *, per_channel: bool = False) -> str | None:
    """Why the library cannot rescale as the last operator does; None if it can."""
    op = result_scale(composite)
    if op.rounding_mode != "double":
        return f"its sums are rounded once ({op.rounding_mode}), CMSIS-NN rounds twice"
    element = composite.outputs[0].element_type
    if str(element) != "i8" or op.zero_points[0]:
        return f"it makes {element}, CMSIS-NN makes i8"
    if op.channel_axis is None:
        return None
    if op.channel_axis != len(composite.outputs[0].get_shape()) - 1:
        return "its scales vary along another dimension than channels, which come last"
    return None if per_channel else "its scales vary along channels, CMSIS-NN takes one"


def result_scale(composite: Composite) -> graph.RescaleOp:
    """The rescale that makes the result."""
    op = composite.ops[-1]
    assert isinstance(op, graph.RescaleOp)
    return op


def scale_of(composite: Composite, op: graph.RescaleOp) -> tuple[int, int]:
    """Multiplier and shift of a whole tensor."""
    multiplier, shift = (int(known(composite, each).reshape(-1)[0]) for each in (op.multiplier, op.shift))
    return multiplier, shift


def scales_of(composite: Composite, channels: int) -> dict[str, Array]:
    """Multiplier and shift of each channel of the result, as integers of 32 bits."""
    op = result_scale(composite)
    found = {"multiplier": op.multiplier, "shift": op.shift}
    return {
        name: np.asarray(np.broadcast_to(known(composite, each).reshape(-1).astype(np.int32), channels), order="C")
        for name, each in found.items()
    }


def output_zp(composite: Composite) -> int:
    """The zero point of the result."""
    return result_scale(composite).zero_points[1]


def limits(composite: Composite) -> tuple[int, int]:
    """The smallest and the largest result."""
    return result_scale(composite).limits


def activation(composite: Composite) -> str:
    """The limits of the result as an initialiser of `cmsis_nn_activation`."""
    low, high = limits(composite)
    return f"{{{low}, {high}}}"


def dims(name: str, sizes: Sequence[int]) -> str:
    """The declaration of a shape."""
    return f"const cmsis_nn_dims {name} = {{{', '.join(map(str, sizes))}}};"


def pair(values: Sequence[int]) -> str:
    """A size or a distance, the width first."""
    return f"{{{values[1]}, {values[0]}}}"


def context(size: int) -> str:
    """The declaration of a context with `size` bytes of scratch."""
    return f"const cmsis_nn_context ctx = {{{f'scratch, {size}' if size else 'NULL, 0'}}};"
