"""Print computations as formulas, for the comments in generated code.

y[m][n] = sum(k: a[m][k] * b[k][n]) + c[n],  m < 6, n < 16, k < 8
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.network.begins import begins_of
from s2s.analysis.structure.compute import names_of, shape_of, slots
from s2s.c_syntax.identifiers import c_identifier
from s2s.dialects import tensor
from s2s.types.affine import linear, ranges

MAX_FORMULA = 400
"""Maximum number of characters of a formula's body; a longer one is printed as `...`."""

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
    arith.RemSIOp: "%",
    arith.RemUIOp: "%",
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
    math.AbsFOp: "abs",
    math.AbsIOp: "abs",
    math.PowFOp: "pow",
    math.CountLeadingZerosOp: "leading_zeros",
    tensor.RescaleOp: "requantise",
}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
"""The integer comparisons, in the order of their predicate numbers."""
FLOAT_COMPARISONS = {
    **dict(enumerate(("==", ">", ">=", "<", "<=", "!="), start=1)),
    **dict(enumerate(("==", ">", ">=", "<", "<=", "!="), start=8)),
}
"""The float comparisons by their predicate numbers: the ordered ones, then the ones that hold for NaN as well."""
STRENGTH = {"+": 1, "-": 1, "/": 2, "%": 2, "*": 3}
RIGHT_STRENGTH = {"+": 1, "-": 2, "/": 4, "%": 4, "*": 3}
"""How strongly the right operand must bind: `a * (b / c)` is not `a * b / c` of integers."""
CONVERSIONS = (
    arith.BitcastOp,
    arith.ExtFOp,
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.FPToSIOp,
    arith.FPToUIOp,
    arith.IndexCastOp,
    arith.SIToFPOp,
    arith.TruncFOp,
    arith.TruncIOp,
    arith.UIToFPOp,
)
"""Operations of which only the operand is printed."""
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


Extreme = arith.MaxSIOp | arith.MinSIOp | arith.MaximumfOp | arith.MinimumfOp
"""The operations that limit a value from one side."""


class Text(NamedTuple):
    """An expression and how strongly its outermost operator binds (4: needs no parentheses anywhere)."""

    text: str
    strength: int = 4
    raised: "tuple[Text, str] | None" = None
    """For `max(x, limit)`: `x` and `limit`, so that an enclosing `min` can be printed as `clamp`."""

    def inside(self, strength: int) -> str:
        """Return the text as an operand of an operator of `strength`."""
        return self.text if self.strength >= strength else f"({self.text})"


class Writer:
    """Prints tensor elements and region bodies; `names` are names of tensors, `dims` of dimensions."""

    def __init__(self, names: Mapping[SSAValue, str], dims: Sequence[str]) -> None:
        self.names, self.dims = names, dims

    def element(self, value: SSAValue, access: tensor.AccessAttr, sizes: Sequence[int]) -> str:
        """`x[i][j + 1]`, over a domain of `sizes`."""
        indices = zip(access.map.data.results, access.division, shape_of(value), _offsets(value), strict=True)
        shown = _merged([index for index in indices if index[2] > 1])
        texts = [
            self._index(expr, sizes) + (f" / {divisor}" if divisor > 1 else "") + offset
            for expr, divisor, _, offset in shown
        ]
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

    def region(self, block: Block, values: dict[SSAValue, Text]) -> list[Text]:
        """Return the expressions that `block` yields for arguments `values`."""
        for op in block.ops:
            if isinstance(op, tensor.YieldOp):
                return [values[argument] for argument in op.arguments]
            values[op.results[0]] = _bounded(self._operation(op, values))
        return []

    def _operation(self, op: Operation, values: Mapping[SSAValue, Text]) -> Text:
        operands = [values[operand] for operand in op.operands]
        if isinstance(op, arith.ConstantOp):
            return Text(_number(op.value))
        if isinstance(op, tensor.IndexOp):
            return Text(self.dims[op.dim.value.data])
        if isinstance(op, tensor.SizeOp):
            return Text(c_identifier(op.size.data))
        if isinstance(op, tensor.ExtractOp):
            return Text(operands[0].text + "".join(f"[{operand.text}]" for operand in operands[1:]))
        if isinstance(op, tensor.InBoundsOp):
            return Text(f"{operands[0].text} exists", 0)
        if isinstance(op, arith.SelectOp):
            return Text(f"{operands[0].inside(1)} ? {operands[1].inside(1)} : {operands[2].inside(1)}", 0)
        return _arithmetic(op, operands)


