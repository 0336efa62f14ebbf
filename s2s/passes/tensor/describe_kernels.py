"""Write down what each kernel computes, for the comment above its C function.

    func.func private @matmul_add(%a: tensor<6x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16xf32>) -> … { … }
->
    … attributes {doc = "y[m][n] = sum(k: a[m][k] * b[k][n]) + c[n],  m < 6, n < 16, k < 8
                         y[6][16], a[6][8], b[8][16], c[16]
                         nodes: fc1
                         schedule: tile 3 m x 4 n"}

The formula is read off the computation itself, after fusion and packing; the nodes are those of every call.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.passes import ModulePass

from s2s.analysis.affine import linear, ranges
from s2s.analysis.compute import dim_names, shape_of
from s2s.analysis.constants import calls_of
from s2s.analysis.kernel_blocks import Group, groups_of, shared_blocks
from s2s.dialects import tensor
from s2s.dialects.graph.traits import provenance
from s2s.emit.identifiers import c_identifier
from s2s.passes.tensor.build_compute import slots
from s2s.passes.tensor.lower_to_loop.stage import StagePlan

DOC = "doc"
SHOWN_NODES = 6
LONGEST_FORMULA = 400

INFIX: Mapping[type[Operation], str] = {
    arith.AddfOp: "+",
    arith.AddiOp: "+",
    arith.SubfOp: "-",
    arith.SubiOp: "-",
    arith.MulfOp: "*",
    arith.MuliOp: "*",
    arith.DivfOp: "/",
    arith.DivSIOp: "/",
    arith.DivUIOp: "/",
    arith.AndIOp: "&",
    arith.OrIOp: "|",
    arith.XOrIOp: "^",
}
SHIFTS: Mapping[type[Operation], str] = {
    arith.ShLIOp: "<<",
    arith.ShRSIOp: ">>",
    arith.ShRUIOp: ">>",
}
CALLS: Mapping[type[Operation], str] = {
    arith.MaximumfOp: "max",
    arith.MinimumfOp: "min",
    arith.MaxSIOp: "max",
    arith.MinSIOp: "min",
    arith.MaxUIOp: "max",
    arith.MinUIOp: "min",
    math.PowFOp: "pow",
    math.CountLeadingZerosOp: "leading_zeros",
    tensor.RescaleOp: "requantise",
}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
"""Of integers, in the order of their predicates."""
STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}
FOLDS: Mapping[type[Operation], str] = {
    arith.AddfOp: "sum",
    arith.AddiOp: "sum",
    arith.MulfOp: "prod",
    arith.MuliOp: "prod",
    arith.MaximumfOp: "max",
    arith.MaxSIOp: "max",
    arith.MinimumfOp: "min",
    arith.MinSIOp: "min",
}


@dataclass(frozen=True)
class Text:
    """An expression and how strongly its outermost operator binds (3: needs no parentheses anywhere)."""

    text: str
    strength: int = 3
    raised: "tuple[Text, str] | None" = None
    """What it limits from below, and to which number."""

    def inside(self, strength: int) -> str:
        """The text as an operand of an operator of `strength`."""
        return self.text if self.strength >= strength else f"({self.text})"


class Formula:
    """Writes one computation; `names` are those of the tensors."""

    def __init__(self, op: tensor.ComputeOp, names: Mapping[SSAValue, str]) -> None:
        self.op, self.names, self.dims = op, names, dim_names(op)

    def lines(self) -> str:
        """`y[m][n] = ...,  m < 6, n < 16`."""
        results = ", ".join(self.names[result] + self._own_index() for result in self.op.res)
        extents = [f"{name} < {size}" for name, size in zip(self.dims, self.op.sizes, strict=True) if size > 1]
        body = ", ".join(text.text for text in self._values())
        if len(body) > LONGEST_FORMULA:
            body = "..."
        return f"{results} = {body}" + (f",  {', '.join(extents)}" if extents else "")

    def _own_index(self) -> str:
        return "".join(f"[{name}]" for name, size in zip(self.dims, self.op.parallel_sizes, strict=False) if size > 1)

    def _values(self) -> list[Text]:
        op, values = self.op, dict[SSAValue, Text]()
        accumulators = self._folds()
        points = slots(op.points, op.point_accesses)
        texts = [*accumulators, *(Text(self._element(v, a, op.parallel_sizes)) for v, a in points)]
        texts += [Text(self.names[table]) for table in op.tables]
        values.update(zip(op.apply.block.args, texts, strict=True))
        return self._region(op.apply.block, values)

    def _folds(self) -> list[Text]:
        """Each accumulator as `sum(k: …)` where its step is such a fold, else by the step itself."""
        op = self.op
        if op.reduce is None:
            return []
        reads = [Text(self._element(v, a, op.sizes)) for v, a in slots(op.reads, op.read_accesses)]
        accumulators = op.reduce.block.args[len(reads) : len(reads) + len(op.inits)]
        values: dict[SSAValue, Text] = dict(zip(op.reduce.block.args, reads, strict=False))
        values.update({argument: Text("acc") for argument in accumulators})
        values.update(
            zip(op.reduce.block.args[len(reads) + len(accumulators) :], map(self._table, op.tables), strict=True)
        )
        steps = self._region(op.reduce.block, values)
        over = " ".join(name for name, size in zip(self.dims[op.rank :], op.reduction_sizes, strict=True) if size > 1)
        last = op.reduce.block.last_op
        assert isinstance(last, tensor.YieldOp)
        folds: list[Text] = []
        for step, value, argument in zip(steps, last.arguments, accumulators, strict=True):
            owner = value.owner
            if isinstance(owner, Operation) and type(owner) in FOLDS and argument in owner.operands:
                other = next((operand for operand in owner.operands if operand is not argument), argument)
                folds.append(Text(f"{FOLDS[type(owner)]}({over}: {values[other].text})"))
            else:
                folds.append(Text(f"fold({over}: acc -> {step.text})"))
        return folds

    def _table(self, value: SSAValue) -> Text:
        return Text(self.names[value])

    def _element(self, value: SSAValue, access: tensor.AccessAttr, sizes: Sequence[int]) -> str:
        indices = zip(access.map.data.results, access.division, shape_of(value), strict=True)
        shown = _merged([(expr, divisor, size) for expr, divisor, size in indices if size > 1])
        texts = [self._index(expr, sizes) + (f" / {divisor}" if divisor > 1 else "") for expr, divisor, _ in shown]
        return self.names[value] + "".join(f"[{text}]" for text in texts)

    def _index(self, expr: AffineExpr, sizes: Sequence[int]) -> str:
        form = linear(expr, ranges(sizes))
        text = ""
        for atom, factor in form.terms.items():
            term = self._atom(atom, sizes) + (f" * {abs(factor)}" if abs(factor) != 1 else "")
            text += f" {'+' if factor > 0 else '-'} {term}" if text else ("-" if factor < 0 else "") + term
        if form.constant or not text:
            text += f" {'+' if form.constant > 0 else '-'} {abs(form.constant)}" if text else str(form.constant)
        return text

    def _atom(self, atom: AffineExpr, sizes: Sequence[int]) -> str:
        if isinstance(atom, AffineDimExpr):
            return self.dims[atom.position]
        assert isinstance(atom, AffineBinaryOpExpr)
        assert isinstance(atom.rhs, AffineConstantExpr)
        sign = "/" if atom.kind is AffineBinaryOpKind.FloorDiv else "%"
        inner = self._index(atom.lhs, sizes)
        return f"{f'({inner})' if ' ' in inner else inner} {sign} {atom.rhs.value}"

    def _region(self, block: Block, values: dict[SSAValue, Text]) -> list[Text]:
        for op in block.ops:
            if isinstance(op, tensor.YieldOp):
                return [values[argument] for argument in op.arguments]
            values[op.results[0]] = self._operation(op, values)
        return []

    def _operation(self, op: Operation, values: Mapping[SSAValue, Text]) -> Text:
        operands = [values[operand] for operand in op.operands]
        if isinstance(op, arith.ConstantOp):
            return Text(_number(op.value))
        if isinstance(op, tensor.IndexOp):
            return Text(self.dims[op.dim.value.data])
        if isinstance(op, tensor.ExtractOp):
            return Text(operands[0].text + "".join(f"[{operand.text}]" for operand in operands[1:]))
        if isinstance(op, tensor.InBoundsOp):
            return Text(f"{operands[0].text} exists", 0)
        if isinstance(op, arith.SelectOp):
            return Text(f"{operands[0].inside(1)} ? {operands[1].inside(1)} : {operands[2].inside(1)}", 0)
        return _arithmetic(op, operands)


def _merged(indices: list[tuple[AffineExpr, int, int]]) -> list[tuple[AffineExpr, int, int]]:
    """Expressions, divisors and sizes, with `[i / 4][i % 4]` of a dimension of 4 as the `[i]` that it is in memory."""
    kept: list[tuple[AffineExpr, int, int]] = []
    for expr, divisor, size in indices:
        before = kept[-1][0] if kept else None
        if (
            isinstance(expr, AffineBinaryOpExpr)
            and isinstance(before, AffineBinaryOpExpr)
            and (before.kind, expr.kind) == (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.Mod)
            and (before.lhs, before.rhs) == (expr.lhs, expr.rhs)
            and expr.rhs == AffineConstantExpr(size)
        ):
            kept[-1] = (expr.lhs, 1, size * kept[-1][2])
        else:
            kept.append((expr, divisor, size))
    return kept


def _arithmetic(op: Operation, operands: list[Text]) -> Text:
    """An operation on scalars: infix, or a function; conversions are left out."""
    if isinstance(op, arith.CmpiOp):
        return Text(f"{operands[0].inside(1)} {COMPARISONS[op.predicate.value.data]} {operands[1].inside(1)}", 0)
    if isinstance(op, arith.MaxSIOp | arith.MinSIOp) and isinstance(op.rhs.owner, arith.ConstantOp):
        return _limited(op, *operands)
    if type(op) in INFIX:
        sign, operands = _positive(INFIX[type(op)], operands)
        strength = STRENGTH.get(sign, 0)
        right = strength + (sign in "-/")
        return Text(f"{operands[0].inside(strength)} {sign} {operands[1].inside(right)}", strength)
    if type(op) in SHIFTS:
        return Text(f"{operands[0].inside(3)} {SHIFTS[type(op)]} {operands[1].inside(3)}", 0)
    if isinstance(op, arith.NegfOp):
        return Text(f"-{operands[0].inside(3)}", 2)
    name = CALLS.get(type(op), op.name.rpartition(".")[2])
    if name.endswith(("ext", "si", "ui", "tofp", "truncf", "extf", "trunci", "cast")):
        return operands[0]
    return Text(f"{name}({', '.join(operand.text for operand in operands)})")


def _limited(op: arith.MaxSIOp | arith.MinSIOp, x: Text, limit: Text) -> Text:
    """`max(x, 0)`, and `clamp(x, 0, 9)` for a minimum of that."""
    if isinstance(op, arith.MaxSIOp):
        return Text(f"max({x.text}, {limit.text})", raised=(x, limit.text))
    if x.raised is not None:
        return Text(f"clamp({x.raised[0].text}, {x.raised[1]}, {limit.text})")
    return Text(f"min({x.text}, {limit.text})")


def _positive(sign: str, operands: list[Text]) -> tuple[str, list[Text]]:
    """`a - 3` for `a + -3`, and the other way round."""
    left, right = operands
    if sign not in "+-" or not right.text.startswith("-") or right.strength != 3:
        return sign, operands
    return "-" if sign == "+" else "+", [left, Text(right.text[1:])]


def _number(value: Attribute) -> str:
    if isinstance(value, FloatAttr):
        return f"{value.value.data:.6g}"
    return str(value.value.data) if isinstance(value, IntegerAttr) else str(value)


def describe_schedule(op: tensor.ComputeOp) -> str:
    """The schedule in words; empty where there is nothing but plain loops in order."""
    schedule, dims = op.schedule, dim_names(op)
    if schedule is None:
        return ""
    parts: list[str] = []
    tiles = [
        f"{min(tile, size)} {name}"
        for tile, name, size in zip(schedule.tiles, dims, op.sizes, strict=True)
        if min(tile, size) > 1
    ]
    if tiles:
        parts.append(f"tile {' x '.join(tiles)}")
    if schedule.vector_dim is not None:
        parts.append(f"{schedule.lanes.data} lanes along {dims[schedule.vector_dim]}")
    if list(schedule.loop_order) != sorted(schedule.loop_order):
        parts.append(f"loops {', '.join(dims[dim] for dim in schedule.loop_order if op.sizes[dim] > 1)}")
    parts += [f"blocks of {size} {dims[dim]}" for dim, size in schedule.block_sizes]
    if schedule.fetches:
        parts.append(f"fetches ahead along {' and '.join(dims[dim] for _, dim in schedule.fetches)}")
    plan = StagePlan.of(op)
    if plan is not None:
        what = "a row of the sum for each point" if plan.is_rows else "the window that the loops inside move in"
        inside = [dims[dim] for dim in plan.outer if op.sizes[dim] > 1]
        parts.append(f"16-bit copy of {what}{f' inside {inside[-1]}' if inside else ''}")
    if schedule.dot_size > 1:
        parts.append(f"products in groups of {schedule.dot_size}")
    return "; ".join(parts)


def describe_group(group: Group) -> list[str]:
    """The schedules of computations that run together, and the blocks in which they do."""
    schedules = [text for op in group.ops if (text := describe_schedule(op))]
    first, names = group.ops[0], dim_names(group.ops[0])
    walk = [f"{size} {names[dim]}" for dim, size in shared_blocks(first) if size < first.sizes[dim]]
    if not walk:
        return schedules
    return [": ".join([f"in blocks of {' x '.join(walk)}", *schedules[:1]]), *schedules[1:]]


def describe(func: FuncOp, nodes: Sequence[str]) -> str:
    """The comment of a kernel."""
    computes = [op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp)]
    last = func.body.block.last_op
    returned = list(last.arguments) if isinstance(last, ReturnOp) else []
    names = _names(func, computes, returned)
    lines = [Formula(op, names).lines() for op in computes]
    shown = [*returned, *func.body.block.args]
    lines.append(", ".join(names[value] + "".join(f"[{size}]" for size in shape_of(value)) for value in shown))
    if nodes:
        more = len(nodes) - SHOWN_NODES
        lines.append("nodes: " + ", ".join(nodes[:SHOWN_NODES]) + (f" and {more} more" if more > 0 else ""))
    schedules = [text for group in groups_of(computes) for text in describe_group(group)]
    if schedules:
        lines.append("schedule: " + " | ".join(schedules))
    return "\n".join(lines)


def _names(func: FuncOp, computes: Sequence[tensor.ComputeOp], returned: Sequence[SSAValue]) -> dict[SSAValue, str]:
    names: dict[SSAValue, str] = {}
    fresh: Callable[[str], str] = lambda wish: _fresh(wish, names)  # noqa: E731
    for number, value in enumerate(returned):
        names[value] = "y" if len(returned) == 1 else f"y{number}"
    for value in func.body.block.args:
        names[value] = fresh(c_identifier(value.name_hint or "x"))
    for op in computes:
        for result in op.res:
            if result not in names:
                names[result] = fresh(c_identifier(result.name_hint or "scratch"))
    return names


def _fresh(wish: str, taken: Mapping[SSAValue, str]) -> str:
    name, count, used = wish, 1, set(taken.values())
    while name in used:
        count += 1
        name = f"{wish}{count}"
    return name


@dataclass(frozen=True)
class DescribeKernelsPass(ModulePass):
    name = "tensor-describe-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        calls = calls_of(op)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            if any(isinstance(inner, tensor.ComputeOp) for inner in func.body.block.ops):
                nodes = dict.fromkeys(node for call in calls.get(func.sym_name.data, []) for node in provenance(call))
                func.attributes[DOC] = StringAttr(describe(func, list(nodes)))
