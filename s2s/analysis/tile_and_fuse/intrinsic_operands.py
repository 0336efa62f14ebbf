"""Check that the operands of an intrinsic lie in memory as it loads them: in groups of steps, side by side.

    smlad          w packed as [o, k floordiv 4, k mod 2, k floordiv 2 mod 2], so that widening gives the natural order
    sums by lanes  w packed as [k floordiv 4, o, k mod 4], so that the groups of neighbouring lanes lie side by side

Each function returns why the operands of a tile lie otherwise, or None. Positions are affine expressions of any lane,
group and step (`Point`), so that one comparison of coefficients holds for all of them.
"""

from math import prod

from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.analysis.structure.dot_groups import fault_of_blocks, groups_of_taps, run_of, strides
from s2s.analysis.structure.products import ProductSum, product_sum, wide_product_sum
from s2s.analysis.tile_and_fuse.scheduled_kernel import OperandView, Point, TileView, stride
from s2s.dialects import loop
from s2s.dialects.loop.products import WORD
from s2s.types.affine import coefficient, ranges

NATURAL = (0, 1, 2, 3)
INTERLEAVED = (0, 2, 1, 3)
"""Order of a group's steps in memory that widening turns into the natural order."""


def fault_of_operands(view: TileView) -> str | None:
    """Return why the operands of a tile do not lie as its intrinsic, or its loop over copied rows, takes them."""
    products = product_sum(view.op) or wide_product_sum(view.op)
    if products is None:
        return None
    match view.schedule.form:
        case "dot_lanes":
            return _in_vectors(view) or _lanes(view, products)
        case "dot_rows" | "dot_half_rows" | "dot_group":
            return _in_vectors(view) or _rows(view, products)
        case "dot_taps":
            return _window(view, products)
        case "dot_window":
            from s2s.analysis.tile_and_fuse.window_rows import fault_of_whole_window

            return fault_of_whole_window(view, products)
        case "dot" | "dot_pairs" | "dot_strips":
            return _dots(view, products)
        case "dot_points":
            return _points(view) or _dots(view, products)
        case _:
            return _dots(view, products) if view.plan is not None and view.plan.is_rows else None


def raw_factor(view: TileView) -> int | None:
    """Return the read that an intrinsic of vectors takes as it is stored, by how the other one lies; None if neither
    lies so."""
    products, dim = product_sum(view.op), view.schedule.vector_dim
    if products is None or dim is None:
        return None
    if view.schedule.form == "dot_lanes":
        w = next((read for read in (0, 1) if _lane_distance(view, read) == view.schedule.group), None)
    else:
        w = next((read for read in (0, 1) if view.operands[read].depends_on(dim)), None)
    return None if w is None else products.other(w).read


def _reductions(view: TileView) -> range:
    return range(view.op.rank, len(view.op.sizes))


def _in_vectors(view: TileView) -> str | None:
    """Return why some positions along the vectors would be done in scalars; None if none is."""
    dim = view.schedule.vector_dim
    if dim is None or dim >= view.op.rank or view.op.sizes[dim] == 1:
        return f"dimension {dim} has no vectors of results; vectorize a parallel dimension of several positions"
    others = {each for guard in view.cuts.guards(dim) for each in guard.expr.used_dims()} - {dim}
    pieces = view.cuts.along(dim, ranges(view.op.sizes))
    if any(each < view.op.rank for each in others) or any(piece.lanes == 1 for piece in pieces):
        return (
            f"an operand may miss positions of dimension {dim}, which are then done one by one; vectorize another "
            "dimension, or leave tensorize out"
        )
    return None


def _behind(operand: OperandView, point: Point) -> str | None:
    """Return that groups reach behind the last element of an operand, if they do."""
    if point.highest(point.form(operand)) < prod(operand.shape):
        return None
    return "groups reach behind the last element of an operand; pack it in whole vectors and groups, or copy it"


# A group for each lane


