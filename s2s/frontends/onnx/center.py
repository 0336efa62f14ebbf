"""Import CenterCropPad, which crops or pads a tensor around its centre."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.computed_places import read_nearest
from s2s.frontends.formulas import checked_shape, pad, reshape, select
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.sampling import within


def _center_crop_pad(node: Node) -> Value:
    """Of 7 elements the centre 4 begin at the second one; 4 elements have one 0 before and two behind in 7."""
    x, sizes = node.input(0), node.known_ints(1, "its shape")
    given = node.integers("axes", list(range(x.rank)))
    axes = [node.axis(axis, x.rank) for axis in given]
    if len(set(axes)) != len(axes):
        raise node.invalid(f"axes {given} name an axis twice", "name it once")
    if len(sizes) != len(axes):
        raise node.invalid(f"{len(sizes)} sizes for {len(axes)} axes", "give one size for each axis")
    shape = list(x.shape)
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    checked_shape(tuple(shape), node.place)
    if x.builder.varies:
        for axis in axes:
            x = _centre_of_run(x, axis, shape[axis])
        return x
    missing = [size - own for size, own in zip(shape, x.shape, strict=True)]
    low = [int(count / 2) for count in missing]
    return pad(x, low, [count - before for count, before in zip(missing, low, strict=True)])


def _centre_of_run(x: Value, axis: int, size: int) -> Value:
    """The centre `size` elements along an axis; both sizes may vary from run to run, and either may be the larger."""
    dtype = np.dtype(np.int32)
    own, wanted = (x.builder.sizes(each, dtype) for each in (x.shape[axis], size))
    at = x.builder.counted(size, dtype) + emit(graph.DivOp, own - wanted, own.like(2))
    inside = reshape(within(at, 0, own - 1), [size if each == axis else 1 for each in range(x.rank)])
    return select(inside, read_nearest(x, axis, at), 0)


IMPORTERS: Mapping[str, Importer] = {"CenterCropPad": _center_crop_pad}
