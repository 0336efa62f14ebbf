"""The layers that run in stripes of rows, for those who print it."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.dialects import graph
from s2s.dialects.graph import provenance, rows_of
from s2s.emit.info import Striped
from s2s.passes.graph.tile_rows import RECOMPUTED


def striped_layers(module: ModuleOp, work: int) -> tuple[Striped, ...]:
    """Those of a module at graph level whose network took `work` multiply-adds."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    found: list[Striped] = []
    for op in module.walk():
        if isinstance(op, graph.StripesOp):
            rows = max(rows_of(functions[body].function_type.outputs.data[0]) for body in op.networks)
            extra = op.attributes.get(RECOMPUTED)
            extra = extra.value.data if isinstance(extra, IntegerAttr) else 0
            found.append(Striped(", ".join(provenance(op)), rows, extra / work if work else 0.0))
    return tuple(found)


def describe_stripes(stripes: Sequence[Striped]) -> str:
    """The layers in words."""
    return "; ".join(
        f"{each.nodes or 'a chain'}: {each.rows} rows at a time, {each.recomputed:.1%} more multiply-adds"
        for each in stripes
    )
