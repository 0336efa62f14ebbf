"""Find the quantisation scales of a network's outputs."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import SSAValue

from s2s.analysis.network.functions import output_numbers
from s2s.analysis.numbers.quantised_values import scaled
from s2s.types.dtypes import as_tensor_type, is_integer, size_in_bytes
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore


def output_steps(module: ModuleOp, store: WeightStore) -> tuple[float | None, ...]:
    """For each output of main: the scale of its quantisation, 1 for 8-bit integers; None for other outputs."""
    main = function_named(module, "main")
    last = None if main is None else main.body.block.last_op
    if main is None or not isinstance(last, ReturnOp):
        return ()
    return tuple(_step(last.arguments[number], store) for number in output_numbers(main))


def _step(value: SSAValue, store: WeightStore) -> float | None:
    element = as_tensor_type(value.type).element_type
    if is_integer(element):
        return 1.0 if size_in_bytes(element) == 1 else None
    found = scaled(value, store)
    return float(found.step) if found is not None and found.is_small and found.axis is None else None
