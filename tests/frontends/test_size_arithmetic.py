"""Arithmetic on sizes is folded where it is exact in the element type at all sizes, against numpy at each of them."""

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.ir import Block

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast
from s2s.types.dtypes import Array
from s2s.types.size import Ledger, Ratio, Size
from s2s.types.sizes import SizeRange
from s2s.types.weights import WeightStore

DTYPES: Sequence[Any] = (
    np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint32, np.float16, ml_dtypes.bfloat16, np.float32, np.float64
)  # fmt: skip
BINARY = ("Add", "Sub", "Mul", "Div", "Mod", "Fmod", "Maximum", "Minimum")
NUMBERS: Sequence[float] = (-41, -7, -3, -2, -1, 0, 1, 2, 3, 5, 7, 41, 49, 100, 1000, 0.1, 0.25, 0.5, 1.5, 2.5)
LARGEST_SIZES = (10, 60, 300, 3000)

Step = tuple[str, Any]
steps = st.one_of(
    st.tuples(st.sampled_from(BINARY), st.sampled_from(NUMBERS)),
    st.tuples(st.sampled_from([f"{name} from" for name in BINARY]), st.sampled_from(NUMBERS)),
    st.tuples(st.sampled_from(["Floor", "Ceil", "Neg"]), st.none()),
    st.tuples(st.just("Cast"), st.sampled_from(DTYPES)),
)


def _applied(step: Step, x: Value) -> Value | None:
    """The result of a step; None where the type has no such number or operation."""
    name, operand = step
    operation: Callable[..., Any] = getattr(graph, f"{name.split()[0].replace('Fmod', 'Mod')}Op")
    if name == "Cast":
        return cast(x, np.dtype(operand))
    if name in ("Floor", "Ceil"):
        return emit(operation, x) if x.is_float else None
    if name == "Neg":
        return None if x.dtype.kind == "u" else emit(operation, x)
    if not x.is_float and (operand != int(operand) or not _holds(x.dtype, int(operand))):
        return None
    pair = [x, x.like(operand)]
    properties = {"fmod": True} if name.startswith("Fmod") else {}
    return emit(operation, *(pair[::-1] if name.endswith("from") else pair), **properties)


def _holds(dtype: Any, number: int) -> bool:
    limits = np.iinfo(dtype)
    return bool(limits.min <= number <= limits.max)


def _number(element: object, size: int, dtype: Any) -> Array:
    """What a constant of sizes is where N is `size`."""
    if isinstance(element, Ratio):
        whole = element.size.expr.eval([size], []) if isinstance(element.size, Size) else element.size
        return np.asarray(whole * element.factor.numerator).astype(dtype) / np.asarray(
            element.factor.denominator, dtype
        )
    return np.asarray(element.expr.eval([size], []) if isinstance(element, Size) else element).astype(dtype)


@settings(max_examples=400)
@given(st.sampled_from(LARGEST_SIZES), st.lists(steps, min_size=1, max_size=6))
@example(60, [("Cast", np.float32), ("Div", 41), ("Mul", 41), ("Floor", None)])
@example(60, [("Div", -2)])
@example(300, [("Cast", np.uint8)])
@example(3000, [("Cast", np.float16), ("Mul", 0.5), ("Ceil", None)])
@example(60, [("Sub", 7), ("Fmod", 3)])
@example(10, [("Cast", np.uint8), ("Sub", 5)])
@example(10, [("Mod", -1), ("Cast", ml_dtypes.bfloat16), ("Mod from", -41)])
def test_folded_numbers_are_those_of_the_type(largest: int, chain: list[Step]):
    ledger = Ledger()
    symbolic = Builder(Block(), WeightStore(), ledger=ledger)
    plain = Builder(Block(), WeightStore())
    x: Value = symbolic.size_constant([ledger.size("N", SizeRange(1, largest))], np.dtype(np.int64))
    sizes = [*range(1, min(largest, 60) + 1), *range(max(largest - 20, 1), largest + 1)]
    numbers = [plain.constant(np.array([size], np.int64)) for size in sizes]
    for step in chain:
        y = _applied(step, x)
        if y is None:
            continue
        if y.stored is None:  # an operation of the run
            return
        x, numbers = y, [after for number in numbers if (after := _applied(step, number)) is not None]
    for size, number in zip(sizes, numbers, strict=True):
        assert number.array is not None
        assert x.stored is not None
        alone = number.array[0].astype(np.longdouble)  # numpy compares NaN of its own types only
        folded = _number(x.stored.item(), size, x.dtype).astype(np.longdouble)
        np.testing.assert_array_equal(folded, alone, err_msg=f"N = {size}")
    assert not ledger.guards