def _lanes(view: TileView, products: ProductSum) -> str | None:
    op, state, plan = view.op, view.schedule, view.plan
    assert state.vector_dim is not None
    w = next((read for read in (0, 1) if _lane_distance(view, read) == state.group), None)
    if w is None:
        return (
            f"no factor holds the {state.group} elements of a group, lane by lane, along dimension "
            f"{state.vector_dim}; pack the constant so with cache_read"
        )
    x = products.other(w).read
    if plan is not None and plan.read != x:
        return f"the copy is of the constant; copy read {x}"
    half = None if products.half is None else view.tile.blocks + products.half
    if half is not None and (fault := _fault_of_halves(view, products, w, half)) is not None:
        return fault
    if plan is not None and plan.is_rows:
        grouped, step = tuple(_reductions(view)), 1
    else:
        moves = strides(op, x, view.operands[x].shape if plan is None else plan.extents)
        grouped = run_of(op, [dim for dim in state.order if dim != half], moves)
        step = moves[grouped[-1]] if grouped else 1
    point = Point(view, grouped, state.group)
    form = point.form(view.operands[w])
    if (stride(form, point.lane), stride(form, point.step)) != (state.group, 1):
        return (
            f"the {state.group} steps of a group, and then the lanes, do not lie side by side in read {w}; pack the "
            "constant so with cache_read"
        )
    return (
        fault_of_blocks(op.sizes, grouped, state.group, state.block_of)
        or _behind(view.operands[w], point)
        or _fault_of_factor(view, x, grouped, step)
    )


def _lane_distance(view: TileView, read: int) -> int | None:
    """Return the distance in elements of neighbouring lanes in the first vector."""
    dim, lanes = view.schedule.vector_dim, view.schedule.lanes
    assert dim is not None
    box = [(0, lanes - 1) if each == dim else (0, 0) for each in range(len(view.op.sizes))]
    here: list[AffineExpr] = [AffineDimExpr(each) for each in range(len(box))]
    return coefficient(view.operands[read].position(here), dim, box)


def _fault_of_halves(view: TileView, products: ProductSum, w: int, half: int) -> str | None:
    """Return why halves of bytes, which dimension `half` counts, cannot be taken apart; None if they can."""
    state, sizes = view.schedule, view.op.sizes
    if products.factor_of(w).half != products.half:
        return "halves of bytes are no constant; pack the factor that holds them with cache_read"
    written_out = half >= view.op.rank and state.tiles[half] >= sizes[half] and half not in state.block_of
    if sizes[half] > 1 and not written_out:
        return f"dimension {half} takes halves of bytes in a loop; unroll it"
    if view.plan is not None and view.plan.is_rows:
        return "halves of bytes are taken apart in rows of the whole reduction; copy a window, or leave cache_read out"
    return None


def _fault_of_factor(view: TileView, x: int, grouped: tuple[int, ...], step: int) -> str | None:
    """Return why the groups of the factor that is no constant cannot be loaded; None if they can: all lanes share one,
    with its steps side by side, or lanes lie side by side, with each step a column."""
    group, plan = view.schedule.group, view.plan
    point = Point(view, grouped)
    form = point.form(view.operands[x]) if plan is None else point.copied(plan)
    between = stride(form, point.lane)
    if between == 1 and group == loop.PAIR:
        return f"lanes of read {x} differ, and columns are of bytes; take an intrinsic of four bytes a lane"
    if between not in (0, 1) or (between == 0 and step != 1):
        return (
            f"lanes {between} and steps {step} elements apart in read {x} make no groups; reorder the reductions, or "
            "copy it with cache_read"
        )
    steps = prod(view.op.sizes[dim] for dim in grouped)
    if plan is not None and steps % group and any(dim in view.schedule.block_of for dim in grouped):
        return f"{steps} steps in blocks leave a shorter group in the last one; leave the blocks of tile out"
    if between == 0 and plan is None and steps % group:
        return f"{steps} steps in place are no whole groups of {group}; copy read {x} with cache_read"
    return _behind(view.operands[x], point) if plan is None else None