class Formula(Writer):
    """Prints one computation."""

    def __init__(self, op: tensor.ComputeOp, names: Mapping[SSAValue, str]) -> None:
        super().__init__(names, names_of(op))
        self.op = op

    def lines(self) -> str:
        """`y[m][n] = ...,  m < 6, n < 16`; a size that a run gives is shown by its name."""
        op = self.op
        results = ", ".join(self.names[result] + self._own_index() for result in op.res)
        extents = [
            f"{name} < {c_identifier(at_run_time) if at_run_time else size}"
            for name, size, at_run_time in zip(self.dims, op.sizes, op.sizes_at_run_time, strict=True)
            if size > 1
        ]
        body = _shown(", ".join(text.text for text in self._values()))
        return f"{results} = {body}" + (f",  {', '.join(extents)}" if extents else "")

    def _own_index(self) -> str:
        return "".join(f"[{name}]" for name, size in zip(self.dims, self.op.parallel_sizes, strict=False) if size > 1)

    def _values(self) -> list[Text]:
        op, values = self.op, dict[SSAValue, Text]()
        accumulators = self._folds()
        epilogue = slots(op.epilogue, op.epilogue_accesses)
        texts = [*accumulators, *(Text(self.element(v, a, op.parallel_sizes)) for v, a in epilogue)]
        texts += [Text(self.names[table]) for table in op.tables]
        values.update(zip(op.apply.block.args, texts, strict=True))
        return self.region(op.apply.block, values)

    def _folds(self) -> list[Text]:
        """Return each accumulator as `sum(k: …)` where its step is a known fold, else as the step itself."""
        op = self.op
        if op.reduce is None:
            return []
        reads = [Text(self.element(v, a, op.sizes)) for v, a in slots(op.reads, op.read_accesses)]
        accumulators = op.reduce.block.args[len(reads) : len(reads) + len(op.inits)]
        values: dict[SSAValue, Text] = dict(zip(op.reduce.block.args, reads, strict=False))
        values.update({argument: Text("acc") for argument in accumulators})
        values.update(
            zip(op.reduce.block.args[len(reads) + len(accumulators) :], map(self._table, op.tables), strict=True)
        )
        steps = self.region(op.reduce.block, values)
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


class ScatterFormula(Writer):
    """Prints one scatter: what each update stores where."""

    def __init__(self, op: tensor.ScatterOp, names: Mapping[SSAValue, str]) -> None:
        super().__init__(names, names_of(op))
        self.op = op

    def lines(self) -> str:
        """`y[at][j] = u[i][j] for at = index[i],  i < 3, j < 5`."""
        op = self.op
        parts = [Text(self.element(v, a, op.sizes)) for v, a in slots(op.parts, op.part_accesses)]
        epilogue = [Text(self.element(v, a, op.sizes)) for v, a in slots(op.epilogue, op.epilogue_accesses)]
        count = len(op.indexed_axes)
        places = dict(zip(op.indexed_axes, (f"at{n}" if count > 1 else "at" for n in range(count)), strict=True))
        target = self.names[op.res] + "".join(
            f"[{places.get(axis) or self._index(expr, op.sizes)}]"
            for axis, (expr, size) in enumerate(zip(op.into.map.data.results, shape_of(op.res), strict=True))
            if size > 1
        )
        (value,) = self.region(op.apply.block, dict(zip(op.apply.block.args, [Text(target), *epilogue], strict=True)))
        found = self.region(op.place.block, dict(zip(op.place.block.args, parts, strict=True)))
        where = [f"{name} = {_shown(text.text)}" for name, text in zip(places.values(), found, strict=True)]
        extents = [f"{name} < {size}" for name, size in zip(self.dims, op.sizes, strict=True) if size > 1]
        lists = [", ".join(each) for each in (where, extents) if each]
        return ",  ".join([f"{target} = {_shown(value.text)}", *lists])


