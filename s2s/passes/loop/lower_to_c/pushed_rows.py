"""Lower a network whose caller hands over the rows of its input one after the other.

    func.func @main(%arena: …, %y: memref<2xi8>, %x: memref<256xi8>) {
      func.call @fill(%ring)
      loop.call_rows count %count in %inner (%x, %ring, %whole) …
      func.call @mean(%y, %whole)
      loop.end_rows %count
->
    static void net_tick(void *arena, int32_t t, const int8_t *row)             the bodies that are due in a tick
    s2s_status net_reset(void *arena)                                           what stands before the loop
    s2s_status net_push(void *arena, const int8_t *x, int32_t count)            the ticks of these rows
    s2s_status net_finish(void *arena, int8_t *y)                               the other ticks, and what stands behind
    s2s_status net_run(void *arena, const int8_t *x, int8_t *y)                 all three, for a caller who has all rows
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from s2s.c_syntax.identifiers import c_macro, unique_identifiers
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.arena import Arena, element_of
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.calls import count_of, lower_tick, set_count
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.names import Names
from s2s.passes.loop.lower_to_c.network import LowerNetwork
from s2s.passes.loop.lower_to_c.run_sizes import refuse
from s2s.passes.loop.lower_to_c.steps import StepBuilder, lower_operations
from s2s.types.shapes.sliding import ticks_of

_INDEX = IndexType()
_VOID_POINTER = c.PtrType(c.VOID)


class LowerPushed(LowerNetwork):
    """Writes the functions of a network whose rows are pushed."""

    def __init__(self, main: Main, names: Names, arena: Arena) -> None:
        super().__init__(main, names, arena)
        ops = main.func.body.block.ops
        (self.rows,) = (op for op in ops if isinstance(op, loop.CallRowsOp) and op.count is not None)
        assert self.rows.count is not None
        self.count = self.rows.count
        steps = [op for op in main.func.body.block.ops if isinstance(op, loop.STEPS)]
        self.before, self.behind = steps[: steps.index(self.rows)], steps[steps.index(self.rows) + 1 :]
        self.input, self.outputs = main.inputs[0], main.outputs
        self.input_name, self.output_names = self.ports[0], self.ports[1:]

    def functions(self) -> list[c.FuncOp]:
        """Write all functions, callees first."""
        return [self._tick(), self.reset(), self._push(), self._finish(), self.run()]

    def reset(self) -> c.FuncOp:
        block, b = self._entered([], self.before, [self.count])
        self._lower(b, self.before)
        set_count(b, self.count, b.literal(0, i32))
        return self._exported("reset", b, block, [], [])

    def run(self) -> c.FuncOp:
        block = self._block([self._port(self.input, const=True), *self._outputs()])
        b = Builder(block)
        arena, rows, *outputs = block.args
        self._checked(b, "reset", [arena])
        if self.rows.row_parts == 1:
            self._checked(b, "push", [arena, rows, b.literal(self.rows.rows, _INDEX)])
        else:
            self._push_parts(b, arena, rows)
        b.block.add_op(c.ReturnOp(b.add(c.CallOp(f"{self.prefix}_finish", [arena, *outputs], c.STATUS))))
        return self._function("run", block, self.ports, self._extents(self.ports))

    def _checked(self, b: Builder, name: str, handed: Sequence[SSAValue]) -> None:
        """Call a function, and return its status if it failed."""
        status = b.add(c.CallOp(f"{self.prefix}_{name}", handed, c.STATUS))
        status.name_hint = f"{name}_status"
        failed = Block([c.ReturnOp(status)])
        b.block.add_op(c.IfOp(b.binary("!=", status, b.add(c.SymbolOp("S2S_OK", c.STATUS))), failed))

    def _push_parts(self, b: Builder, arena: SSAValue, x: SSAValue) -> None:
        """Push each row of `x` from a copy of its parts, which lie apart."""
        parts, rows, size = self.rows.row_parts, self.rows.rows, self.rows.row_sizes[0]
        length, element = size // parts, element_of(self.input.type)
        row = b.add(c.VariableOp(c.ArrayType(size, element), identifier="row"))
        loops = [c.ForOp.block(_INDEX) for _ in range(3)]
        each, part, index = (block.args[0] for block in loops)
        each.name_hint, part.name_hint, index.name_hint = "r", "p", "i"
        zero = b.literal(0, _INDEX)
        with b.inside(loops[2]):
            at = b.binary("+", b.binary("*", part, b.literal(rows, _INDEX)), each)
            source = b.binary("+", b.binary("*", at, b.literal(length, _INDEX)), index)
            place = b.binary("+", b.binary("*", part, b.literal(length, _INDEX)), index)
            copied = b.add(c.LoadOp(b.add(c.SubscriptOp(x, source))))
            loops[2].add_op(c.AssignOp(b.add(c.SubscriptOp(row, place)), copied))
        loops[1].add_op(c.ForOp(zero, b.literal(length, _INDEX), loops[2]))
        with b.inside(loops[0]):
            loops[0].add_op(c.ForOp(zero, b.literal(parts, _INDEX), loops[1]))
            self._checked(b, "push", [arena, b.add(c.AddressOfOp(row)), b.literal(1, _INDEX)])
        b.block.add_op(c.ForOp(zero, b.literal(rows, _INDEX), loops[0]))

    def _tick(self) -> c.FuncOp:
        types = [*self.arena.types(1), _INDEX, self._port(self.input, const=True)]
        block = Block(arg_types=types)
        b = Builder(block)
        inner = [] if self.rows.arena is None else [self.rows.arena]
        self._declare(b, block.args[0], [], [*self.rows.buffers[1:], *inner])
        lower_tick(StepBuilder(b, self.names, self.arena), self.rows, block.args[1], block.args[2])
        name, parameters = f"{self.prefix}_tick", ["arena", "t", "row"]
        return c.FuncOp(name, types, body=block, parameters=parameters, static=True)

    def _push(self) -> c.FuncOp:
        block, b = self._entered([self._port(self.input, const=True), _INDEX], [], [self.count])
        arena, rows, number = block.args
        before = self._arrived(b)
        zero = b.literal(0, _INDEX)
        room = b.binary("-", b.literal(self.rows.rows, _INDEX), before)
        few, many = b.binary("<", number, zero), b.binary(">", number, room)
        refuse(b, b.binary("||", b.binary("||", b.binary("<", before, zero), few), many), "S2S_ERR_RANGE")
        body = c.ForOp.block(_INDEX)
        body.args[0].name_hint = "i"
        with b.inside(body):
            way = b.binary("*", body.args[0], b.literal(self.rows.row_sizes[0], _INDEX))
            handed = [arena, b.binary("+", before, body.args[0]), b.binary("+", rows, way)]
            body.add_op(c.CallOp(f"{self.prefix}_tick", handed))
        b.block.add_op(c.ForOp(b.literal(0, _INDEX), number, body))
        set_count(b, self.count, b.cast(b.binary("+", before, number), i32))
        (count,) = unique_identifiers(["count"], taken={self.input_name, *self.arenas, *self.arena.identifiers})
        return self._exported("push", b, block, [self.input_name, count], ["", ""])

    def _finish(self) -> c.FuncOp:
        block, b = self._entered(self._outputs(), self.behind, [self.count])
        arena, rows = block.args[0], b.literal(self.rows.rows, _INDEX)
        refuse(b, b.binary("!=", self._arrived(b), rows), "S2S_ERR_STATE")
        ticks = ticks_of(self.rows.pieces)
        if ticks > self.rows.rows:
            body = c.ForOp.block(_INDEX)
            body.args[0].name_hint = "t"
            with b.inside(body):
                none = b.add(c.SymbolOp("NULL", _VOID_POINTER))
                body.add_op(c.CallOp(f"{self.prefix}_tick", [arena, body.args[0], none]))
            b.block.add_op(c.ForOp(b.literal(self.rows.rows, _INDEX), b.literal(ticks, _INDEX), body))
        for value, argument in zip(self.outputs, block.args[1:], strict=True):
            b.values[value] = argument
        self._lower(b, self.behind)
        return self._exported("finish", b, block, self.output_names, self._extents(self.output_names))

    def _arrived(self, b: Builder) -> SSAValue:
        arrived = b.cast(count_of(b, self.count), _INDEX)
        arrived.name_hint = "before"
        return arrived

    def _outputs(self) -> list[c.PtrType]:
        return [c.PtrType(element_of(value.type)) for value in self.outputs]

    def _extents(self, names: Sequence[str]) -> list[str]:
        return [f"{c_macro(f'{self.prefix}_{name}')}_SIZE" for name in names]

    def _block(self, ports: Sequence[Attribute]) -> Block:
        return Block(arg_types=[*self.arena.types(1), *ports])

    def _entered(
        self, ports: Sequence[Attribute], steps: Sequence[Operation], buffers: Sequence[SSAValue] = ()
    ) -> tuple[Block, Builder]:
        """Open a function with its checks and with pointers to `buffers` and to the buffers of `steps`."""
        block = self._block(ports)
        b = Builder(block)
        self._declare(b, block.args[0], steps, buffers)
        self._check(b, block.args[:1], block.args[1:])
        return block, b

    def _declare(
        self, b: Builder, arena: SSAValue, steps: Sequence[Operation], buffers: Sequence[SSAValue] = ()
    ) -> None:
        """Declare pointers to the buffers of `steps`, and `buffers`."""
        b.values[self.main.arena] = arena
        used = _declared([*buffers, *(operand for op in steps for operand in op.operands)])
        ops = [op for op in self.func.body.block.ops if op in used]
        self.arena.enter(b, [arena], [op for op in ops if isinstance(op, loop.ViewOp)])
        lower_operations(StepBuilder(b, self.names, self.arena), ops)

    def _lower(self, b: Builder, steps: Sequence[Operation]) -> None:
        lower_operations(StepBuilder(b, self.names, self.arena), steps)

    def _exported(
        self, name: str, b: Builder, block: Block, parameters: Sequence[str], extents: Sequence[str]
    ) -> c.FuncOp:
        """Return the function that ends with success."""
        block.add_op(c.ReturnOp(self._status(b)))
        return self._function(name, block, parameters, extents)

    def _function(self, name: str, block: Block, parameters: Sequence[str], extents: Sequence[str]) -> c.FuncOp:
        types = list(block.arg_types)
        names = [*self.arenas, *parameters]
        return c.FuncOp(f"{self.prefix}_{name}", types, c.STATUS, block, parameters=names, extents=["", *extents])


def _declared(buffers: Sequence[SSAValue]) -> set[Operation]:
    """Return the views and constants that `buffers` are, and the views that these are parts of."""
    owners: set[Operation] = set()
    waiting = list(buffers)
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, loop.ViewOp | loop.WeightOp) and owner not in owners:
            owners.add(owner)
            waiting += owner.operands
    return owners
