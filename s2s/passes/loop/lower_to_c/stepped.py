"""Lower a network whose run is cut into steps.

    func.func @main(%arena: …, %y: …, %x: …) attributes {step_count = 17, …} {
      func.call @conv(%h, %x, %w) {step = 0, tiles = 16}
      func.call @relu(%y, %h) {step = 1}
->
    typedef struct net_steps { void *arena; const float *x; float *y; int32_t kernel; int32_t tile; } net_steps;

    s2s_status net_begin(net_steps *steps, void *arena, const float *x, float *y)     checks, and goes to the start
    s2s_status net_step(net_steps *steps)
    {
        …
        switch (kernel) {
        case 0:
            net_conv(a + 0, x, net_w, tile);
            tiles = 16;
            break;
        case 1:
            net_relu(y, a + 0);
            break;
        default:
            return S2S_ERR_STATE;
        }
        …                                                                    the next tile, or the next kernel
    }
    s2s_status net_abort(net_steps *steps)                                   no step follows
    s2s_status net_run(void *arena, const float *x, float *y)                all steps
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from s2s.analysis.network.functions import STATE
from s2s.c_syntax import headers
from s2s.c_syntax.identifiers import c_identifier, c_macro, unique_identifiers
from s2s.c_syntax.interface import run_order
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.arena import Arena, arena_table
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.index_checks import indices_of
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.names import Names
from s2s.passes.loop.lower_to_c.network import LowerNetwork
from s2s.passes.loop.lower_to_c.run_sizes import RunSizes
from s2s.passes.loop.lower_to_c.step_groups import StepGroup, lower_group, lower_shared, step_groups
from s2s.passes.loop.lower_to_c.steps import StepBuilder

_INDEX = IndexType()
_ENDED = -1
"""The kernel of a run that has been aborted."""


class LowerStepped(LowerNetwork):
    """Writes the functions of a run in steps, and the structure that holds where it is."""

    def __init__(self, main: Main, names: Names, arena: Arena) -> None:
        super().__init__(main, names, arena)
        self.run_type = c.NamedType(f"{self.prefix}_steps")
        sizes = self._sizes()
        dims = [] if sizes is None or not sizes.fields else [sizes.type]
        self.parameters = run_order(self.arenas, [], self._named("dims")[: len(dims)], self.ports)
        """What a run is given."""
        self.counted = [] if sizes is None else list(sizes.counted)
        """The sizes that inputs tell: a run may overwrite these, so they are kept."""
        numbers = [*map(c_identifier, self.counted), "kernel", "tile"]
        spelled, count = unique_identifiers([*self.parameters, *numbers]), len(self.parameters)
        self.members, (*self.kept, self.kernel, self.tile) = spelled[:count], spelled[count:]
        ports = [self._port(value, const=True) for value in main.inputs]
        ports += [self._port(value, const=False) for value in main.outputs]
        self.handed: list[Attribute] = [*arena.types(len(self.arenas)), *dims, *ports]
        """The types of that."""

    def operations(self) -> list[Operation]:
        """Write the structure and all functions, callees first."""
        numbers = [*self.kept, self.kernel, self.tile]
        types = [*self.handed, *[_INDEX] * len(numbers)]
        structure = c.StructOp(f"{self.prefix}_steps", [*self.members, *numbers], types)
        return [structure, self._begin(), self._step(), self._abort(), self.run()]

    def run(self) -> c.FuncOp:
        block = Block(arg_types=self.handed)
        b = Builder(block)
        run = b.add(c.VariableOp(self.run_type, identifier=self._free_name()))
        begun = b.add(c.CallOp(f"{self.prefix}_begin", [b.add(c.AddressOfOp(run)), *block.args], c.STATUS))
        begun.name_hint = "begun"
        self._return_unless(b, begun, "S2S_OK")
        turn = Block()
        with b.inside(turn):
            status = b.add(c.CallOp(f"{self.prefix}_step", [b.add(c.AddressOfOp(run))], c.STATUS))
            status.name_hint = "status"
            self._return_unless(b, status, "S2S_MORE")
            turn.add_op(c.CallOp("S2S_BETWEEN_STEPS", [], header=headers.CONFIG))
        b.block.add_op(c.LoopOp(turn))
        doc = arena_table(self.main, self.arena, dict(zip(self.arguments[1:], self.ports, strict=True)))
        name, extents = f"{self.prefix}_run", self._extents()
        return c.FuncOp(name, self.handed, c.STATUS, block, doc=doc, parameters=self.parameters, extents=extents)

    def _begin(self) -> c.FuncOp:
        block, count = Block(arg_types=[c.PtrType(self.run_type), *self.handed]), len(self.arenas)
        run, *handed = block.args
        b = Builder(block)
        self._bind(b, handed)
        indices = [index.value.owner for index in indices_of(self.main)]
        self.arena.enter(
            b, handed[:count], [view for view in self.views() if view in indices and STATE in view.attributes]
        )
        self._check(b, handed[:count], [run, *handed[-len(self.ports) :]])
        sizes = self._sizes()
        if sizes is not None:
            self._enter_sizes(b, sizes, self._dims(sizes, handed))
            for name, size in zip(self.kept, self.counted, strict=True):
                b.block.add_op(c.AssignOp(b.add(c.MemberOp(run, name, _INDEX)), sizes.values[size]))
        self._check_indices(b, sizes)
        for name, type, value in zip(self.members, self.handed, handed, strict=True):
            b.block.add_op(c.AssignOp(b.add(c.MemberOp(run, name, type)), value))
        self._go(b, run, b.literal(0, _INDEX), b.literal(0, _INDEX))
        block.add_op(c.ReturnOp(b.add(c.SymbolOp("S2S_OK", c.STATUS))))
        return self._exported("begin", block, self.parameters, self._extents())

    def _step(self) -> c.FuncOp:
        block, count = Block(arg_types=[c.PtrType(self.run_type)]), len(self.arenas)
        (run,) = block.args
        b = Builder(block)
        self._check(b, [], [run])
        before = len(self.handed) - len(self.ports)
        handed = [self._member(b, run, place) for place in range(before)]
        b.values[self.arguments[0]] = handed[0]
        self._read_ports(b, run, [op for op in self.func.body.block.ops if loop.step_of(op) is None])
        kernel, tile = (self._read(b, run, name, _INDEX) for name in (self.kernel, self.tile))
        groups = list(step_groups(self.func))
        tiles = None
        if any(group.tiles is not None for group in groups):
            tiles = b.add(c.VariableOp(_INDEX, b.literal(1, _INDEX)))
            tiles.name_hint = "tiles"
        self.arena.enter(b, handed[:count], self.views())
        sizes = self._sizes()
        if sizes is not None:
            sizes.values |= {
                size: self._read(b, run, name, _INDEX) for name, size in zip(self.kept, self.counted, strict=True)
            }
            self._read_dims(b, sizes, self._dims(sizes, handed))
        taken = frozenset([*self.parameters, *self.arena.identifiers])
        steps = StepBuilder(b, self.names, self.arena, sizes=sizes, taken=taken)
        lower_shared(steps, self.func)
        cases = [self._case(steps, group, run, tile) for group in groups]
        for group, case in zip(groups, cases, strict=True):
            if group.tiles is not None and tiles is not None:
                with b.inside(case):
                    case.add_op(c.AssignOp(tiles, b.literal(group.tiles, _INDEX)))
        none = Block()
        with b.inside(none):
            none.add_op(c.ReturnOp(b.add(c.SymbolOp("S2S_ERR_STATE", c.STATUS))))
        block.add_op(c.SwitchOp(kernel, [*cases, none]))
        self._go_on(b, run, kernel, tile, tiles, len(groups))
        return self._exported("step", block, [], [])

    def _case(self, steps: StepBuilder, group: StepGroup, run: SSAValue, tile: SSAValue) -> Block:
        """Write what a step of a group does, with the inputs and outputs that it takes."""
        case = Block()
        with steps.b.inside(case):
            self._read_ports(steps.b, run, group.ops)
        case.add_ops([op.detach() or op for op in list(lower_group(steps, group, tile).ops)])
        return case

    def _read_ports(self, b: Builder, run: SSAValue, ops: Sequence[Operation]) -> None:
        """Read the pointers to inputs and outputs that some operations take, where they have not been read."""
        taken = {operand for op in ops for each in op.walk() for operand in each.operands}
        before = len(self.handed) - len(self.ports)
        for place, port in enumerate(self.arguments[1:], before):
            if port in taken:
                b.values[port] = self._member(b, run, place)

    def _member(self, b: Builder, run: SSAValue, place: int) -> SSAValue:
        """Read something that the run was given."""
        return self._read(b, run, self.members[place], self.handed[place])

    def _bind(self, b: Builder, handed: Sequence[SSAValue]) -> None:
        """Record which values the arena and the ports are."""
        ports = handed[len(handed) - len(self.ports) :]
        for old, new in zip(self.arguments, [handed[0], *ports], strict=True):
            b.values[old] = new

    def _dims(self, sizes: RunSizes, handed: Sequence[SSAValue]) -> SSAValue | None:
        """The sizes that the caller gives, of what a run is given; None if all follow from inputs."""
        return handed[len(self.arenas)] if sizes.fields else None

    def _go_on(
        self, b: Builder, run: SSAValue, kernel: SSAValue, tile: SSAValue, tiles: SSAValue | None, count: int
    ) -> None:
        """Go to the next tile, or to the next one of `count` kernels, and tell whether there is one."""
        one = b.literal(1, _INDEX)
        if tiles is not None:
            more = Block()
            next_tile = b.binary("+", tile, one)
            next_tile.name_hint = "next_tile"
            test = b.binary("<", next_tile, b.add(c.LoadOp(tiles)))
            with b.inside(more):
                more.add_op(c.AssignOp(b.add(c.MemberOp(run, self.tile, _INDEX)), next_tile))
                more.add_op(c.ReturnOp(b.add(c.SymbolOp("S2S_MORE", c.STATUS))))
            b.block.add_op(c.IfOp(test, more))
        next_kernel = b.binary("+", kernel, one)
        next_kernel.name_hint = "next_kernel"
        self._go(b, run, next_kernel, b.literal(0, _INDEX))
        is_over = b.binary("==", next_kernel, b.literal(count, _INDEX))
        b.block.add_op(c.IfOp(is_over, self._returning(b)))
        b.block.add_op(c.ReturnOp(b.add(c.SymbolOp("S2S_MORE", c.STATUS))))

    def _returning(self, b: Builder) -> Block:
        """Return from a run that has come to its end."""
        block = Block()
        with b.inside(block):
            block.add_op(c.ReturnOp(self._status(b)))
        return block

    def _abort(self) -> c.FuncOp:
        block = Block(arg_types=[c.PtrType(self.run_type)])
        b = Builder(block)
        self._check(b, [], block.args)
        self._go(b, block.args[0], b.literal(_ENDED, _INDEX), b.literal(0, _INDEX))
        block.add_op(c.ReturnOp(b.add(c.SymbolOp("S2S_OK", c.STATUS))))
        return self._exported("abort", block, [], [])

    def _go(self, b: Builder, run: SSAValue, kernel: SSAValue, tile: SSAValue) -> None:
        """Go to a tile of a kernel."""
        for name, value in ((self.kernel, kernel), (self.tile, tile)):
            b.block.add_op(c.AssignOp(b.add(c.MemberOp(run, name, _INDEX)), value))

    def _read(self, b: Builder, run: SSAValue, name: str, type: Attribute) -> SSAValue:
        value = b.add(c.LoadOp(b.add(c.MemberOp(run, name, type))))
        value.name_hint = name
        return value

    def _return_unless(self, b: Builder, status: SSAValue, wanted: str) -> None:
        failed = Block([c.ReturnOp(status)])
        b.block.add_op(c.IfOp(b.binary("!=", status, b.add(c.SymbolOp(wanted, c.STATUS))), failed))

    def _free_name(self) -> str:
        """The name of a run's structure, which no port and no part of the arena has."""
        return unique_identifiers(["steps"], taken={*self.arenas, *self.ports, *self.arena.identifiers})[0]

    def _extents(self) -> list[str]:
        ends = [f"{c_macro(f'{self.prefix}_{name}')}_SIZE" for name in self.ports]
        return [*[""] * (len(self.parameters) - len(ends)), *ends]

    def _exported(self, name: str, block: Block, parameters: Sequence[str], extents: Sequence[str]) -> c.FuncOp:
        types, names = list(block.arg_types), [self._free_name(), *parameters]
        return c.FuncOp(f"{self.prefix}_{name}", types, c.STATUS, block, parameters=names, extents=["", *extents])


__all__ = ["LowerStepped"]
