"""Networks of one operator for the operators that `operator_cases` leaves out: with it, all that compute with
tensors."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from benchmarks.operator_cases import IMAGE, MATRIX, PICTURE, SIDE, Case, Make, bools, floats, indices, ints
from s2s.types.dtypes import Array

BATCHES = 8


def unit(*shape: int) -> Array:
    """Numbers of -0.9 to 0.9."""
    return np.random.default_rng(7).uniform(-0.9, 0.9, shape).astype(np.float32)


def positive(*shape: int) -> Array:
    """Numbers of 1 to 3."""
    return np.random.default_rng(8).uniform(1, 3, shape).astype(np.float32)


def integers(dtype: type[np.generic], low: int, high: int, *shape: int) -> Array:
    """Integers of a type, from `low` and below `high`."""
    return np.random.default_rng(9).integers(low, high, shape).astype(dtype)


def _scalar(value: float, dtype: type[np.generic] = np.float32) -> Make:
    return partial(np.array, value, dtype)


def _small(*shape: int) -> Make:
    """Weights whose sums stay near 1."""
    return lambda: floats(*shape) * np.float32(0.05)


UNIT, POSITIVE = partial(unit, SIDE, SIDE), partial(positive, SIDE, SIDE)
WORDS, MASKS = partial(integers, np.int32, 1, 1000, SIDE, SIDE), partial(integers, np.uint32, 0, 8, SIDE, SIDE)
TRUTH = partial(bools, 1024, 1024)
BYTES = partial(integers, np.uint8, 0, 256, SIDE, SIDE)
SEQUENCE = partial(floats, 32, 1, 128)


def elementwise() -> Mapping[str, Case]:
    """Functions of one element."""
    plain = (
        *("Abs", "Asinh", "Atan", "Ceil", "Celu", "Cos", "Cosh", "Elu", "HardSigmoid", "HardSwish", "IsInf", "IsNaN"),
        *("LeakyRelu", "Mish", "Neg", "Reciprocal", "Round", "Selu", "Shrink", "Sign", "Sin", "Sinh", "Softplus"),
        *("Softsign", "Tan", "ThresholdedRelu"),
    )
    limited = {kind: Case(kind, [UNIT]) for kind in ("Acos", "Asin", "Atanh")}
    above = {kind: Case(kind, [POSITIVE]) for kind in ("Acosh", "Log")}
    casts = {
        f"Cast to {name}": Case("Cast", [MATRIX], attributes={"to": to})
        for name, to in (("int32", 6), ("int64", 7), ("int8", 3), ("bool", 9), ("double", 11))
    }
    other = {
        "BitwiseNot": Case("BitwiseNot", [WORDS]),
        "Clip": Case("Clip", [MATRIX], [_scalar(-1), _scalar(1)]),
        "Identity": Case("Identity", [MATRIX]),
        "Not": Case("Not", [TRUTH]),
        "PRelu": Case("PRelu", [MATRIX], [partial(floats, SIDE)]),
        "DequantizeLinear": Case("DequantizeLinear", [BYTES], [_scalar(0.5), _scalar(3, np.uint8)]),
    }
    return {kind: Case(kind, [MATRIX]) for kind in plain} | limited | above | casts | other


def binary() -> Mapping[str, Case]:
    """Functions of two elements."""
    pairs = {kind: Case(kind, [MATRIX, MATRIX]) for kind in ("Sub", "Mul", "Div", "Min", "Max", "Mean")}
    compared = {
        kind: Case(kind, [MATRIX, MATRIX]) for kind in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
    }
    bits = {kind: Case(kind, [WORDS, WORDS]) for kind in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")}
    other = {
        "Add of a row": Case("Add", [MATRIX, partial(floats, SIDE)]),
        "Add of a column": Case("Add", [MATRIX, partial(floats, SIDE, 1)]),
        "BitShift": Case("BitShift", [MASKS, MASKS], attributes={"direction": "LEFT"}),
        "Div of integers": Case("Div", [WORDS, WORDS]),
        "Mod of integers": Case("Mod", [WORDS, WORDS]),
        "Mod of floats": Case("Mod", [MATRIX, POSITIVE], attributes={"fmod": 1}),
        "Or of bools": Case("Or", [TRUTH, TRUTH]),
        "Pow": Case("Pow", [POSITIVE, MATRIX]),
        "Pow by 2": Case("Pow", [MATRIX], [_scalar(2)]),
        "Sum of three": Case("Sum", [MATRIX, MATRIX, MATRIX]),
    }
    return pairs | compared | bits | other


def typed() -> Mapping[str, Case]:
    """Functions of bytes, integers and truth values, of about 1 MB."""
    small = partial(integers, np.int8, -128, 128, 1024, 1024)
    whole = partial(integers, np.int32, -1000, 1000, SIDE, SIDE)
    unsigned = partial(integers, np.uint8, 0, 256, 1024, 1024)
    limits = [_scalar(5, np.int8), _scalar(60, np.int8)]
    along = [ints(1)]
    return {
        "Abs of uint8": Case("Abs", [unsigned]),
        "Cast of bool to float": Case("Cast", [TRUTH], attributes={"to": 1}),
        "Cast of int8 to uint8": Case("Cast", [small], attributes={"to": 2}),
        "Clip of int8": Case("Clip", [small], limits),
        "Max of int8": Case("Max", [small, small]),
        "Min of int8": Case("Min", [small, small]),
        "ReduceMax of int8": Case("ReduceMax", [small], along, {"keepdims": 0}),
        "ReduceMax of int32": Case("ReduceMax", [whole], along, {"keepdims": 0}),
        "ReduceSum of int32": Case("ReduceSum", [whole], along, {"keepdims": 0}),
        "Where of int8": Case("Where", [TRUTH, small, small]),
    }


def casts() -> Mapping[str, Case]:
    """Casts that C compilers make vectors of only in some forms; casts to unsigned integers are of positive numbers."""
    numbers = {"float16": np.float16, "float32": np.float32, "float64": np.float64}
    targets = {"int8": 3, "uint8": 2, "int16": 5, "uint16": 4, "int32": 6, "uint32": 12, "int64": 7, "uint64": 13}
    floats_to_integers = {
        f"Cast of {source} to {target}": Case(
            "Cast", [partial(_typed, POSITIVE if target[0] == "u" else MATRIX, dtype)], attributes={"to": to}
        )
        for source, dtype in numbers.items()
        for target, to in targets.items()
        if f"{source} to {target}" not in ("float32 to int8", "float32 to int32", "float32 to int64")
    }
    truth = {
        "Cast of float16 to bool": Case("Cast", [partial(_typed, MATRIX, np.float16)], attributes={"to": 9}),
        "Cast of bool to float16": Case("Cast", [TRUTH], attributes={"to": 10}),
    }
    return floats_to_integers | truth


def _typed(make: Make, dtype: type[np.generic]) -> Array:
    """What `make` makes, as numbers of a type."""
    return make().astype(dtype)


def reduced() -> Mapping[str, Case]:
    """Reductions, and norms of rows and images."""
    kinds = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMin", "ReduceProd", "ReduceSum")
    rows = {
        f"{kind} axis {axis}": Case(kind, [POSITIVE if "Log" in kind else UNIT], [ints(axis)], {"keepdims": 0})
        for kind in (*kinds, "ReduceSumSquare")
        for axis in (0, 1)
    }
    arg = {f"ArgMin axis {axis}": Case("ArgMin", [MATRIX], attributes={"axis": axis}) for axis in (0, 1)}
    pools = {kind: Case(kind, [PICTURE]) for kind in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")}
    channels = partial(np.ones, IMAGE[1], np.float32)
    norms = {
        "BatchNormalization": Case("BatchNormalization", [PICTURE], [channels] * 4),
        "GroupNormalization": Case("GroupNormalization", [PICTURE], [channels] * 2, {"num_groups": 8}, opset=21),
        "Hardmax": Case("Hardmax", [MATRIX]),
        "InstanceNormalization": Case("InstanceNormalization", [PICTURE], [channels] * 2),
        "LRN": Case("LRN", [PICTURE], attributes={"size": 5}),
        "LogSoftmax": Case("LogSoftmax", [MATRIX]),
        "LpNormalization": Case("LpNormalization", [MATRIX]),
        "LpPool 3x3 s2": Case("LpPool", [PICTURE], attributes={"kernel_shape": [3, 3], "strides": [2, 2]}),
        "MeanVarianceNormalization": Case("MeanVarianceNormalization", [PICTURE]),
        "RMSNormalization": Case("RMSNormalization", [MATRIX], [partial(np.ones, SIDE, np.float32)], opset=23),
        "Softmax axis 0": Case("Softmax", [MATRIX], attributes={"axis": 0}),
    }
    return rows | arg | pools | norms


def layers() -> Mapping[str, Case]:
    """Products, convolutions, recurrent layers and attention."""
    image = partial(floats, 1, 64, 56, 56)
    recurrent = {
        kind: Case(
            kind,
            [SEQUENCE],
            [_small(1, gates * 128, 128), _small(1, gates * 128, 128)],
            {"hidden_size": 128},
            outputs=1,
        )
        for kind, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1))
    }
    weights = partial(integers, np.uint8, 0, 256, SIDE, SIDE)
    heads = partial(floats, 1, 8, 128, 64)
    quantised = [_scalar(0.5), _scalar(3, np.uint8)]
    integer = {
        "ConvInteger": Case(
            "ConvInteger",
            [partial(integers, np.uint8, 0, 256, 1, 32, 56, 56)],
            [partial(integers, np.uint8, 0, 256, 32, 32, 3, 3)],
        ),
        "MatMulInteger": Case("MatMulInteger", [BYTES], [weights]),
        "QLinearMatMul": Case("QLinearMatMul", [BYTES], [*quantised, weights, *quantised, *quantised]),
        "QLinearConv": Case(
            "QLinearConv",
            [partial(integers, np.uint8, 0, 256, 1, 32, 56, 56)],
            [*quantised, partial(integers, np.uint8, 0, 256, 32, 32, 3, 3), *quantised, *quantised],
        ),
    }
    return recurrent | integer | {
        "Attention": Case("Attention", [heads, heads, heads], opset=23),
        "Conv 1x1": Case("Conv", [image], [_small(64, 64, 1, 1)]),
        "Conv 3x3": Case("Conv", [image], [_small(64, 64, 3, 3)], {"pads": [1] * 4}),
        "Conv 3x3 of channels": Case("Conv", [image], [_small(64, 1, 3, 3)], {"pads": [1] * 4, "group": 64}),
        "ConvTranspose": Case("ConvTranspose", [image], [_small(64, 32, 2, 2)], {"strides": [2, 2]}),
        "DeformConv": Case(
            "DeformConv", [partial(floats, 1, 16, 32, 32)], [_small(16, 16, 3, 3), _small(1, 18, 30, 30)], opset=19
        ),
        "Einsum": Case("Einsum", [partial(floats, 8, 128, 128)] * 2, attributes={"equation": "bij,bjk->bik"}),
        "Gemm": Case("Gemm", [MATRIX], [_small(SIDE, SIDE), partial(floats, SIDE)]),
        "MatMul": Case("MatMul", [MATRIX], [_small(SIDE, SIDE)]),
        "MatMul of two inputs": Case("MatMul", [MATRIX, MATRIX]),
        "RotaryEmbedding": Case(
            "RotaryEmbedding", [partial(floats, 1, 8, 512, 64)], [partial(unit, 1, 512, 32)] * 2, opset=23
        ),
    }  # fmt: skip


def moved() -> Mapping[str, Case]:
    """Operators that move, choose and sample elements."""
    return {**_moved_by_shape(), **_moved_by_places()}


def _moved_by_shape() -> Mapping[str, Case]:
    """Operators whose elements go where shapes and attributes say."""
    return {
        "AffineGrid": Case("AffineGrid", [partial(floats, 8, 2, 3)], [ints(8, 3, 128, 128)], opset=20),
        "CenterCropPad": Case("CenterCropPad", [MATRIX], [ints(400, 600)]),
        "Col2Im": Case("Col2Im", [partial(floats, 1, 16 * 9, 1600)], [ints(42, 42), ints(3, 3)]),
        "Concat axis 0": Case("Concat", [MATRIX, MATRIX], attributes={"axis": 0}),
        "Concat axis 1": Case("Concat", [MATRIX, MATRIX], attributes={"axis": 1}),
        "CumProd": Case("CumProd", [UNIT], [partial(np.array, 1, np.int64)], opset=26),
        "DFT": Case("DFT", [partial(floats, 256, 1024, 1)], attributes={"axis": 1}, opset=17),
        "DepthToSpace": Case("DepthToSpace", [PICTURE], attributes={"blocksize": 2}),
        "Det": Case("Det", [partial(floats, 4096, 8, 8)]),
        "Expand": Case("Expand", [partial(floats, SIDE, 1)], [ints(SIDE, SIDE)]),
        "EyeLike": Case("EyeLike", [MATRIX]),
        "Reshape": Case("Reshape", [MATRIX], [ints(-1)]),
        "Resize cubic": Case(
            "Resize",
            [partial(floats, 1, 16, 64, 64)],
            [partial(np.zeros, 0, np.float32), partial(np.array, [1, 1, 2, 2], np.float32)],
            {"mode": "cubic"},
        ),
        "Resize nearest": Case(
            "Resize",
            [partial(floats, 1, 16, 64, 64)],
            [partial(np.zeros, 0, np.float32), partial(np.array, [1, 1, 2, 2], np.float32)],
            {"mode": "nearest"},
        ),
        "STFT": Case(
            "STFT",
            [partial(floats, 1, 65536, 1)],
            [_scalar(256, np.int64), partial(np.ones, 512, np.float32)],
            opset=17,
        ),
        "Slice by 2": Case("Slice", [MATRIX], [ints(0, 0), ints(SIDE, SIDE), ints(0, 1), ints(2, 2)]),
        "SpaceToDepth": Case("SpaceToDepth", [PICTURE], attributes={"blocksize": 2}),
        "Split axis 1": Case("Split", [MATRIX], attributes={"axis": 1, "num_outputs": 2}, outputs=2),
        "Transpose of images": Case("Transpose", [PICTURE], attributes={"perm": [0, 2, 3, 1]}),
        "Transpose of heads": Case("Transpose", [partial(floats, 1, 512, 8, 64)], attributes={"perm": [0, 2, 1, 3]}),
    }  # fmt: skip


def _moved_by_places() -> Mapping[str, Case]:
    """Operators whose elements go where operands of run time say."""
    boxes, classes = partial(_boxes, 512), partial(unit, 1, 1, 512)
    pooled = {"kernel_shape": [2, 2], "strides": [2, 2]}
    return {
        "Compress": Case("Compress", [MATRIX, partial(bools, SIDE)], attributes={"axis": 0}),
        "Gather columns": Case("Gather", [MATRIX, partial(indices, SIDE, SIDE)], attributes={"axis": 1}),
        "GatherElements axis 0": Case("GatherElements", [MATRIX, partial(indices, SIDE, SIDE, SIDE)]),
        "GridSample nearest": Case(
            "GridSample", [PICTURE, partial(unit, 1, 64, 64, 2)], attributes={"mode": "nearest"}, opset=20
        ),
        "MaxRoiPool": Case("MaxRoiPool", [PICTURE, _rois(5)], attributes={"pooled_shape": [7, 7]}),
        "MaxUnpool": Case(
            "MaxUnpool", [partial(floats, 1, 64, 32, 32), partial(_corners, 64, 32)], attributes=pooled
        ),
        "NonMaxSuppression": Case(
            "NonMaxSuppression", [boxes, classes], [partial(np.array, [100], np.int64), _scalar(0.5), _scalar(0.1)]
        ),
        "NonZero": Case("NonZero", [partial(bools, SIDE, SIDE)]),
        "RoiAlign": Case(
            "RoiAlign",
            [PICTURE, _rois(4)],
            [partial(np.zeros, BATCHES, np.int64)],
            {"output_height": 7, "output_width": 7},
        ),
        "ScatterND that adds": Case(
            "ScatterND",
            [MATRIX, partial(indices, SIDE, 256, 1), partial(floats, 256, SIDE)],
            attributes={"reduction": "add"},
        ),
        "Unique": Case("Unique", [partial(integers, np.int64, 0, 1000, 65536)], outputs=1),
    }  # fmt: skip


def shaped() -> Mapping[str, Case]:
    """Operators that give a tensor another shape or type, losses, and n-grams."""
    classes = partial(indices, SIDE, SIDE)
    grams = {
        "mode": "TF",
        "min_gram_length": 1,
        "max_gram_length": 2,
        "max_skip_count": 0,
        "ngram_counts": [0, 4],
        "ngram_indexes": [0, 1, 2, 3, 4, 5],
        "pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8],
    }
    return {
        "CastLike": Case("CastLike", [MATRIX], [_scalar(0, np.int32)]),
        "Dropout": Case("Dropout", [MATRIX]),
        "Flatten": Case("Flatten", [PICTURE]),
        "NegativeLogLikelihoodLoss": Case("NegativeLogLikelihoodLoss", [MATRIX, classes]),
        "SoftmaxCrossEntropyLoss": Case("SoftmaxCrossEntropyLoss", [MATRIX, classes]),
        "Squeeze": Case("Squeeze", [partial(floats, 1, SIDE, SIDE)], [ints(0)]),
        "Swish": Case("Swish", [MATRIX], opset=24),
        "TensorScatter": Case("TensorScatter", [partial(floats, 8, SIDE, 64), partial(floats, 8, 4, 64)], opset=24),
        "TfIdfVectorizer": Case("TfIdfVectorizer", [partial(indices, 10, 64, SIDE)], attributes=grams),
        "Unsqueeze": Case("Unsqueeze", [MATRIX], [ints(0)]),
    }


def _boxes(count: int) -> Array:
    """Boxes of a tenth of the image at places of chance."""
    corner = np.random.default_rng(10).uniform(0, 0.9, (1, count, 2))
    return np.concatenate([corner, corner + 0.1], -1).astype(np.float32)


def _rois(columns: int) -> Make:
    """Regions of an image, behind the number of the image where there are five columns."""
    region = [0.0, 4, 4, 40, 50][5 - columns :]
    return partial(np.array, [region] * BATCHES, np.float32)


def _corners(channels: int, side: int) -> Array:
    """The places of the first element of each window of 2 x 2."""
    c, y, x = np.meshgrid(np.arange(channels), np.arange(side), np.arange(side), indexing="ij")
    return ((c * 2 * side + 2 * y) * 2 * side + 2 * x)[None].astype(np.int64)


def cases() -> Mapping[str, Case]:
    """All these cases by name."""
    return {**elementwise(), **binary(), **typed(), **casts(), **reduced(), **layers(), **moved(), **shaped()}
