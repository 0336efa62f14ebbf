"""Compute the expected outputs of a model and how far right answers may lie from them.

Every node is evaluated on values that are off by some roundings, too (`spread`). Nodes that only move or choose values
(`EXACT`) add no roundings of their own.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import onnx

from s2s.errors import InputError
from s2s.fuzz.arrays import is_floating
from s2s.fuzz.byte_activations import with_rounded_activations
from s2s.fuzz.engines import ENGINES, EngineName, run_node
from s2s.fuzz.merge import names_read
from s2s.fuzz.positions import check_positions
from s2s.fuzz.spread import PAIRS, Noise, Spread, spread_results
from s2s.types.dtypes import Array

EXACT = frozenset(
    (
        *("Abs", "And", "ArgMax", "ArgMin", "BitCast", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr"),
        *("BitwiseXor", "Cast", "CastLike", "Ceil", "CenterCropPad", "Clip", "Compress", "Concat"),
        *("Constant", "ConstantOfShape", "ConvInteger", "DepthToSpace", "Dropout", "Equal", "Expand"),
        *("EyeLike", "Flatten", "Floor", "Gather", "GatherElements", "GatherND", "GlobalMaxPool", "Greater"),
        *("GreaterOrEqual", "Hardmax", "Identity", "IsInf", "IsNaN", "Less", "LessOrEqual", "MatMulInteger"),
        *("Max", "MaxPool", "MaxUnpool", "Min", "Neg", "NonMaxSuppression", "NonZero", "Not", "OneHot", "Or"),
        *("Pad", "Range", "ReduceMax", "ReduceMin", "Relu", "Reshape", "ReverseSequence", "Round"),
        *("ScatterElements", "ScatterND", "Shape", "Sign", "Size", "Slice", "SpaceToDepth", "Split"),
        *("Squeeze", "TensorScatter", "ThresholdedRelu", "Tile", "TopK", "Transpose", "Trilu", "Unique"),
        *("Unsqueeze", "Upsample", "Where", "Xor"),
    )
)
"""Operators whose results are not rounded: `Cast` and their like round in the one way the format states."""


NOT_BY_ONNXRUNTIME = frozenset(
    (
        *("ConvInteger", "DFT", "GridSample", "MatMulInteger", "QLinearMatMul", "Resize", "Sigmoid", "Swish"),
        "TfIdfVectorizer",
    )
)
"""Operators of which onnxruntime rounds positions or doubles to 32 bits, takes weights by places in the result,
computes small results to 7 digits behind the point (its sigmoid of -17 is 8.9e-8 and of -20 is 0, not 2.1e-9), or, on
processors without VNNI, saturates sums of two products of uint8 and int8 at 16 bits."""

NOT_BY_REFERENCE = frozenset(("Loop",))
"""Operators of which the reference evaluator is wrong: it joins collected values along their first axis."""

POOLS = frozenset(("AveragePool", "LpPool"))
"""Operators of which the reference evaluator moves windows where the size is rounded up and one side is padded."""

FLATTENED = frozenset(("Hardmax", "LogSoftmax", "Softmax"))
"""Operators that before opset 13 take all dimensions from the axis on as one; the reference evaluator does not."""

DISPUTED = frozenset(("Resize",))
"""Operators with results of which engines disagree by far, and which are not determined: the reference evaluator takes
other neighbours where a position is a whole number but for its last bit."""
DISPUTE = 1e-3
"""The share of the largest result by which engines disagree, and not only round."""

OF_COUNTS = frozenset(("BlackmanWindow", "HammingWindow", "HannWindow", "MelWeightMatrix"))
"""Operators that make rounded numbers of integers."""

AROUND_ONE = frozenset(
    (
        *("Acosh", "Asinh", "Atanh", "BlackmanWindow", "Celu", "DFT", "Elu", "GRU", "Gelu"),
        *("GroupNormalization", "HammingWindow", "HannWindow", "HardSigmoid", "InstanceNormalization"),
        *("LSTM", "LayerNormalization", "Log", "LogSoftmax", "MeanVarianceNormalization", "Mish", "RNN"),
        *("STFT", "Selu", "Sinh", "Softplus"),
    )
)
"""Operators whose formulas hold numbers around 1, such as `exp(x) - 1`, of which small results are the difference."""


def evaluate_node(
    node: onnx.NodeProto,
    opsets: Mapping[str, int],
    operands: Mapping[str, Spread],
    engines: Sequence[EngineName] = ENGINES,
    pairs: int = PAIRS,
) -> dict[str, Spread]:
    """The outputs of a node by name, for operands by name."""
    used = {name: operands[name] for name in names_read([node])}
    check_positions(node, used)
    data = list(used.values())[:1] if node.op_type.startswith("Reduce") else list(used.values())
    if any(entry.clean.size == 0 for entry in data):
        engines = engines[::-1]  # onnxruntime gives reductions of nothing another shape
    if node.op_type in NOT_BY_ONNXRUNTIME:
        engines = engines[::-1]
    if _reference_is_wrong(node, opsets):
        engines = [entry for entry in engines if entry != "reference"]
    seed = f"{node.op_type} {' '.join(node.output)}"
    noise = Noise(seed, around_one=node.op_type in AROUND_ONE) if _rounds(node, used) else None

    asked: Sequence[EngineName] = engines

    def run(runs: Sequence[Mapping[str, Array]]) -> list[list[Array]]:
        plain, rounded = with_rounded_activations(node, runs)
        engine, results = run_node(plain, opsets, rounded, asked)
        others = tuple[EngineName, ...](entry for entry in asked if entry != engine)
        if len(runs) > 1 and node.op_type in DISPUTED:
            results = _with_dispute(node, opsets, runs, others, results)
        if len(runs) > 1 and node.op_type == "Equal":
            [(clean, *_), *_] = results
            results[1] = [np.where(_may_be_equal([operands[name] for name in node.input]), ~clean, clean)]
        return results

    return spread_results(list(filter(None, node.output)), used, run, noise, pairs, _steady(node, used))


def _steady(node: onnx.NodeProto, operands: Mapping[str, Spread]) -> list[str]:
    """The operands that noise would make another function of: the whole exponent of numbers below 0."""
    if node.op_type != "Pow" or not is_floating(operands[node.input[1]].clean.dtype):
        return []
    exponent = operands[node.input[1]]
    return [node.input[1]] if exponent.is_exact and bool((exponent.clean == np.rint(exponent.clean)).all()) else []


def _reference_is_wrong(node: onnx.NodeProto, opsets: Mapping[str, int]) -> bool:
    if node.op_type in FLATTENED:
        return opsets[""] < 13
    if node.op_type == "Unique":  # in the order of their first place, the reference takes rows whatever the axis is
        return any(entry.name == "sorted" and not entry.i for entry in node.attribute)
    rounds_up = any(entry.name == "ceil_mode" for entry in node.attribute)
    return node.op_type in NOT_BY_REFERENCE or (node.op_type in POOLS and rounds_up)


def _with_dispute(
    node: onnx.NodeProto,
    opsets: Mapping[str, int],
    runs: Sequence[Mapping[str, Array]],
    others: Sequence[EngineName],
    results: list[list[Array]],
) -> list[list[Array]]:
    """The outputs `found` for `runs`, where the noisy ones hold what another engine gives if that is far off."""
    try:
        _, [theirs] = run_node(node, opsets, runs[:1], others)
    except InputError:
        return results
    clean, other = results[0][0].astype(np.float64), theirs[0].astype(np.float64)
    if clean.shape != other.shape or not clean.size:
        return results
    far = np.abs(other - clean) > DISPUTE * np.abs(clean).max()
    return [
        results[0],
        *([np.where(far, theirs[0], entry[0]).astype(entry[0].dtype), *entry[1:]] for entry in results[1:]),
    ]


def _may_be_equal(operands: Sequence[Spread]) -> Array:
    """Return where two operands differ by no more than their roundings: noise alone makes no two floats equal."""
    a, b = operands
    if not is_floating(a.clean.dtype):
        return np.asarray(False)
    with np.errstate(all="ignore"):
        apart = np.abs(a.clean.astype(np.float64) - b.clean.astype(np.float64))
        of_a, of_b = (np.zeros(entry.clean.shape) if entry.is_exact else entry.bounds() for entry in operands)
        return apart <= of_a + of_b


def _rounds(node: onnx.NodeProto, operands: Mapping[str, Spread]) -> bool:
    if node.op_type in ("ScatterElements", "ScatterND"):
        reduced = any(entry.name == "reduction" and entry.s not in (b"none", b"") for entry in node.attribute)
        return reduced and any(is_floating(entry.clean.dtype) for entry in operands.values())
    if node.op_type in EXACT:
        return False
    return node.op_type in OF_COUNTS or any(is_floating(entry.clean.dtype) for entry in operands.values())


def opsets_of(model: onnx.ModelProto) -> dict[str, int]:
    """The versions of the operator sets that a model uses."""
    return {entry.domain: entry.version for entry in model.opset_import}


def evaluate_model(
    model: onnx.ModelProto,
    inputs: Mapping[str, Array],
    engines: Sequence[EngineName] = ENGINES,
    pairs: int = PAIRS,
) -> dict[str, Spread]:
    """All values of a model by name."""
    values = {name: Spread(array) for name, array in inputs.items()}
    for tensor in model.graph.initializer:
        values[tensor.name] = Spread(onnx.numpy_helper.to_array(tensor))
    opsets = opsets_of(model)
    for node in model.graph.node:
        values.update(evaluate_node(node, opsets, values, engines, pairs))
    return values