# Rows of the reduction


def _rows(view: TileView, products: ProductSum) -> str | None:
    op, state, plan = view.op, view.schedule, view.plan
    assert state.vector_dim is not None
    moving = [read for read in (0, 1) if view.operands[read].depends_on(state.vector_dim)]
    if len(moving) != 1:
        return "one factor of rows moves along the vector, the other one does not; vectorize so"
    w, x = moving[0], 1 - moving[0]
    if products.factor_of(w).offset:
        return "the constants of rows have a zero point; leave tensorize out"
    if plan is not None and (plan.read != x or not plan.is_rows):
        return f"read {x} is no row in its copy; copy it inside the loops that move along it"
    if (fault := _fault_of_row_steps(view, w)) is not None:
        return fault
    reductions = _reductions(view)
    if state.form == "dot_group" and (plan is not None or prod(op.reduction_sizes) != state.group):
        return f"rows are not of {state.group} steps, in place; take an intrinsic of another form"
    grouped = reductions[1:] if state.form == "dot_half_rows" else reductions
    point = Point(view, grouped, state.group)
    form, several = point.form(view.operands[w]), point.bound[point.number][1] > 0
    wanted = (state.group, 1, state.lanes * state.group if several else 0)
    if tuple(stride(form, each) for each in (point.lane, point.step, point.number)) != wanted:
        return (
            f"groups of {state.group} steps of {state.lanes} rows do not lie side by side in read {w}; pack it so with "
            "cache_read"
        )
    if (fault := _behind(view.operands[w], point)) is not None:
        return fault
    alone = Point(view, reductions)
    if plan is None and prod(op.reduction_sizes) > 1 and stride(alone.form(view.operands[x]), alone.number) != 1:
        return f"the steps of a row do not lie side by side in read {x}; copy it with cache_read"
    return None


def _fault_of_row_steps(view: TileView, w: int) -> str | None:
    """Return why the steps of a row cannot be taken in cache blocks, or as halves of bytes; None if they can."""
    op, state, reductions = view.op, view.schedule, _reductions(view)
    if state.form == "dot_half_rows":
        if view.plan is not None or any(dim in state.block_of for dim in reductions):
            return "rows of halves of bytes are taken whole and in place; leave cache_read and tile out"
        if op.sizes[reductions[0]] != 2 or view.operands[w].depends_on(reductions[0]):
            return f"the outermost reduction does not take both halves of a byte of read {w}; leave tensorize out"
        return None
    wide = [dim for dim in reductions if op.sizes[dim] > 1]
    if wide and op.sizes[wide[0]] % state.block_of.get(wide[0], op.sizes[wide[0]]):
        count = state.block_of[wide[0]]
        return f"rows of {op.sizes[wide[0]]} positions in blocks of {count} leave a shorter block; take a divisor"
    return fault_of_blocks(op.sizes, reductions, state.group, state.block_of)


# One sum


def _dots(view: TileView, products: ProductSum) -> str | None:
    op, state, plan = view.op, view.schedule, view.plan
    x = plan.read if plan is not None else int(products.factor_of(1).offset != 0)
    w, group, reductions = products.other(x).read, state.group, _reductions(view)
    steps = prod(op.reduction_sizes)
    if group > 1 and products.factor_of(w).offset:
        return "the constants of a dot product have a zero point; leave tensorize out"
    if group > 1 and plan is None and steps % group:
        return f"{steps} steps in place are no whole groups of {group}; copy read {x} with cache_read"
    if plan is not None and not plan.is_rows:
        return f"read {x} is a window in its copy, not a row; copy it inside the loops that move along it"
    if (fault := fault_of_blocks(op.sizes, reductions, group, state.block_of)) is not None or group == 1:
        return fault
    point = Point(view, reductions, group)
    interleaved = plan is not None and plan.widened and not state.in_pairs
    for read, wanted in ((w, INTERLEAVED if interleaved else NATURAL), *([(x, NATURAL)] if plan is None else [])):
        order = _order(view.operands[read], point, group)
        if order != wanted[:group]:
            found = "apart" if order is None else f"at {order}"
            return (
                f"the steps of a dot product lie {found} in read {read}, not at {wanted[:group]}; pack it so with "
                "cache_read"
            )
        if (fault := _behind(view.operands[read], point)) is not None:
            return fault
    return None


