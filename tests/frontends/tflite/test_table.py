"""Every builtin operator that TFLite-Micro registers has an importer; no other is refused without a reason."""

import pytest

from s2s.frontends.tflite.schema import enum_names
from s2s.frontends.tflite.table import IMPORTERS, REFUSALS, refusal_of

KERNELS = [
    f"STABLEHLO_{name}"
    for name in (
        *("ADD", "AND", "CASE", "COMPOSITE", "GATHER", "MAXIMUM", "MINIMUM", "MULTIPLY", "PAD", "REDUCE_WINDOW"),
        *("RNG_BIT_GENERATOR", "SCATTER", "SHIFT_LEFT"),
    )
]
"""What LiteRT 2.3 registers of StableHLO."""

MICRO = [
    "ABS",
    "ADD",
    "ADD_N",
    "ARG_MAX",
    "ARG_MIN",
    "ASSIGN_VARIABLE",
    "AVERAGE_POOL_2D",
    "BATCH_MATMUL",
    "BATCH_TO_SPACE_ND",
    "BROADCAST_ARGS",
    "BROADCAST_TO",
    "CALL_ONCE",
    "CAST",
    "CEIL",
    "CONCATENATION",
    "CONV_2D",
    "COS",
    "CUMSUM",
    "DEPTHWISE_CONV_2D",
    "DEPTH_TO_SPACE",
    "DEQUANTIZE",
    "DIV",
    "DYNAMIC_UPDATE_SLICE",
    "ELU",
    "EMBEDDING_LOOKUP",
    "EQUAL",
    "EXP",
    "EXPAND_DIMS",
    "FILL",
    "FLOOR",
    "FLOOR_DIV",
    "FLOOR_MOD",
    "FULLY_CONNECTED",
    "GATHER",
    "GATHER_ND",
    "GREATER",
    "GREATER_EQUAL",
    "HARD_SWISH",
    "IF",
    "L2_NORMALIZATION",
    "L2_POOL_2D",
    "LEAKY_RELU",
    "LESS",
    "LESS_EQUAL",
    "LOG",
    "LOGICAL_AND",
    "LOGICAL_NOT",
    "LOGICAL_OR",
    "LOGISTIC",
    "LOG_SOFTMAX",
    "MAXIMUM",
    "MAX_POOL_2D",
    "MEAN",
    "MINIMUM",
    "MIRROR_PAD",
    "MUL",
    "NEG",
    "NOT_EQUAL",
    "PACK",
    "PAD",
    "PADV2",
    "PRELU",
    "QUANTIZE",
    "READ_VARIABLE",
    "REDUCE_ALL",
    "REDUCE_MAX",
    "REDUCE_MIN",
    "RELU",
    "RELU6",
    "RESHAPE",
    "RESIZE_BILINEAR",
    "RESIZE_NEAREST_NEIGHBOR",
    "REVERSE_V2",
    "ROUND",
    "RSQRT",
    "SELECT_V2",
    "SHAPE",
    "SIN",
    "SLICE",
    "SOFTMAX",
    "SPACE_TO_BATCH_ND",
    "SPACE_TO_DEPTH",
    "SPLIT",
    "SPLIT_V",
    "SQRT",
    "SQUARE",
    "SQUARED_DIFFERENCE",
    "SQUEEZE",
    "STRIDED_SLICE",
    "SUB",
    "SUM",
    "SVDF",
    "TANH",
    "TRANSPOSE",
    "TRANSPOSE_CONV",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "UNPACK",
    "VAR_HANDLE",
    "WHILE",
    "ZEROS_LIKE",
]
"""What micro_mutable_op_resolver.h of TFLite-Micro (August 2026) has a method for."""


def test_the_list_is_whole():
    assert len(set(MICRO)) == 100


def test_every_operator_of_tflite_micro_has_an_importer():
    assert not set(MICRO) - IMPORTERS.keys()


def test_no_operator_is_both_imported_and_refused():
    assert not IMPORTERS.keys() & REFUSALS.keys()


def test_no_builtin_operator_of_the_schema_is_missing_silently():
    """Each is imported, or refused with a reason of its own; StableHLO's others have no kernel in TFLite."""
    builtins = set(enum_names("BuiltinOperator").values()) - {"CUSTOM", "DELEGATE", "PLACEHOLDER_FOR_GREATER_OP_CODES"}
    left = builtins - IMPORTERS.keys() - REFUSALS.keys()
    assert {name for name in left if not name.startswith("STABLEHLO_")} == set()
    assert {refusal_of(name)[0] for name in left} == {"TFLite itself has no kernel for it"}


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_operators_of_stablehlo_with_a_kernel_in_tflite_are_told_from_those_without(name: str):
    assert name in IMPORTERS or name in REFUSALS
