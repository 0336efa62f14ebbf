"""The newest version of each builtin operator that is read.

A converter raises the version of an operator where it uses element types or options that earlier ones do not have. A
version that is newer than all that is known here may mean what nobody reads, and is refused.
"""

from collections.abc import Mapping

_NEWEST: Mapping[str, int] = {
    **dict.fromkeys(
        (
            "COS",
            "DEPTH_TO_SPACE",
            "DIV",
            "EXP",
            "FAKE_QUANT",
            "FLOOR_MOD",
            "GREATER",
            "L2_NORMALIZATION",
            "LEAKY_RELU",
            "LESS_EQUAL",
            "LOG",
            "LOG_SOFTMAX",
            "RANGE",
            "REDUCE_PROD",
            "SELECT_V2",
            "SIGN",
            "SIN",
            "SPACE_TO_DEPTH",
            "SQRT",
            "SQUARED_DIFFERENCE",
            "SQUEEZE",
            "SUM",
            "WHERE",
        ),
        2,
    ),
    **dict.fromkeys(
        (
            "ARG_MAX",
            "ARG_MIN",
            "AVERAGE_POOL_2D",
            "BIDIRECTIONAL_SEQUENCE_LSTM",
            "BIDIRECTIONAL_SEQUENCE_RNN",
            "FLOOR_DIV",
            "GELU",
            "GREATER_EQUAL",
            "LESS",
            "LOGISTIC",
            "MAX_POOL_2D",
            "MEAN",
            "MIRROR_PAD",
            "REDUCE_MAX",
            "REDUCE_MIN",
            "RELU",
            "RELU6",
            "RNN",
            "RSQRT",
            "SPARSE_TO_DENSE",
            "SPLIT_V",
            "TANH",
            "TILE",
            "TOPK_V2",
            "UNIDIRECTIONAL_SEQUENCE_RNN",
        ),
        3,
    ),
    **dict.fromkeys(
        (
            "BATCH_MATMUL",
            "BATCH_TO_SPACE_ND",
            "BROADCAST_TO",
            "LSTM",
            "MAXIMUM",
            "MINIMUM",
            "NOT_EQUAL",
            "RESIZE_BILINEAR",
            "RESIZE_NEAREST_NEIGHBOR",
            "REVERSE_V2",
            "SELECT",
            "SOFTMAX",
            "SPACE_TO_BATCH_ND",
            "SVDF",
            "UNIDIRECTIONAL_SEQUENCE_LSTM",
        ),
        4,
    ),
    **dict.fromkeys(("ABS", "EMBEDDING_LOOKUP", "EQUAL", "FILL", "PACK", "SPLIT", "SUB", "TRANSPOSE_CONV"), 5),
    **dict.fromkeys(("ADD", "DYNAMIC_UPDATE_SLICE", "GATHER_ND", "PAD", "PADV2", "QUANTIZE", "UNPACK"), 6),
    **dict.fromkeys(("CONCATENATION", "DEPTHWISE_CONV_2D"), 7),
    **dict.fromkeys(("CONV_2D", "GATHER", "MUL", "SLICE", "STRIDED_SLICE"), 8),
    **dict.fromkeys(("CAST", "DEQUANTIZE", "TRANSPOSE"), 9),
    "FULLY_CONNECTED": 14,
}
"""Operators with other versions than the first; these are the newest ones of LiteRT 2.3."""


def newest_version(builtin: str) -> int:
    """The newest version of an operator that is read; all older ones are read too."""
    return _NEWEST.get(builtin, 1)
