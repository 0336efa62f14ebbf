"""Clone kernels for sizes of a run that the user names, with trip counts that are constant.

    module attributes {sizes = {n = array<i64: 1, 512, 128>}}
    func.func private @k(…) { %n = loop.size "n" from 1 to 512
      loop.for %i = 0 to min affine_map<(d0) -> (d0, 512)>(%n) step 4 { … } }
    func.func @main(…) { func.call @k(…) }
->
    func.func private @k_128(…) { %n = arith.constant 128 : index
      loop.for %i = 0 to 128 step 4 { … } }
    func.func @main(…) { func.call @k(…) {specialised = [{callee = "k_128", sizes = {n = 128}}]} }

A loop that never runs at these sizes is removed. The call becomes a choice in C. A kernel that depends on several sizes
has a clone for each combination of named ones; sizes without named values stay what they are.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count, product

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.dialects import loop
from s2s.passes.loop.lower_to_c.names import SPECIALISED, sizes_in
from s2s.types.affine import simplify
from s2s.types.sizes import SizeTable


class SpecialiseSizesPass(ModulePass):
    name = "loop-specialise-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        table = SizeTable(op.attributes)
        if not any(size.special for size in table.given.values()):
            return
        functions = {each.sym_name.data: each for each in op.ops if isinstance(each, FuncOp)}
        networks = [each for each in functions.values() if each.sym_visibility is None]
        calls = [call for each in networks for call in each.walk() if isinstance(call, CallOp)]
        for name, kernel in functions.items():
            clones = [
                DictionaryAttr({"callee": StringAttr(_cloned(op, kernel, table, at)), "sizes": _numbers(at)})
                for at in _specials(kernel, table)
            ]
            for call in calls if clones else ():
                if call.callee.string_value() == name:
                    call.attributes[SPECIALISED] = ArrayAttr(clones)


def _numbers(at: Mapping[str, int]) -> DictionaryAttr:
    return DictionaryAttr({name: IntegerAttr(value, i64) for name, value in at.items()})


def _specials(kernel: FuncOp, table: SizeTable) -> list[dict[str, int]]:
    """Return the values of given sizes for which `kernel` has a clone."""
    given = list(table.given)
    used = dict.fromkeys(given[dim] for name in sizes_in(kernel) for dim in sorted(table[name].used_dims()))
    named = [name for name in used if table.given[name].special]
    if not named:
        return []
    return [dict(zip(named, values, strict=True)) for values in product(*(table.given[n].special for n in named))]


def _cloned(module: ModuleOp, kernel: FuncOp, table: SizeTable, at: Mapping[str, int]) -> str:
    """Insert a clone of `kernel` for the sizes `at` behind it; return its name."""
    clone, given = kernel.clone(), list(table.given)
    taken = {each.sym_name.data for each in module.ops if isinstance(each, FuncOp)}
    wished = "_".join([kernel.sym_name.data, *map(str, at.values())])
    name = next(name for name in chain([wished], (f"{wished}_{n}" for n in count(2))) if name not in taken)
    clone.properties["sym_name"] = StringAttr(name)
    module.body.block.insert_op_after(clone, kernel)
    for op in [op for op in clone.body.block.ops if isinstance(op, loop.SizeOp)]:
        expr = table[op.size.data]
        if all(given[dim] in at for dim in expr.used_dims()):
            value = expr.eval([at.get(each, 0) for each in given], [])
            Rewriter.replace_op(op, arith.ConstantOp(IntegerAttr(value, IndexType())))
    loops = [op for op in clone.walk() if isinstance(op, loop.ForOp)]
    for op in loops:
        op.properties |= {"lower": _folded(op, op.lower.data, max), "upper": _folded(op, op.upper.data, min)}
    for op in reversed(loops):
        if _never_runs(op):
            Rewriter.replace_op(op, [], op.inits)
    return name


def _never_runs(op: loop.ForOp) -> bool:
    """Return whether a loop begins at or behind its end, as one over the rest of 512 in a run of 128."""
    begins = [expr.value for expr in op.lower.data.results if isinstance(expr, AffineConstantExpr)]
    ends = [expr.value for expr in op.upper.data.results if isinstance(expr, AffineConstantExpr)]
    return bool(begins and ends) and max(begins) >= min(ends)


def _folded(op: loop.ForOp, map: AffineMap, tightest: Callable[[Sequence[int]], int]) -> AffineMapAttr:
    """Return the bounds of a loop with constants for the counters that are constant."""
    dims: list[AffineExpr] = [
        AffineConstantExpr(value.owner.value.value.data)
        if isinstance(value.owner, arith.ConstantOp) and isinstance(value.owner.value, IntegerAttr)
        else AffineDimExpr(number)
        for number, value in enumerate(op.dims)
    ]
    found: Sequence[AffineExpr] = [
        simplify(expr.replace_dims_and_symbols(dims, []), [(0, 2**31 - 1)] * len(dims)) for expr in map.results
    ]
    known = [expr.value for expr in found if isinstance(expr, AffineConstantExpr)]
    rest = [expr for expr in found if not isinstance(expr, AffineConstantExpr)]
    results = [*rest, *([AffineConstantExpr(tightest(known))] if known else [])]
    return AffineMapAttr(AffineMap(map.num_dims, 0, tuple(results)))