def _points(view: TileView) -> str | None:
    """Return why halves of groups cannot lie point by point in a copy; None if they can."""
    plan = view.plan
    if plan is None or not plan.is_rows:
        return "halves of groups are taken of copied rows; copy the first factor with cache_read"
    if plan.points % 2:
        return f"{plan.points} points of a tile are no pairs; take an even number of them"
    return None


def _order(operand: OperandView, point: Point, group: int) -> tuple[int, ...] | None:
    """Return where the steps of each group lie behind the first one; None if that differs from group to group."""
    places = [point.at_step(operand, step) for step in range(group)]
    if any(place.terms != places[0].terms for place in places):
        return None
    return tuple(place.constant - places[0].constant for place in places)


# A window of which neighbours share groups


def _window(view: TileView, products: ProductSum) -> str | None:
    op, plan = view.op, view.plan
    if plan is None or not plan.is_loaded_in_pairs:
        return "there is no window in 16 bits; copy one with cache_read"
    form = Point(view).copied(plan)
    moves = {dim: stride(form, dim) for dim in range(len(op.sizes)) if dim not in plan.outer and op.sizes[dim] > 1}
    if None in moves.values() or moves.get(len(op.sizes) - 1, 1) != 1:
        return (
            f"the taps of a window do not lie side by side in the copy of read {plan.read}; copy rows inside of all "
            "loops, or leave tensorize out"
        )
    odd = [dim for dim, move in moves.items() if move is not None and move % 2 and dim < len(op.sizes) - 1]
    return _fault_of_parity(view, odd) or _fault_of_taps(view, products.other(plan.read).read, op.sizes[-1])


def _fault_of_parity(view: TileView, odd: list[int]) -> str | None:
    """Return why a row of taps begins at an odd position for which there is no intrinsic; `odd` are the dimensions that
    move the window by an odd number of elements."""
    op, state, plan = view.op, view.schedule, view.plan
    assert plan is not None
    if any(dim >= op.rank or view.cuts.guards(dim) for dim in odd):
        return "rows of a window begin at even and at odd positions; copy inside of more loops, or leave tensorize out"
    for dim in odd:
        if plan.tiles[dim] % 2 and plan.tiles[dim] < op.sizes[dim]:
            return f"a tile of {plan.tiles[dim]} along dimension {dim} begins at odd positions; give an even one"
    if groups_of_taps(op.sizes[-1]) > 1 and state.two_intrinsic is None:
        return f"a window of {op.sizes[-1]} taps has more than one group, for which tensorize names no intrinsic of two"
    if odd and state.next_intrinsic is None:
        return (
            f"a window of {op.sizes[-1]} taps lies at an odd position, for which tensorize names no intrinsic; tile so "
            "that each one begins at an even position, or leave tensorize out"
        )
    return None


def _fault_of_taps(view: TileView, w: int, taps: int) -> str | None:
    last = len(view.op.sizes) - 1
    point = Point(view, (last,), taps)
    order, wanted = _order(view.operands[w], point, taps), tuple(range(taps))
    if order != wanted:
        return (
            f"the {taps} taps of a window are not packed at {wanted} in read {w}; pack them so with cache_read, or "
            "copy rows of the reduction"
        )
    first = point.at_step(view.operands[w], 0)
    distances = [*first.terms.values(), first.constant, prod(view.operands[w].shape)]
    row = WORD * groups_of_taps(taps)
    if any(distance % row for distance in distances):  # a group has four elements, however many of them are taps
        return f"rows of taps are no whole groups of {row} in read {w}; pack them so with cache_read"
    return None
