"""Import the custom operators that MediaPipe's face, iris and segmentation networks have, in version 2.

A transposed convolution with a bias, and three that look at parts of a picture: from landmarks follows the matrix that
turns and scales a part, the part is cut out with it between pixels, and landmarks of the part are moved back.
"""

import struct
from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import arc_tangent, cast, concat, equal, maximum, minimum, reshape, select, take, transpose
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.micro.flexbuffer import options_of
from s2s.frontends.tflite.node import Importer, Node

_SAME, _VALID = 1, 2
"""Paddings by the numbers of TFLite's C interface, which the options of a transposed convolution hold as they are."""
_F32, _I32 = np.dtype(np.float32), np.dtype(np.int32)


def _transpose_conv_bias(node: Node) -> Value:
    """A transposed convolution whose result is cut as the convolution that it inverts is padded."""
    x, w, bias = node.input(0), node.input(1), node.input(2)
    require_kinds(node, (x, w, bias), "float32")
    if x.rank != 4 or w.rank != 4 or x.shape[3] != w.shape[3] or bias.shape != (w.shape[0],):
        raise node.invalid(
            f"weights {list(w.shape)} and bias {list(bias.shape)} do not fit {list(x.shape)}", "fix them"
        )
    if len(node.info.custom_options) < 12:
        raise node.invalid("its options are damaged", "convert the model again")
    padding, across, down = struct.unpack_from("<3i", node.info.custom_options)
    if padding not in (_SAME, _VALID) or down < 1 or across < 1:
        raise node.invalid(f"has padding {padding} and strides {down}, {across}", "convert the model again")
    cut = [0, 0]
    if padding == _SAME:
        sizes = zip(w.shape[1:3], x.shape[1:3], (down, across), strict=True)
        cut = [max(0, kernel - (size - 1) % stride - 1) for kernel, size, stride in sizes]
    low = [each // 2 for each in cut]
    weights = transpose(w.value, [3, 0, 1, 2])
    weights.call(w.info.name)
    return emit(
        graph.ConvTransposeOp,
        x.value,
        weights,
        bias.value,
        strides=(down, across),
        pads=[*low, *(each - before for each, before in zip(cut, low, strict=True))],
        dilations=[1, 1],
        groups=1,
        output_padding=[0, 0],
        layout="NHWC",
    )


def _require_version_2(node: Node) -> None:
    if node.info.version != 2:
        raise node.unsupported(f"has version {node.info.version}", "convert the network with version 2 of it")


def _landmarks_to_matrix(node: Node) -> Value:
    """The matrix from places in a part to places in the picture. The part lies around a set of landmarks, turned by
    the direction from one landmark to another."""
    _require_version_2(node)
    points, options = node.input(0), options_of(node)
    require_kinds(node, (points,), "float32")
    if points.rank != 3 or points.shape[0] != 1 or points.shape[2] != 3:
        raise node.invalid(f"has landmarks {list(points.shape)}", "give [1, n, 3]")
    chosen = options.integers("subset_idxs")
    ends = [options.integer(name) for name in ("left_rotation_idx", "right_rotation_idx")]
    if not chosen or not all(0 <= each < points.shape[1] for each in (*chosen, *ends)):
        raise node.invalid(f"chooses none, or one beyond the {points.shape[1]} landmarks", "convert the model again")
    height, width = options.positive("output_height"), options.positive("output_width")
    flat = reshape(points.value, [points.shape[1], 3])
    x, y = (reshape(take(flat, 1, axis, 1), [points.shape[1]]) for axis in (0, 1))
    across, down = (take(each, 0, ends[1], 1) - take(each, 0, ends[0], 1) for each in (x, y))
    angle = options.real("target_rotation_radians") - arc_tangent(down, across)
    cosine, sine = emit(graph.CosOp, angle), emit(graph.SinOp, angle)
    places = node.constant(chosen, _I32)
    x, y = (emit(graph.GatherOp, each, places, axis=0) for each in (x, y))
    turned = cosine * x - sine * y, sine * x + cosine * y
    left, top = (emit(graph.ReduceMinOp, each, axes=[0], keepdims=True) for each in turned)
    right, bottom = (emit(graph.ReduceMaxOp, each, axes=[0], keepdims=True) for each in turned)
    middle_x, middle_y = (left + right) / 2.0, (top + bottom) / 2.0
    centre_x, centre_y = cosine * middle_x + sine * middle_y, cosine * middle_y - sine * middle_x
    scale_x = (right - left) * options.real("scale_x") / float(width)
    scale_y = (bottom - top) * options.real("scale_y") / float(height)
    rows = [[cosine * scale_x, sine * scale_y], [-sine * scale_x, cosine * scale_y]]
    shift = [
        centre - a * (width / 2.0) - b * (height / 2.0)
        for centre, (a, b) in zip((centre_x, centre_y), rows, strict=True)
    ]
    zero, one = (node.constant([number], _F32) for number in (0, 1))
    numbers = [
        *(rows[0][0], rows[0][1], zero, shift[0]),
        *(rows[1][0], rows[1][1], zero, shift[1]),
        *(zero, zero, one, zero),
        *(zero, zero, zero, one),
    ]
    return reshape(concat(numbers, 0), [1, 4, 4])


def _matrix_rows(node: Node, matrix: Value) -> list[list[Value]]:
    """The numbers of the first two rows, each a tensor of one element."""
    if matrix.shape != (1, 4, 4):
        raise node.invalid(f"has a matrix {list(matrix.shape)}", "give [1, 4, 4]")
    flat = reshape(matrix, [16])
    return [[take(flat, 0, 4 * row + column, 1) for column in range(4)] for row in range(2)]


def _transform_landmarks(node: Node) -> Value:
    """Landmarks `[1, n, 2 or 3]` moved by a matrix; a third coordinate stays as it is."""
    _require_version_2(node)
    points, matrix = node.input(0), node.input(1)
    require_kinds(node, (points, matrix), "float32")
    if points.rank != 3 or points.shape[2] not in (2, 3):
        raise node.invalid(f"has landmarks {list(points.shape)}", "give [1, n, 2] or [1, n, 3]")
    x, y = (take(points.value, 2, axis, 1) for axis in (0, 1))
    moved = [x * a + y * b + shift for a, b, _, shift in _matrix_rows(node, matrix.value)]
    return concat([*moved, *([take(points.value, 2, 2, 1)] if points.shape[2] == 3 else [])], 2)


def _transform_tensor(node: Node) -> Value:
    """The part of a picture at the places that a matrix gives, between pixels; zero outside of the picture."""
    _require_version_2(node)
    picture, matrix, options = node.input(0), node.input(1), options_of(node)
    require_kinds(node, (picture, matrix), "float32")
    if picture.rank != 4 or picture.shape[0] != 1:
        raise node.invalid(f"has a picture {list(picture.shape)}", "give [1, h, w, c]")
    _, height, width, channels = picture.shape
    rows, columns = node.shape([options.positive("output_height"), options.positive("output_width")])
    node.require_small(rows * columns, "its places")
    across = node.constant(np.tile(np.arange(columns), rows), _F32)
    down = node.constant(np.repeat(np.arange(rows), columns), _F32)
    places = [
        across * a + down * b + (shift + (a * 0.5 + b * 0.5 - 0.5))
        for a, b, _, shift in _matrix_rows(node, matrix.value)
    ]
    inside: list[Value] = []
    firsts: list[Value] = []
    shares: list[Value] = []
    for place, size in zip(places, (width, height), strict=True):
        kept = minimum(maximum(place, 0), size - 1)
        inside.append(equal(kept, place))  # not where it is no number
        first = select(inside[-1], emit(graph.FloorOp, kept), 0)
        firsts.append(cast(first, _I32))
        shares.append(reshape(select(inside[-1], place - first, 0), [rows * columns, 1]))
    pixels = reshape(picture.value, [height * width, channels])

    def pixel(right: int, lower: int) -> Value:
        x, y = (
            minimum(each + more, size - 1)
            for each, more, size in zip(firsts, (right, lower), (width, height), strict=True)
        )
        return emit(graph.GatherOp, pixels, y * width + x, axis=0)

    across_share, down_share = shares
    upper, lower = (pixel(0, row) * (1.0 - across_share) + pixel(1, row) * across_share for row in (0, 1))
    found = upper * (1.0 - down_share) + lower * down_share
    both = reshape(emit(graph.LogicalAndOp, inside[0], inside[1]), [rows * columns, 1])
    return reshape(select(both, found, 0), [1, rows, columns, channels])


IMPORTERS: Mapping[str, Importer] = {
    "Convolution2DTransposeBias": _transpose_conv_bias,
    "Landmarks2TransformMatrix": _landmarks_to_matrix,
    "TransformLandmarks": _transform_landmarks,
    "TransformTensorBilinear": _transform_tensor,
}