class TransformFormula(Writer):
    """Prints one transform, with its matrices below."""

    def __init__(self, op: tensor.TransformOp, names: Mapping[SSAValue, str]) -> None:
        super().__init__(names, names_of(op)[:-2])
        self.op = op

    def lines(self) -> str:
        """`v[…] = sum(k l: B[i][k] * B[j][l] * x[…]),  …`, and `B = [4 0 -5 0 1 0; …]`."""
        op = self.op
        matrices = dict(zip(self._matrix_names(), op.matrices, strict=False))
        first, last = self._matrix_names()
        x = Writer(self.names, [*self.dims[:-2], "k", "l"]).element(op.x, op.read, op.read_sizes)
        total = Text(f"sum(k l: {first}[i][k] * {last}[j][l] * {x})")
        epilogue = [
            Text(self.element(value, access, op.write_sizes))
            for value, access in zip(op.epilogue, op.accesses, strict=True)
        ]
        (body,) = self.region(op.apply.block, dict(zip(op.apply.block.args, [total, *epilogue], strict=True)))
        extents = [f"{name} < {size}" for name, size in zip(self.dims, op.write_sizes, strict=True) if size > 1]
        result = self.element(op.res, op.into, op.write_sizes)
        shown = [f"{name} = [{_rows(matrix)}]" for name, matrix in matrices.items()]
        return "\n".join([f"{result} = {_shown(body.text)},  {', '.join(extents)}", *shown])

    def _matrix_names(self) -> tuple[str, str]:
        """B for the input transform (square), A for the output transform (fewer rows); one name for equal matrices."""
        left, right = self.op.matrices
        name = "B" if len(left) == len(left[0]) else "A"
        return name, name if left == right else "C"


def _bounded(expression: Text) -> Text:
    """Cut `expression` to one character over the limit: shared operands would double its length at every operation."""
    text = expression.text
    return expression if len(text) <= MAX_FORMULA else Text(text[: MAX_FORMULA + 1], expression.strength)


def _shown(body: str) -> str:
    """`body`, or `...` if it is too long to read."""
    return body if len(body) <= MAX_FORMULA else "..."


def _rows(matrix: tensor.Matrix) -> str:
    """`4 0 -5; 1 0 1`."""
    return "; ".join(" ".join(f"{value:.10g}" for value in row) for row in matrix)


_Index = tuple[AffineExpr, int, int, str]
"""Where an axis is read: position, divisor, size of the axis, and the offset at which the kernel begins, as text."""


def _offsets(value: SSAValue) -> Sequence[str]:
    """Return for each axis of an argument what is added to its positions in a run: ` + (H - 1) % 2`."""
    kernel = value.owner.parent_op() if isinstance(value, BlockArgument) else None
    begins = begins_of(kernel, value) if isinstance(kernel, FuncOp) and isinstance(value, BlockArgument) else ()
    spelled = [begin.replace(" mod ", " % ").replace(" floordiv ", " / ") for begin in begins]
    return [f" + {each}" if each else "" for each in spelled] or [""] * len(shape_of(value))


