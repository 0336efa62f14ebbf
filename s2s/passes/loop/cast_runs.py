"""Cast neighbouring floats to integers in runs of 16, by functions of the runtime.

    loop.for %i = 0 to 1000 {
      %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<1000xf64> -> f64
      %n = arith.fptosi %v : f64 to i32
      loop.store %n, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<1000xi32>
    }
->
    loop.for %i = 0 to 992 step 16 {
      loop.cast_run %y, %x[affine_map<(d0) -> (d0, d0)>(%i)] : memref<1000xi32>, memref<1000xf64>
    }
    loop.for %i = 992 to 1000 { … }

Casts limit numbers to the range of the type. Of that, C compilers make loops with more comparisons than the conversion
needs, and no vectors where the machine has no conversion to 64 bits; the runtime tests whole runs.

Declined on targets with vectors of fewer than eight floats; for pairs of types that C compilers cast well; for loops
that do anything else, and those that threads share unless they are whole runs.
"""

from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType, ModuleOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.dialects import loop
from s2s.dialects.loop.control import SERIAL
from s2s.dialects.walk import walk
from s2s.passes.context import target_of
from s2s.support.frozen import frozen
from s2s.types.affine import at_dims, linear, simplify
from s2s.types.dtypes import is_unsigned
from s2s.types.hints import isa

UNBOUNDED = (-(2**31), 2**31)


class Cast(NamedTuple):
    """The operations of a loop that casts."""

    load: loop.LoadOp
    store: loop.StoreOp


@frozen
class CastRunsPass(ModulePass):
    name = "loop-cast-runs"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not target_of(ctx, self.target).casts_runs:
            return
        for each in [each for each in walk(op) if isinstance(each, loop.ForOp)]:
            cast = _cast_of(each)
            if cast is not None and _is_counted(each):
                _divide(each, cast)


def _cast_of(op: loop.ForOp) -> Cast | None:
    """Match a loop that loads neighbours, casts them, stores them as neighbours, and does nothing else."""
    ops = [each for each in op.body.block.ops if not isinstance(each, arith.ExtFOp | loop.YieldOp)]
    match ops:
        case [loop.LoadOp() as load, arith.FPToSIOp() | arith.FPToUIOp() as cast, loop.StoreOp() as store]:
            pass
        case _:
            return None
    given = cast.input.owner.input if isinstance(cast.input.owner, arith.ExtFOp) else cast.input
    if store.value is not cast.result or given is not load.result:
        return None
    if not all(_is_even(each, op.index) for each in (load, store)):
        return None
    source, target = _element(load.buffer), _element(store.buffer)
    if isinstance(cast, arith.FPToUIOp) != is_unsigned(target) or target not in loop.RUN_CASTS.get(source, ()):
        return None
    return Cast(load, store)


def _is_counted(op: loop.ForOp) -> bool:
    """Return whether a loop counts from 0 by ones, and may be cut behind its last whole run."""
    plain = not op.inits and op.down is None and op.step.value.data == 1 and len(op.upper.data.results) == 1
    first = op.lower.data.results
    if not plain or list(first) != [AffineConstantExpr(0)] or (op.most_trips or loop.RUN) < loop.RUN:
        return False
    return op.kind.data == SERIAL or (op.trips is not None and op.trips % loop.RUN == 0)


def _is_even(op: loop.LoadOp | loop.StoreOp, index: SSAValue) -> bool:
    """Return whether an access moves by one element from one value of `index` to the next."""
    form = linear(op.map.data.results[0], [UNBOUNDED] * len(op.indices))
    moved = [
        (atom, factor)
        for atom, factor in form.terms.items()
        if any(op.indices[dim] is index for dim in atom.used_dims())
    ]
    return len(moved) == 1 and isinstance(moved[0][0], AffineDimExpr) and moved[0][1] == 1


def _element(buffer: SSAValue) -> Attribute:
    assert isa(buffer.type, MemRefType)
    return buffer.type.element_type


def _divide(op: loop.ForOp, cast: Cast) -> None:
    """Insert the loop over whole runs; what is left of the loop is the rest."""
    end = op.upper.data.results[0]
    whole = simplify(end // loop.RUN * loop.RUN, [UNBOUNDED] * len(op.dims))
    body = Block(arg_types=[IndexType()])
    body.args[0].name_hint = op.index.name_hint
    body.add_ops([_run(cast, op.index, body.args[0]), loop.YieldOp()])
    runs = loop.ForOp(0, _bound(whole, op), body, step=loop.RUN, dims=op.dims, kind=op.kind.data)
    runs.attributes.update(op.attributes)
    Rewriter.insert_op(runs, InsertPoint.before(op))
    if whole == end:
        Rewriter.erase_op(op)
    else:
        op.lower = AffineMapAttr(_bound(whole, op))


def _bound(expr: AffineExpr, op: loop.ForOp) -> AffineMap:
    return AffineMap(len(op.dims), 0, (expr,))


def _run(cast: Cast, old: SSAValue, new: SSAValue) -> loop.CastRunOp:
    """Return the cast of the run that begins at `new`, which takes the place of `old`."""
    indices = list(dict.fromkeys([*cast.store.indices, *cast.load.indices]))
    places = [
        at_dims(each.map.data.results[0], [AffineDimExpr(indices.index(index)) for index in each.indices])
        for each in (cast.store, cast.load)
    ]
    given = [new if index is old else index for index in indices]
    return loop.CastRunOp(cast.store.buffer, cast.load.buffer, AffineMap(len(indices), 0, tuple(places)), given)
