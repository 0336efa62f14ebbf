"""Compute what the values of a TFLite graph should be, operator by operator, and how far right floats may lie apart.

Integers follow from integers by the reference kernels, bit for bit. Floats get the bounds that roundings give them
(`s2s.fuzz.spread`), and so does what is quantised of them: an integer that hangs on a rounding is not compared.
"""

from collections.abc import Mapping, Sequence

from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec
from s2s.fuzz.arrays import is_floating
from s2s.fuzz.spread import PAIRS, Noise, Spread, spread_results
from s2s.fuzz.tflite.engines import ENGINES, EngineName, run_operator
from s2s.types.dtypes import Array

EXACT = frozenset(
    (
        *("ABS", "ARG_MAX", "ARG_MIN", "BATCH_TO_SPACE_ND", "BROADCAST_TO", "CAST", "CEIL", "CONCATENATION"),
        *("DEPTH_TO_SPACE", "DEQUANTIZE", "DYNAMIC_UPDATE_SLICE", "EQUAL", "EXPAND_DIMS", "FILL", "FLOOR"),
        *("GATHER", "GATHER_ND", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "MAXIMUM", "MAX_POOL_2D"),
        *("MINIMUM", "MIRROR_PAD", "NEG", "NOT_EQUAL", "PACK", "PAD", "PADV2", "QUANTIZE", "REDUCE_MAX"),
        *("REDUCE_MIN", "RELU", "RELU6", "RELU_0_TO_1", "RELU_N1_TO_1", "RESHAPE", "RESIZE_NEAREST_NEIGHBOR"),
        *("REVERSE_V2", "ROUND", "SELECT_V2", "SHAPE", "SLICE", "SPACE_TO_BATCH_ND", "SPACE_TO_DEPTH"),
        *("SPLIT", "SPLIT_V", "SQUEEZE", "STRIDED_SLICE", "TILE", "TOPK_V2", "TRANSPOSE", "UNPACK"),
        "ZEROS_LIKE",
    )
)
"""Operators whose results are not rounded, or in the one way that the format states."""

AROUND_ONE = frozenset(
    (
        *("COS", "ELU", "GELU", "HARD_SWISH", "LOG", "LOGISTIC", "LOG_SOFTMAX", "RESIZE_BILINEAR", "SIN"),
        *("UNIDIRECTIONAL_SEQUENCE_LSTM",),
    )
)
"""Operators whose formulas hold numbers around 1, of which small results are the difference."""


def evaluate_operator(
    operator: OperatorSpec,
    tensors: Mapping[str, TensorSpec],
    values: Mapping[str, Spread],
    engines: Sequence[EngineName] = ENGINES,
    pairs: int = PAIRS,
) -> dict[str, Spread]:
    """The outputs of an operator by name. Constants need no values; variables are zeros, as before the first run."""
    operands = {
        name: _operand(tensors[name], values) for name in operator.inputs if name and not tensors[name].is_variable
    }
    floats = any(is_floating(each.clean.dtype) for each in operands.values()) or any(
        tensors[name].element == "FLOAT32" for name in operator.outputs
    )
    noise = None
    if floats and operator.builtin not in EXACT:
        seed = f"{operator.builtin} {' '.join(operator.outputs)}"
        noise = Noise(seed, around_one=operator.builtin in AROUND_ONE)

    asked: Sequence[EngineName] = ("LiteRT",) if _micro_is_wrong(operator, tensors) else engines

    def run(runs: Sequence[Mapping[str, Array]]) -> list[list[Array]]:
        return run_operator(operator, tensors, runs, asked)[1]

    return spread_results(operator.outputs, operands, run, noise, pairs)


def _micro_is_wrong(operator: OperatorSpec, tensors: Mapping[str, TensorSpec]) -> bool:
    """Return whether TFLite-Micro computes something else than the format says: it pads int16 with zeros whatever the
    zero point is."""
    x = tensors[operator.inputs[0]]
    return operator.builtin == "PAD" and x.element == "INT16" and x.zero_point != 0


def _operand(spec: TensorSpec, values: Mapping[str, Spread]) -> Spread:
    return values[spec.name] if spec.data is None else Spread(spec.data)


def evaluate_graph(
    graph: GraphSpec, inputs: Mapping[str, Array], engines: Sequence[EngineName] = ENGINES, pairs: int = PAIRS
) -> dict[str, Spread]:
    """All values of a graph by name."""
    values = {name: Spread(array) for name, array in inputs.items()}
    tensors = {spec.name: spec for spec in graph.tensors}
    for operator in graph.operators:
        values.update(evaluate_operator(operator, tensors, values, engines, pairs))
    return values
