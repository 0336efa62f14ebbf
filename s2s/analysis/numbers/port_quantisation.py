"""Annotate inputs and outputs with scale and zero point, taken from the operations that dequantise or quantise them."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, ModuleOp, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue

from s2s.analysis.numbers.quantised_values import quantised, scaled
from s2s.dialects import graph
from s2s.dialects.graph.base import integer
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

SCALE, ZERO_POINT = "quant_scale", "quant_zero_point"
Facts = tuple[float, int]


def state_quantisation(module: ModuleOp, store: WeightStore) -> None:
    """Annotate the arguments and results of main with their scale and zero point if they are quantised per tensor."""
    main = function_named(module, "main")
    if main is None or main.is_declaration:
        return
    read = _read_as(main, store)
    block = main.body.block
    main.arg_attrs = _with_facts(main.arg_attrs, [read.get(argument) for argument in block.args])
    if isinstance(block.last_op, ReturnOp):
        made = [_made_as(value, store) for value in block.last_op.arguments]
        main.res_attrs = _with_facts(main.res_attrs, made)


def _read_as(main: FuncOp, store: WeightStore) -> Mapping[SSAValue, Facts]:
    """Return the scale and zero point that dequantise each argument; an argument with several is left out."""
    found: dict[SSAValue, set[Facts]] = {}
    for op in main.body.block.ops:
        real = scaled(op.y, store) if isinstance(op, graph.MulOp) else None
        if real is not None and real.is_small and real.axis is None and real.x in main.body.block.args:
            found.setdefault(real.x, set()).add((float(real.step), real.offset))
    return {value: next(iter(facts)) for value, facts in found.items() if len(facts) == 1}


def _made_as(value: SSAValue, store: WeightStore) -> Facts | None:
    made = quantised(value.owner, store) if isinstance(value.owner, graph.CastOp) else None
    return None if made is None else (float(made.scale), made.zero_point)


def _with_facts(
    attributes: ArrayAttr[DictionaryAttr] | None, facts: list[Facts | None]
) -> ArrayAttr[DictionaryAttr] | None:
    """Return `attributes` extended by the known `facts` that they do not state yet."""
    if attributes is None or not any(facts):
        return attributes
    stated: list[DictionaryAttr] = []
    for old, each in zip(attributes, facts, strict=True):
        new: dict[str, Attribute] = {}
        if each is not None and SCALE not in old.data:
            new = {SCALE: FloatAttr(each[0], f64), ZERO_POINT: integer(each[1])}
        stated.append(DictionaryAttr({**old.data, **new}))
    return ArrayAttr(stated)
