"""Find the headers that a C function needs, by the names that it uses."""

import math
import re
from collections.abc import Iterable
from functools import cache

from xdsl.dialects.builtin import FloatAttr, VectorType, i8, i16
from xdsl.ir import Attribute, Operation

from s2s.dialects import c
from s2s.dialects.c.conversions import is_half
from s2s.dialects.walk import walk
from s2s.types.hints import isa

_BYTES = '"s2s_simd_bytes.h"'
_BY_NAME = (
    (re.compile(r"s2s_i32x4_quantize_i8(_nan)?$"), '"s2s_round_lanes.h"'),
    (re.compile(r"s2s_i32x4_((load|store)_i8$|rescale_|saturate_)"), '"s2s_lanes.h"'),
    (re.compile(r"s2s_i32x\d+_(load_group|load_pair|load_columns|(load|store)_i8|rescale_|saturate_)"), _BYTES),
    (re.compile(r"s2s_f32x\d+_to_i32_inside$"), _BYTES),
    (re.compile(r"s2s_f32x\d+_(load|store|round)_f16"), '"s2s_simd_half.h"'),
    (re.compile(r"s2s_cache_read_flipped"), '"s2s_cache_read.h"'),
    (re.compile(r"s2s_i16x4_look_up"), '"s2s_look_up_groups.h"'),
    (re.compile(r"s2s_cache_read_(i|pairs)|s2s_i(8|16)x\d+_"), '"s2s_dsp.h"'),
    (re.compile(r"s2s_f32x\d+_(tan|a(sin|cos|tan)h?|(sin|cos)h)$"), '"s2s_simd_trigonometry.h"'),
    (re.compile(r"s2s_f\d+_to_[iu]\d+_x16$"), '"s2s_cast_runs.h"'),
    (re.compile(r"s2s_[fiu]\d+x\d+_"), '"s2s_simd.h"'),
    (re.compile(r"s2s_b?f16_|s2s_f(32|64)_to_b?f16"), '"s2s_half.h"'),
    (re.compile(r"s2s_f\d+_(of_)?bits$"), '"s2s_bits.h"'),
    (re.compile(r"s2s_(largest|smallest)_"), '"s2s_select.h"'),
    (re.compile(r"s2s_row_order_"), '"s2s_row_order.h"'),
    (re.compile(r"s2s_fft_"), '"s2s_fft.h"'),
    (re.compile(r"s2s_fixed_i?dft_"), '"s2s_fixed_dft.h"'),
    (re.compile(r"s2s_nonzero_"), '"s2s_nonzero.h"'),
    (re.compile(r"s2s_(advance|move_down)$"), '"s2s_window.h"'),
    (re.compile(r"s2s_suppressed_"), '"s2s_suppress.h"'),
    (re.compile(r"s2s_(roi_align|max_regions)_"), '"s2s_regions.h"'),
    (re.compile(r"s2s_determinant_"), '"s2s_determinant.h"'),
    (re.compile(r"s2s_f32_exp$"), '"s2s_exp.h"'),
    (re.compile(r"s2s_nibble$"), '"s2s_nibbles.h"'),
    (re.compile(r"s2s_look_up$"), '"s2s_look_up.h"'),
    (re.compile(r"s2s_f32_pair_"), '"s2s_pairs.h"'),
    (re.compile(r"s2s_f32_quantize_i8(_nan)?$"), '"s2s_round.h"'),
    (re.compile(r"s2s_(bool|[fiu]\d+)_"), '"s2s_math.h"'),
    (re.compile(r"s2s_rescale_|s2s_saturate_"), '"s2s_quantize.h"'),
    (re.compile(r"s2s_is_aligned$"), '"s2s_align.h"'),
    (re.compile(r"s2s_pool"), '"s2s_pool.h"'),
    (re.compile(r"s2s_kernel_"), '"s2s_packed.h"'),
    (re.compile(r"mem(cpy|move|set)$"), "<string.h>"),
    (re.compile(r"s2s_|S2S_|NULL$"), '"s2s.h"'),
)
_LIBM = re.compile(
    r"(a?(cos|sin|tan)h?|atan2|cbrt|ceil|copysign|erf|exp2?|expm1|fabs|floor|fma|fmax|fmin|fmod|log(10|1p|2)?|pow"
    r"|r?int|round|sqrt|trunc)f?"
)


def headers_of(func: c.FuncOp) -> set[str]:
    """Return the headers as written after `#include`: `<math.h>`, `"s2s_simd.h"`."""
    return {header for op in walk(func) for header in _headers(op)} | set(signature_headers([func]))


def signature_headers(functions: Iterable[c.FuncOp]) -> list[str]:
    """Return the headers that the declarations of `functions` need besides `s2s.h`."""
    types = {type for func in functions for type in func.function_type.inputs}
    return sorted({header for type in types for header in _of_type(type)})


def _headers(op: Operation) -> list[str]:
    match op:
        case c.CallOp() if op.header is not None:
            return [op.header.data]
        case c.CallOp():
            return headers_of_name(op.callee.data)
        case c.SymbolOp():
            return headers_of_name(op.symbol.data)
        case c.LiteralOp() if isa(op.value, FloatAttr):
            return [] if math.isfinite(op.value.value.data) else ["<math.h>"]
        case c.VariableOp():
            return _of_type(op.result.type.element)
        case c.LetOp():
            return _of_type(op.result.type)
        case _:
            return []


@cache
def headers_of_name(name: str) -> list[str]:
    """Return the header that declares a function or macro of the runtime or of the C library; none for other names."""
    if _LIBM.fullmatch(name):
        return ["<math.h>"]
    return [header for pattern, header in _BY_NAME if pattern.match(name)][:1]


def _of_type(type: Attribute) -> list[str]:
    match type:
        case VectorType():
            return ['"s2s_dsp.h"' if type.element_type in (i8, i16) else '"s2s_simd.h"']
        case c.PtrType() | c.ArrayType():
            return _of_type(type.element)
        case c.NamedType() if type.spelling.data == "s2s_pool":
            return ['"s2s_pool.h"']
        case _:
            return ['"s2s_half.h"'] if is_half(type) else []
