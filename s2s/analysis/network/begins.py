"""The offsets at which kernels begin to read their arguments, where these depend on the sizes of the run.

    func.func private @conv(%x: tensor<1x8x98x98xf32> {begins = ["", "", "(H - 1) mod 2", "(W - 1) mod 2"]}, …)

In a run with an even `H` the kernel reads position 1 of axis 2 where its accesses say 0.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from s2s.analysis.structure.compute import shape_of
from s2s.types.dtypes import Array
from s2s.types.sizes import BEGINS, Extents, extents_attribute, extents_of


def begins_of(kernel: FuncOp, argument: BlockArgument) -> Extents:
    """Return for each axis of an argument the offset at which `kernel` begins, empty for 0; nothing if all are 0."""
    if kernel.arg_attrs is None or BEGINS not in (given := kernel.arg_attrs.data[argument.index].data):
        return ()
    return extents_of(given[BEGINS], len(shape_of(argument)))


def state_begins(kernel: FuncOp, argument: BlockArgument, begins: Extents) -> None:
    """State the offsets at which `kernel` begins to read an argument."""
    attributes = list(kernel.arg_attrs or [DictionaryAttr({})] * len(kernel.args))
    given = attributes[argument.index].data
    attributes[argument.index] = DictionaryAttr({**given, BEGINS: extents_attribute(begins)})
    kernel.arg_attrs = ArrayAttr(attributes)


def begun(kernel: FuncOp, operands: Sequence[Array], sizes: Mapping[str, int]) -> list[Array]:
    """Return the operands that `kernel` reads in a run of these `sizes`, from their offsets on."""
    found = list(operands)
    for argument in kernel.args:
        for axis, name in enumerate(begins_of(kernel, argument)):
            if name and sizes[name]:
                found[argument.index] = np.roll(found[argument.index], -sizes[name], axis)
    return found