def _merged(indices: list[_Index]) -> list[_Index]:
    """Merge the indices of a split dimension: `[i / 4][i % 4]` of sizes `[n][4]` becomes `[i]`."""
    kept: list[_Index] = []
    for expr, divisor, size, offset in indices:
        before = kept[-1][0] if kept else None
        if (
            isinstance(expr, AffineBinaryOpExpr)
            and isinstance(before, AffineBinaryOpExpr)
            and (before.kind, expr.kind) == (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.Mod)
            and (before.lhs, before.rhs) == (expr.lhs, expr.rhs)
            and expr.rhs == AffineConstantExpr(size)
        ):
            kept[-1] = (expr.lhs, 1, size * kept[-1][2], kept[-1][3])
        else:
            kept.append((expr, divisor, size, offset))
    return kept


def _arithmetic(op: Operation, operands: list[Text]) -> Text:
    """Return an operation on scalars, infix or as a function; conversions are not printed."""
    if isinstance(op, arith.CmpiOp):
        return Text(f"{operands[0].inside(1)} {COMPARISONS[op.predicate.value.data]} {operands[1].inside(1)}", 0)
    if isinstance(op, arith.CmpfOp) and (sign := FLOAT_COMPARISONS.get(op.predicate.value.data)):
        return Text(f"{operands[0].inside(1)} {sign} {operands[1].inside(1)}", 0)
    if isinstance(op, CONVERSIONS):
        return operands[0]
    if isinstance(op, Extreme) and isinstance(op.rhs.owner, arith.ConstantOp):
        return _limited(op, *operands)
    if type(op) in INFIX:
        sign, operands = _positive(INFIX[type(op)], operands)
        left, right = min(STRENGTH.get(sign, 1), 2), RIGHT_STRENGTH.get(sign, 1)
        return Text(f"{operands[0].inside(left)} {sign} {operands[1].inside(right)}", STRENGTH.get(sign, 0))
    if type(op) in SHIFTS:
        return Text(f"{operands[0].inside(4)} {SHIFTS[type(op)]} {operands[1].inside(4)}", 0)
    if isinstance(op, arith.NegfOp):
        return Text(f"-{operands[0].inside(4)}", 3)
    if isinstance(op, tensor.QuantizeOp):
        return _quantised(op, operands[0])
    name = CALLS.get(type(op), op.name.rpartition(".")[2])
    return Text(f"{name}({', '.join(operand.text for operand in operands)})")


def _quantised(op: tensor.QuantizeOp, x: Text) -> Text:
    """Print `clamp(round(x / 0.03) - 5, -128, 127)`, for the range of the result."""
    divided = x if op.factors is None else Text(f"{x.inside(2)} / {op.factors.get_values()[0]:g}", 2)
    rounded = Text(f"{'roundeven' if op.away is None else 'round'}({divided.text})")
    sign, (left, right) = _positive("+", [rounded, Text(str(op.zero_point.value.data))])
    moved = f"{left.text} {sign} {right.text}" if op.zero_point.value.data else left.text
    return Text(f"clamp({moved}, {-op.half}, {op.half - 1})")


def _limited(op: Extreme, x: Text, limit: Text) -> Text:
    """Print `max(x, 0)`, or `clamp(x, 0, 9)` for a minimum of a maximum."""
    if isinstance(op, arith.MaxSIOp | arith.MaximumfOp):
        return Text(f"max({x.text}, {limit.text})", raised=(x, limit.text))
    if x.raised is not None:
        return Text(f"clamp({x.raised[0].text}, {x.raised[1]}, {limit.text})")
    return Text(f"min({x.text}, {limit.text})")


def _positive(sign: str, operands: list[Text]) -> tuple[str, list[Text]]:
    """`a - 3` for `a + -3`, and vice versa."""
    left, right = operands
    if sign not in "+-" or not right.text.startswith("-") or right.strength != 4:
        return sign, operands
    return "-" if sign == "+" else "+", [left, Text(right.text[1:])]


def _number(value: Attribute) -> str:
    if isinstance(value, FloatAttr):
        return f"{value.value.data:.6g}"
    return str(value.value.data) if isinstance(value, IntegerAttr) else str(value)
