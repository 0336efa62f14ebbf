"""Bugs that are planted into the tree of a small network: index, border, sum, rounding, weight and memory faults."""

import shutil
from pathlib import Path
from typing import NamedTuple


class Bug(NamedTuple):
    """The first `old` in a file of src/ becomes `new`."""

    file: str
    old: str
    new: str


QDQ_KERNELS, QDQ_WEIGHTS, QDQ_RUN = "qdq_kernels.c", "qdq_weights.c", "qdq.c"
QDQ_BUGS = {
    "product for the quotient": Bug("../runtime/include/s2s_round.h", "return x / divisor;", "return x * 20.0f;"),
    "zero point of the input": Bug(QDQ_KERNELS, "1.6093254e-6f, 3)", "1.6093254e-6f, 4)"),
    "zero point of the pad": Bug(QDQ_KERNELS, "6 - ow, -3);", "6 - ow, -4);"),
    "factor of the next channel": Bug(QDQ_KERNELS, "x0 = x2[oc];", "x0 = x2[oc + 1];"),
    "factor in its last bit": Bug(QDQ_WEIGHTS, "0.00675000", "0.00675001"),
    "scale of the residual in its last bit": Bug(QDQ_KERNELS, "0.5f + 52.625f", "0.50000006f + 52.625f"),
    "constant of the sum": Bug(QDQ_KERNELS, "52.625f", "52.5f"),
    "result that is not quantised": Bug(
        QDQ_KERNELS,
        "(float)s2s_f32_quantize_i8((float)(acc00 + bias0) * x0, 13) * 0.875f",
        "(rintf((float)(acc00 + bias0) * x0) + 13.0f) * 0.875f",
    ),
    "sum before its last tap": Bug(QDQ_KERNELS, "(float)(acc01 + bias0)", "(float)(acc00 + bias0)"),
    "rounding towards zero": Bug(
        QDQ_KERNELS,
        "s2s_f32_quantize_i8((float)x[j] * 0.08888889f, -28)",
        "(int8_t)((float)x[j] * 0.08888889f - 28.0f)",
    ),
    "rounding of halves upward": Bug("../runtime/include/s2s_round.h", "rintf(x)", "floorf(x + 0.5f)"),
    "limit of one less": Bug("../runtime/include/s2s_round.h", "s2s_f32_min(131072.0f", "s2s_f32_min(126.0f"),
    "limit above the least": Bug("../runtime/include/s2s_round.h", "s2s_f32_max(-131072.0f", "s2s_f32_max(-50.0f"),
    "scale of the output": Bug(QDQ_KERNELS, "0) * 0.02f;", "0) * 0.020000001f;"),
    "mean over the wrong places": Bug(QDQ_KERNELS, "x[x_at + 30]", "x[x_at + 31]"),
    "residual from elsewhere": Bug(QDQ_KERNELS, "(float)x3[x_at] *", "(float)x3[x_at + 1] *"),
    "weights of one more": Bug(QDQ_WEIGHTS, "65, -112, 34", "66, -112, 34"),
    "result over the residual": Bug(QDQ_RUN, "a_i8 + 240, a_i8 + 0, qdq_dw", "a_i8 + 8, a_i8 + 0, qdq_dw"),
    "sums read as floats": Bug(QDQ_KERNELS, "(float)x[j] *", "*(const float *)&x[j] *"),
}
"""For the network of `support.qdq_networks`."""
KERNELS, WEIGHTS, RUN = "small_kernels.c", "small_weights.c", "small.c"
BUGS = {
    "wrong index of the input": Bug(KERNELS, "rows2 = rows[k + 1];", "rows2 = rows[k + 2];"),
    "wrong index of the weights": Bug(KERNELS, "w5 = (int32_t)w[w_at + 5]", "w5 = (int32_t)w[w_at + 6]"),
    "missing pad": Bug(KERNELS, "oh + oh_point + kh < 7", "oh + oh_point + kh < 6"),
    "rows before the input": Bug(KERNELS, "oh + oh_point + kh >= 1", "oh + oh_point + kh >= 0"),
    "pad of one column less": Bug(KERNELS, "3 - ow * 3, 18 - ow * 3", "3 - ow * 3, 15 - ow * 3"),
    "off-by-one tile": Bug(KERNELS, "for (int32_t oh = 0; oh < 6; oh += 2)", "for (int32_t oh = 0; oh < 4; oh += 2)"),
    "sum cut short": Bug(KERNELS, "for (int32_t k = 0; k < 24; k += 4)", "for (int32_t k = 0; k < 20; k += 4)"),
    "sum not begun at zero": Bug(KERNELS, "int32_t acc02 = 0;", "int32_t acc02 = 1;"),
    "wrong zero point": Bug(KERNELS, "18 - ow * 3, -3);", "18 - ow * 3, -2);"),
    "wrong rounding": Bug(
        KERNELS, "y[1] = s2s_saturate_i8(s2s_rescale_negative(", "y[1] = s2s_saturate_i8(s2s_rescale_upward("
    ),
    "missing saturation": Bug(KERNELS, "y[0] = s2s_saturate_i8(", "y[0] = (int8_t)("),
    "missing relu": Bug(KERNELS, "s2s_i32_max(n0, -5)", "n0"),
    "mean rounded down": Bug(KERNELS, "(acc0 > 0 ? 15 : -15)", "(acc0 > 0 ? 14 : -15)"),
    "store beside its place": Bug(KERNELS, "y[c + 3] = ", "y[c + 4] = "),
    "swapped weights": Bug(WEIGHTS, "127, 62,", "62, 127,"),
    "bias of one less": Bug(WEIGHTS, "654, -261", "653, -261"),
    "wrong shift": Bug(WEIGHTS, "-7, -7, -7, -7, -6", "-7, -7, -7, -6, -6"),
    "multiplier in its last 16 bits": Bug(WEIGHTS, "1099511680, 1374389504", "1099461680, 1374389504"),
    "overlap in the arena": Bug(
        RUN, "small_depthwise_conv_3x3_relu(a_i8 + 240", "small_depthwise_conv_3x3_relu(a_i8 + 8"
    ),
    "scratch over a result": Bug(RUN, "a_i16 + 120);", "a_i16 + 100);"),
    "result read from elsewhere": Bug(
        RUN, "small_avg_pool_6x5(a_i8 + 240, a_i8 + 0)", "small_avg_pool_6x5(a_i8 + 240, a_i8 + 8)"
    ),
    "beyond the arena": Bug(RUN, "a_i16 + 240);", "a_i16 + 24000);"),
    "kernel left out": Bug(RUN, "    small_matmul(", "    if (0) small_matmul("),
}


def with_bug(tree: Path, bug: Bug, copy: Path) -> Path:
    """A copy of the tree with a bug."""
    shutil.copytree(tree, copy)
    file = copy / "src" / bug.file
    text = file.read_text()
    assert bug.old in text, f"{bug.file} has no {bug.old!r} any more: plant the bug elsewhere"
    file.write_text(text.replace(bug.old, bug.new, 1))
    return copy
