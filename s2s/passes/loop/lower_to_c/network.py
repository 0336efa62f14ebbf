"""Lower networks to C functions: kernel after kernel, and control flow around the networks that they run.

`main` becomes the function that a program calls, which checks what it is handed first; any other network a static
function beside it. State is put to its initial values by a function of its own, and so are constants copied to memory
pools at start.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue

from s2s.analysis.network.functions import INIT, LOADED, STATE
from s2s.c_syntax import headers
from s2s.c_syntax.identifiers import c_identifier, c_macro, port_identifiers, unique_identifiers
from s2s.c_syntax.interface import run_order
from s2s.dialects import c, loop
from s2s.memory.accesses import buffer_bytes
from s2s.passes.loop.lower_to_c.arena import Arena, arena_table, element_of
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.divided import POOL, threads_of
from s2s.passes.loop.lower_to_c.index_checks import check_indices, indices_of
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.names import Names
from s2s.passes.loop.lower_to_c.run_sizes import KnownSizes, RunSizes, refuse
from s2s.passes.loop.lower_to_c.steps import StepBuilder, lower_steps
from s2s.passes.loop.lower_to_c.written import Written
from s2s.passes.loop.segments import segments_of

_VOID_POINTER = c.PtrType(c.VOID)


class _NetworkFunction:
    """The common part of all network functions."""

    def __init__(self, func: FuncOp, names: Names, arena: Arena) -> None:
        self.func, self.names, self.prefix, self.arena = func, names, names.prefix, arena

    def views(self) -> list[loop.ViewOp]:
        """The buffers of the arena."""
        return [op for op in self.func.body.block.ops if isinstance(op, loop.ViewOp)]


class LowerInner(_NetworkFunction):
    """Lowers a network that another one runs to a static function."""

    def run(self, written: Written) -> c.FuncOp:
        """Write the function `<prefix>_<network>(arena, outputs…, inputs…)`; it does a step of a network in steps."""
        arena, *buffers = self.func.args
        types: list[Attribute] = [
            c.PtrType(element_of(buffer.type), const=not written.is_written(buffer)) for buffer in buffers
        ]
        name = self.names.kernels[self.func.sym_name.data]
        sizes, has_steps = self.names.sizes.get(name, ()), loop.RunSteps.of(self.func) is not None
        taken = [*self.arena.types(1), *types, *[IndexType()] * (len(sizes) + has_steps)]
        block = Block(arg_types=taken)
        b = Builder(block)
        for old, new in zip([arena, *buffers], block.args, strict=False):
            b.bind(old, new)
        known = KnownSizes(dict(zip(sizes, block.args[len(buffers) + 1 :], strict=False))) if sizes else None
        self.arena.enter(b, block.args[:1], self.views())
        steps = StepBuilder(b, self.names, self.arena, sizes=known)
        if has_steps:
            from s2s.passes.loop.lower_to_c.step_groups import lower_step

            lower_step(steps, self.func, block.args[-1])
        else:
            lower_steps(steps, self.func)
        parameters = unique_identifiers(
            [*(buffer.name_hint or "x" for buffer in buffers), *map(c_identifier, sizes), *["tile"] * has_steps],
            taken={"arena", *self.arena.identifiers},
        )
        return c.FuncOp(name, taken, body=block, parameters=["arena", *parameters], static=True)


class LowerNetwork(_NetworkFunction):
    """Writes the run function, and the function that sets the initial state."""

    def __init__(self, main: Main, names: Names, arena: Arena) -> None:
        super().__init__(main.func, names, arena)
        self.main = main
        inputs, outputs = port_identifiers(main.input_names, main.output_names)
        self.segments = segments_of(main.func)
        self.ports = [*inputs, *outputs]
        self.arguments = [main.arena, *main.inputs, *main.outputs]

    @property
    def arenas(self) -> list[str]:
        """The parameters for the arena: one, or one for each pool that holds a part of it."""
        return [f"arena_{segment.pool}" for segment in self.segments] or ["arena"]

    def run(self) -> c.FuncOp:
        """Write the function `<prefix>_run(arena, inputs…, outputs…)`."""
        count = len(self.arenas)
        ports = [self._port(value, const=True) for value in self.main.inputs]
        ports += [self._port(value, const=False) for value in self.main.outputs]
        block = Block(arg_types=[*self.arena.types(count), *ports])
        b = Builder(block)
        for old, new in zip(self.arguments, [block.args[0], *block.args[count:]], strict=True):
            b.values[old] = new
        self.arena.enter(b, block.args[:count], self.views())
        doc = arena_table(self.main, self.arena, dict(zip(self.arguments[1:], self.ports, strict=True)))
        self._check(b, block.args[:count], block.args[count:])
        pool = block.insert_arg(POOL, count) if threads_of(self.func) is not None else None
        pools = self._named("pool") if pool is not None else []
        sizes = self._with_sizes(b, block, count + len(pools))
        dims = self._named("dims") if sizes is not None and sizes.fields else []
        parameters = run_order(self.arenas, pools, dims, self.ports)
        self._check_indices(b, sizes)
        taken = frozenset(parameters) | self.arena.identifiers
        lower_steps(StepBuilder(b, self.names, self.arena, pool, sizes, taken), self.func)
        block.add_op(c.ReturnOp(self._status(b)))
        ends = [f"{c_macro(f'{self.prefix}_{name}')}_SIZE" for name in self.ports]
        extents = [*[""] * (len(parameters) - len(ends)), *ends]
        types = list(block.arg_types)
        return c.FuncOp(f"{self.prefix}_run", types, c.STATUS, block, doc=doc, parameters=parameters, extents=extents)

    def _check_indices(self, b: Builder, sizes: RunSizes | None) -> None:
        """Check the inputs and states that are indices."""
        for each in indices_of(self.main):
            check_indices(b, each, self.arena, {} if sizes is None else sizes.values)

    def _status(self, b: Builder) -> SSAValue:
        """The status of a run that has come to its end."""
        if self.names.status is None:
            return b.add(c.SymbolOp("S2S_OK", c.STATUS))
        return b.call(self.names.status, [], c.STATUS, headers.PACKED)

    def _named(self, word: str) -> list[str]:
        """The parameter `word`, under another name if an input, an output or a part of the arena has this one."""
        return unique_identifiers([word], taken={*self.arenas, *self.ports, *self.arena.identifiers})

    def _with_sizes(self, b: Builder, block: Block, place: int) -> RunSizes | None:
        """Add a parameter with the sizes of this run to `block` at `place`, if the caller gives any, and check them."""
        sizes = self._sizes()
        if sizes is None:
            return None
        self._enter_sizes(b, sizes, block.insert_arg(sizes.type, place) if sizes.fields else None)
        return sizes

    def _sizes(self) -> RunSizes | None:
        """The sizes of a run; None if all are constant."""
        module = self.func.parent_op()
        used = _sizes_of_steps(self.func) | {axis.size for each in indices_of(self.main) for axis in each.axes}
        sizes = None if module is None else RunSizes(module.attributes, self.names, used)
        return sizes if sizes is not None and sizes.bounds else None

    def _enter_sizes(self, b: Builder, sizes: RunSizes, dims: SSAValue | None) -> None:
        """Compute the sizes that inputs tell, and read and check the others."""
        sizes.count(b, dict(zip(self.main.input_names, self.main.inputs, strict=True)))
        self._read_dims(b, sizes, dims)

    def _read_dims(self, b: Builder, sizes: RunSizes, dims: SSAValue | None) -> None:
        """Read and check the sizes that the caller gives, if any."""
        if dims is not None:
            refuse(b, b.binary("==", dims, b.add(c.SymbolOp("NULL", _VOID_POINTER))), "S2S_ERR_NULL")
            sizes.enter(b, dims)

    def reset(self) -> c.FuncOp | None:
        """Write the function `<prefix>_reset(arena)`; None if there is no state."""
        states = [view for view in self.views() if STATE in view.attributes]
        if not states:
            return None
        return self._setting("reset", states, self.arenas[:1])

    def load(self) -> c.FuncOp | None:
        """Write the function `<prefix>_load(arena_tcm, arena_sram)`; None if no pool holds constants from start on."""
        constants = [view for view in self.views() if LOADED in view.attributes]
        return self._setting("load", constants, self.arenas) if constants else None

    def _setting(self, name: str, views: list[loop.ViewOp], arenas: list[str]) -> c.FuncOp:
        """Write the function that sets parts of the arena to their first values."""
        types = self.arena.types(len(arenas))
        block = Block(arg_types=types)
        b = Builder(block)
        self.arena.enter(b, block.args, views)
        self._check(b, block.args, [])
        for view in views:
            self._set(b, view)
        block.add_op(c.ReturnOp(b.add(c.SymbolOp("S2S_OK", c.STATUS))))
        extents = [""] * len(arenas)
        return c.FuncOp(f"{self.prefix}_{name}", types, c.STATUS, block, parameters=arenas, extents=extents)

    def _set(self, b: Builder, view: loop.ViewOp) -> None:
        """Set a state or a constant to its first value."""
        size = b.literal(buffer_bytes(view.result), IndexType())
        place, init = self.arena.view(b, view), view.attributes.get(INIT)
        if isinstance(init, StringAttr):
            values = c.SymbolOp(self.names.weights[init.data], c.PtrType(element_of(view.result.type), const=True))
            b.block.add_op(c.CallOp("memcpy", [place, b.add(values), size], header=headers.STRING))
        else:
            b.block.add_op(c.CallOp("memset", [place, b.literal(0, IntegerType(32)), size], header=headers.STRING))

    def _port(self, value: SSAValue, *, const: bool) -> Attribute:
        return c.PtrType(element_of(value.type), const=const)

    def _check(self, b: Builder, arenas: Sequence[SSAValue], others: Sequence[SSAValue]) -> None:
        """Check the arguments: missing pointers, and arenas that are not aligned."""
        passed = [*arenas, *others] if self.main.arena_size else others
        handed = [value for value in passed if isinstance(value.type, c.PtrType)]
        null = b.add(c.SymbolOp("NULL", _VOID_POINTER))
        missing = [b.binary("==", value, null) for value in handed]
        if missing:
            refuse(b, _any_of(b, missing), "S2S_ERR_NULL")
        if arenas and self.main.arena_size and not self.arena.is_aligned:
            align = b.add(c.SymbolOp(f"{c_macro(self.prefix)}_ARENA_ALIGN", IndexType()))
            for arena in arenas:
                aligned = b.call("s2s_is_aligned", [arena, align], IntegerType(1), headers.ALIGN)
                refuse(b, b.unary("!", aligned), "S2S_ERR_ALIGN")


def _sizes_of_steps(func: FuncOp) -> set[str]:
    """The sizes that are numbers of steps."""
    ops = func.body.block.ops
    return {op.size.data for op in ops if isinstance(op, loop.CallForOp) and op.size is not None}


def _any_of(b: Builder, tests: list[SSAValue]) -> SSAValue:
    result = tests[0]
    for test in tests[1:]:
        result = b.binary("||", result, test)
    return result
