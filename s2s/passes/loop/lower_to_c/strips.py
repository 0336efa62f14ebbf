"""Lower scalable loops to strips: each operation of the body is a call of `s2s_strips.h` for several iterations.

    loop.for %c = 0 to 64 scalable { … }
->
    for (int32_t c = 0; c < 64; c += n) {
        n = s2s_strip(64 - c);
        s2s_i32xn acc = s2s_i32xn_load(&bias[c], n);
        for (int32_t k = 0; k < 64; k++) {
            acc = s2s_i32xn_add_multiples(acc, x[k], s2s_i16xn_of_i8(s2s_i8xn_load(&w[k * 64 + c], n), n), n);
        }
        …

A value that differs between iterations has one or more forms: as it is loaded, and wider where an operation takes it
so. Products of 16 bits and the sum that takes them are one instruction.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr, VectorType, f32, i1, i8, i16, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from s2s.analysis.structure.lanes import LANE_FUNCTIONS
from s2s.analysis.structure.strips import GROUP, Strips, comparison, fits_short
from s2s.c_syntax import headers
from s2s.c_syntax.types import element_name
from s2s.dialects import c, loop
from s2s.dialects.tensor import SHORT_ROUNDINGS, QuantizeOp, RescaleOp, SaturateOp
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.affine import INDEX, bounds_of, condition
from s2s.passes.loop.lower_to_c.builder import Builder, assign, literal_value, signed_type, vector_name
from s2s.passes.loop.lower_to_c.floats import quantisation_call
from s2s.passes.loop.lower_to_c.memory import pointer
from s2s.passes.loop.lower_to_c.neighbours import neighbours_in, position
from s2s.passes.loop.lower_to_c.operations import lower_operation
from s2s.types.dtypes import size_in_bytes
from s2s.types.hints import isa

Forms = dict[Attribute, SSAValue]
MASK = c.NamedType("s2s_maskxn")
"""The C type of a choice for each lane."""
OF_WORDS: Mapping[type[Operation], str] = {
    SaturateOp: "saturated",
    arith.TruncIOp: "of_i32",
    arith.SIToFPOp: "of_i32",
}
"""The functions that make other lanes of lanes of 32 bits."""


def lower_strips(b: Builder, op: loop.ForOp, lower: SSAValue, upper: SSAValue) -> None:
    """Lower a scalable loop from `lower` to `upper`; one that falls has its counter at the end of each strip."""
    falls = op.down is not None
    count = b.add(c.VariableOp(INDEX))
    count.name_hint = "n"
    body = c.ForOp.block(INDEX)
    counter = body.args[0]
    counter.name_hint = f"{op.index.name_hint or 'i'}_end" if falls else op.index.name_hint
    with b.inside(body):
        left = b.binary("-", counter, lower) if falls else b.binary("-", upper, counter)
        left = counter if falls and literal_value(lower) == 0 else left
        b.block.add_op(c.AssignOp(count, b.call("s2s_strip", [left], INDEX, headers.STRIPS)))
        n = b.add(c.LoadOp(count))
        b.bind(op.index, b.binary("-", counter, n) if falls else counter)
        _Strip(b, op, n).block(op.body.block)
    ends = (upper, lower) if falls else (lower, upper)
    b.block.add_op(c.ForOp(*ends, body, step=-1 if falls else 1, by=count))


def vector(element: Attribute) -> c.NamedType:
    """Return the C type of vectors of `element`."""
    name = vector_name(element) if isa(element, VectorType) else f"s2s_{element_name(element)}"
    return c.NamedType(f"{name}xn")


class _Strip:
    """Lowers the body of one loop."""

    def __init__(self, b: Builder, op: loop.ForOp, count: SSAValue) -> None:
        self.b, self.strips, self.count = b, Strips(op), count
        self.forms: dict[SSAValue, Forms] = {}

    def block(self, block: Block) -> None:
        """Lower the operations of a block, in order."""
        with self.b.sharing(neighbours_in(self.b, block)):
            for op in block.ops:
                self._operation(op)

    @contextmanager
    def _nested(self) -> Generator[None]:
        """Forget the forms that are made within the context, which outer blocks do not see."""
        before = {value: dict(forms) for value, forms in self.forms.items()}
        yield
        self.forms = before

    def _operation(self, op: Operation) -> None:
        varying = self.strips.varying
        if isinstance(op, loop.YieldOp):
            return
        if isinstance(op, loop.ForOp):
            self._for(op)
        elif isinstance(op, loop.IfOp):
            self._if(op)
        elif isinstance(op, loop.StoreOp):
            self._store(op)
        elif isinstance(op, loop.LoadOp) and op.result.type == GROUP and op.result not in varying:
            place = pointer(self.b, op.buffer, position(self.b, op))
            self.b.bind(op.result, self.b.vector_call("load", [place], GROUP, header=headers.STRIPS, reads=True))
        elif not any(result in varying for result in op.results):
            lower_operation(self.b, op)
        elif not self.strips.is_product(op):
            self._bind(op.results[0], *self._value(op))

    def _bind(self, value: SSAValue, element: Attribute, lanes: SSAValue) -> None:
        lanes.name_hint = lanes.name_hint or value.name_hint
        self.forms[value] = {element: lanes}

    def _value(self, op: Operation) -> tuple[Attribute, SSAValue]:
        """Return the element type of the vector that `op` gives, and the vector."""
        result = op.results[0]
        match op:
            case loop.LoadOp():
                return result.type, self._load(op)
            case arith.ExtSIOp():
                self.forms[op.input] = self._forms(op.input)
                narrowest = min(self.forms[op.input], key=_width)
                return narrowest, self.forms[op.input][narrowest]
            case arith.CmpiOp():
                return i1, self._compare(op)
            case QuantizeOp():
                _, numbers = quantisation_call(self.b, op)
                return i8, self._call("quantize", i8, self._as(op.x, f32), *numbers)
            case RescaleOp() | loop.IntrinsicOp() | arith.SelectOp() | arith.DivSIOp() | arith.ShRSIOp():
                return i32, self._word(op)
            case _ if type(op) in OF_WORDS:
                return result.type, self._call(OF_WORDS[type(op)], result.type, self._as(op.operands[0], i32))
            case arith.AddiOp() | arith.AddfOp() if (added := self._multiply_add(op)) is not None:
                return result.type, added
            case arith.AddiOp() | arith.SubiOp() if fits_short(result):
                return i16, self._call(
                    LANE_FUNCTIONS[type(op)], i16, *(self._as(operand, i16) for operand in op.operands)
                )
            case _ if type(op) in LANE_FUNCTIONS:
                element = result.type
                return element, self._call(
                    LANE_FUNCTIONS[type(op)], element, *(self._as(operand, element) for operand in op.operands)
                )
            case _:
                raise CompilerBug(f"{op.name} has no form in strips; loop-strip-mine declines that")

    def _multiply_add(self, op: arith.AddiOp | arith.AddfOp) -> SSAValue | None:
        """Return a sum and the product that only it takes as one call; None if there is no such product."""
        for product, acc in ((op.rhs, op.lhs), (op.lhs, op.rhs)):
            times = product.owner
            if not isinstance(times, arith.MuliOp | arith.MulfOp) or not self.strips.is_product(times):
                continue
            factor = i16 if isinstance(times, arith.MuliOp) else f32
            a, b = sorted(times.operands, key=lambda factor: factor in self.strips.varying)
            if a in self.strips.varying:
                total = self._call(
                    "add_products",
                    op.result.type,
                    self._as(acc, op.result.type),
                    self._as(a, factor),
                    self._as(b, factor),
                )
            else:
                total = self._call(
                    "add_multiples",
                    op.result.type,
                    self._as(acc, op.result.type),
                    self.b.signed(a),
                    self._as(b, factor),
                )
            return _intrinsic(total)
        return None

    def _compare(self, op: arith.CmpiOp) -> SSAValue:
        a, b = (op.lhs, op.rhs) if comparison(op) == "sgt" else (op.rhs, op.lhs)
        return self.b.call("s2s_i32xn_greater", [self._as(a, i32), self._as(b, i32), self.count], MASK, headers.STRIPS)

    def _word(self, op: Operation) -> SSAValue:
        """Return lanes of 32 bits that `op` makes of operands of different kinds."""
        match op:
            case RescaleOp():
                return self._rescale(op)
            case loop.IntrinsicOp():
                return self._add_dots(op)
            case arith.SelectOp():
                return self._call("select", i32, self._forms(op.cond)[i1], self._as(op.lhs, i32), self._as(op.rhs, i32))
            case _:
                name = "div" if isinstance(op, arith.DivSIOp) else "shift_right"
                return self._call(name, i32, self._as(op.operands[0], i32), self.b.value(op.operands[1]))

    def _add_dots(self, op: loop.IntrinsicOp) -> SSAValue:
        """Add the products of four bytes that all lanes share and four of each lane."""
        x = self.b.value(op.x)
        total = self._call("add_dots", i32, self._as(op.acc, i32), x, self._forms(op.w)[op.w.type])
        return _intrinsic(total)

    def _call(self, name: str, element: Attribute, *arguments: SSAValue) -> SSAValue:
        type = vector(element)
        return self.b.call(f"{type.spelling.data}_{name}", [*arguments, self.count], type, headers.STRIPS)

    def _rescale(self, op: RescaleOp) -> SSAValue:
        rounding = op.rounding.data
        arguments = [self._as(op.x, i32), self._as(op.multiplier, i32)]
        if rounding != "high":
            arguments.append(self._as(op.shift, i8))
        if rounding in SHORT_ROUNDINGS:
            arguments.append(self.b.literal(op.added, i32))
        return self._call(f"rescale_{rounding}", i32, *arguments)

    def _forms(self, value: SSAValue) -> Forms:
        if value not in self.forms:
            raise CompilerBug(f"{value} was not lowered to a strip before its use")
        return self.forms[value]

    def _as(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Return the vector of `value` in lanes of `element`, which are as wide as the ones that it has or wider."""
        if value not in self.strips.varying:
            return self._call("splat", element, self.b.cast(self.b.signed(value), element))
        forms = self._forms(value)
        if element not in forms:
            narrow = max((form for form in forms if _width(form) < _width(element)), key=_width)
            forms[element] = self._call(f"of_{element_name(narrow)}", element, forms[narrow])
            forms[element].name_hint = value.name_hint
        return forms[element]

    def _place(self, op: loop.LoadOp | loop.StoreOp) -> tuple[str, list[SSAValue]]:
        """Return the end of the name of the function for an access, and where it is."""
        stride = self.strips.stride(op)
        value = op.result if isinstance(op, loop.LoadOp) else op.value
        place = [pointer(self.b, op.buffer, position(self.b, op))]
        if stride == 1 or isinstance(value.type, VectorType):
            return "", place
        return "_strided", [*place, self.b.literal(stride or 0, INDEX)]

    def _load(self, op: loop.LoadOp) -> SSAValue:
        suffix, place = self._place(op)
        type = vector(op.result.type)
        name = f"{type.spelling.data}_load{suffix}"
        return self.b.call(name, [*place, self.count], type, headers.STRIPS, reads=True)

    def _store(self, op: loop.StoreOp) -> None:
        value = self._as(op.value, op.value.type)
        suffix, place = self._place(op)
        name = f"{vector(op.value.type).spelling.data}_store{suffix}"
        self.b.block.add_op(c.CallOp(name, [*place, value, self.count], header=headers.STRIPS))

    def _for(self, op: loop.ForOp) -> None:
        """Lower a loop in the body; what it carries are variables, of vectors where values differ."""
        b = self.b
        variables = [self._variable(init, inner) for init, inner in zip(op.inits, op.carried, strict=True)]
        lower, upper = bounds_of(b, op)
        body = c.ForOp.block(INDEX)
        body.args[0].name_hint = op.index.name_hint
        b.values[op.index] = body.args[0]
        with self._nested(), b.inside(body):
            self._read(op.carried, variables)
            self.block(op.body.block)
            assign(b, variables, self._handed_on(op.body.block, op.carried))
        unroll = None if op.unroll is None else op.unroll.value.data
        b.block.add_op(c.ForOp(lower, upper, body, step=op.step.value.data, unroll=unroll))
        self._read(op.res, variables)

    def _if(self, op: loop.IfOp) -> None:
        """Lower a condition that all iterations share. Where one branch computes nothing, it is the initial value."""
        b = self.b
        test = condition(b, op.condition.data, op.dims)
        branches = [op.then.block, *([op.otherwise.block] if op.otherwise is not None else [])]
        initial: list[SSAValue | None] = [None] * len(op.res)
        if len(branches) > 1 and all(isinstance(inner, arith.ConstantOp | loop.YieldOp) for inner in branches[1].ops):
            self.block(branches[1])
            initial = [*self._handed_on(branches.pop(), op.res)]
        variables = [
            b.add(c.VariableOp(self._type(result), start)) for result, start in zip(op.res, initial, strict=True)
        ]
        for result, variable in zip(op.res, variables, strict=True):
            variable.name_hint = result.name_hint
        b.block.add_op(c.IfOp(test, *(self._branch(branch, op, variables) for branch in branches)))
        self._read(op.res, variables)

    def _branch(self, block: Block, op: loop.IfOp, variables: list[SSAValue]) -> Block:
        lowered = Block()
        with self._nested(), self.b.inside(lowered):
            self.block(block)
            assign(self.b, variables, self._handed_on(block, op.res))
        return lowered

    def _handed_on(self, block: Block, taken: Sequence[SSAValue]) -> list[SSAValue]:
        """Return what the end of a block hands on to `taken`."""
        last = block.last_op
        assert isinstance(last, loop.YieldOp)
        return [
            self._as(value, result.type) if result in self.strips.varying else self.b.signed(value)
            for value, result in zip(last.arguments, taken, strict=True)
        ]

    def _type(self, value: SSAValue) -> Attribute:
        return vector(value.type) if value in self.strips.varying else signed_type(value.type)

    def _variable(self, init: SSAValue, inner: SSAValue) -> SSAValue:
        """Return the variable of a carried value, maybe the one of its initial value if only this loop takes it."""
        varies = inner in self.strips.varying
        start = self._as(init, inner.type) if varies else self.b.signed(init)
        load, alone = start.owner, init.has_one_use()
        if alone and isinstance(load, c.LoadOp) and isinstance(load.place.owner, c.VariableOp):
            return load.place
        variable = self.b.add(c.VariableOp(self._type(inner), start))
        variable.name_hint = inner.name_hint
        return variable

    def _read(self, values: Sequence[SSAValue], variables: Sequence[SSAValue]) -> None:
        """Read carried values from their variables."""
        for value, variable in zip(values, variables, strict=True):
            read = self.b.add(c.LoadOp(variable))
            if value in self.strips.varying:
                self._bind(value, value.type, read)
            else:
                self.b.bind(value, read)


def _intrinsic(total: SSAValue) -> SSAValue:
    """Mark a call that adds products to an accumulator."""
    assert isinstance(total.owner, c.CallOp)
    total.owner.properties["intrinsic"] = UnitAttr()
    return total


def _width(element: Attribute) -> int:
    """Return the bytes of an element."""
    return size_in_bytes(element)
