"""Lower loops over buffers to C functions, and `main` to the function that a program calls.

    func.func private @relu(%y: memref<4xf32>, %x: memref<4xf32>) { loop.for %i = 0 to 4 { … } }
    func.func @main(%arena: memref<16xi8>, %y: memref<4xf32>, %x: memref<4xf32>) { func.call @relu(%y, %x) }
->
    c.func @net_relu(%y: !c.ptr<f32, restrict>, %x: !c.ptr<f32, const, restrict>) { c.for %i = … { … } }
    c.func @net_run(%arena: !c.ptr<!c.named<"void">>, %x: !c.ptr<f32, const>, %y: !c.ptr<f32>) -> s2s_status { … }

Every kernel becomes `<prefix>_<kernel>`, every weight a `c.global` called `<prefix>_<weight>` whose values stay in the
weight store. Two pointers of a kernel are `restrict` unless its attribute `in_place` says that they may be one buffer.
The attribute `doc` of a kernel becomes the comment above it. With `executor=graph`, `main` becomes tables instead.
A kernel that is divided among threads becomes four things (`divided.py`), and `main` takes a pool of threads.
A network that another one runs becomes a static function beside `main`; state gets a function that sets it. Copies
between devices call hooks, whose default definitions copy bytes (`device_hooks.py`); kernels and weights of a device
keep its name in the attribute `device`. With `profile=misra` the arena of `main` is a union of typed buffers
(`arena.py`), one for each memory pool or device, and `restrict` a macro.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from s2s.analysis.network.arguments import IN_PLACE
from s2s.analysis.network.functions import DEVICE, EXTERNAL, INIT, POOL, callees_first, device_of, meanings_of
from s2s.dialects import c, loop
from s2s.dialects.walk import walk
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.arena import PlainArena, flat_array, typed_arena
from s2s.passes.loop.lower_to_c.callbacks import callback_prototypes
from s2s.passes.loop.lower_to_c.device_hooks import device_hooks
from s2s.passes.loop.lower_to_c.divided import LowerDivided, threads_of
from s2s.passes.loop.lower_to_c.kernels import lower_kernel
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.names import Names, c_names, functions, is_inner, is_main
from s2s.passes.loop.lower_to_c.network import LowerInner, LowerNetwork
from s2s.passes.loop.lower_to_c.written import Written
from s2s.passes.loop.plan_memory import networks_run, operations_of_networks
from s2s.passes.loop.segments import segments_of
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN

EXECUTORS = ("aot", "graph")
PROFILES = ("default", "misra")
MISRA_HEADER = "s2s_misra.h"
"""The runtime header of the profile `misra`, which is included before every other one."""


@frozen
class LowerToCPass(ModulePass):
    name = "loop-lower-to-c"

    prefix: str = "net"
    """The prefix of every global name: the name of the network."""
    executor: str = "aot"
    """`aot`: a run function; `graph`: tables for the executor of the runtime."""
    profile: str = "default"
    """`misra`: C that follows MISRA C:2012."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.executor not in EXECUTORS:
            raise CompilerBug(f"executor {self.executor!r} is none of {', '.join(EXECUTORS)}")
        if self.profile not in PROFILES or (self.profile, self.executor) == ("misra", "graph"):
            raise CompilerBug(f"profile {self.profile!r} does not go with executor {self.executor!r}")
        strict = self.profile == "misra"
        names = c_names(op, self.prefix)
        kernels = [func for func in functions(op) if not is_main(func) and not is_inner(func)]
        inner = callees_first([func for func in functions(op) if is_inner(func)], networks_run)
        mains = [Main(func) for func in functions(op) if is_main(func)]
        made: list[Operation] = [c.IncludeOp(MISRA_HEADER)] if strict else []
        made += _weights(op, names)
        made += callback_prototypes(kernels)
        for func in kernels:
            made += _kernel(func, names, strict)
        made += device_hooks(op, names.prefix)
        for main in mains:
            if self.executor == "graph":
                made += _tables(ctx, main, names, kernels)
            else:
                made += _network(main, inner, names, Written(functions(op)), strict)
        for func in functions(op):
            func.detach()
            func.erase()
        meanings = meanings_of(op)
        if meanings is not None:
            meanings.detach()
            meanings.erase()
        if strict:
            _discard_results(made)
        op.body.block.add_ops(made)


def _tables(ctx: Context, main: Main, names: Names, kernels: Sequence[FuncOp]) -> list[Operation]:
    """Lower a network to tables for the executor of the runtime."""
    from s2s.passes.context import weights_of
    from s2s.passes.loop.lower_to_c.table_rows import rows_of
    from s2s.passes.loop.lower_to_c.tables import graph_tables

    return graph_tables(rows_of(main, names, kernels, weights_of(ctx)))


def _discard_results(made: Sequence[Operation]) -> None:
    """Write `(void)` in front of functions of the C library whose results nobody needs."""
    for op in [each for top in made for each in walk(top)]:
        if isinstance(op, c.CallOp) and op.callee.data in ("memcpy", "memset"):
            op.discards = UnitAttr()


def _kernel(func: FuncOp, names: Names, strict: bool) -> list[Operation]:
    """Lower a kernel to its function; the functions that it passes to threads come first."""
    name = names.kernels[func.sym_name.data]
    if threads_of(func) is None:
        made = lower_kernel(func, name, _in_place(func), restrict_macro=strict, weights=names.weights)
        if DEVICE in func.attributes:
            made.attributes[DEVICE] = func.attributes[DEVICE]
        return [made]
    taken = {*names.kernels.values(), *names.weights.values()}
    return LowerDivided(func, name, taken).lower(_in_place(func))


def _network(main: Main, inner: Sequence[FuncOp], names: Names, written: Written, strict: bool) -> list[Operation]:
    """Lower a network to its functions: the functions that it runs, the ones that set its state and load its constants,
    the one that runs it."""
    typed = typed_arena(main, f"{names.prefix}_arena") if strict and main.arena_size else None
    if any(isinstance(op, loop.EndRowsOp) for op in main.func.body.block.ops):
        from s2s.passes.loop.lower_to_c.pushed_rows import LowerPushed

        inside = [LowerInner(func, names, PlainArena()).run(written) for func in inner]
        return [*inside, *LowerPushed(main, names, PlainArena()).functions()]
    network = LowerNetwork(main, names, typed or PlainArena(segments_of(main.func)))
    first = [each for each in (network.load(), network.reset()) if each is not None]
    made: list[Operation] = [] if typed is None else [*typed.definitions]
    made += [LowerInner(func, names, PlainArena()).run(written) for func in inner]
    if loop.RunSteps.of(main.func) is None:
        return [*made, *first, network.run()]
    from s2s.passes.loop.lower_to_c.stepped import LowerStepped

    return [*made, *first, *LowerStepped(main, names, PlainArena(segments_of(main.func))).operations()]


def _weights(module: ModuleOp, names: Names) -> list[Operation]:
    """Declare each weight once; initial values of state are weights too."""
    every = list(operations_of_networks(module))
    types = {op.weight.data: op.result.type for op in every if isinstance(op, loop.WeightOp)}
    for op in every:
        init = op.attributes.get(INIT)
        if isinstance(op, loop.ViewOp) and isinstance(init, StringAttr):
            types.setdefault(init.data, op.result.type)
    pools = {
        op.weight.data: op.attributes[POOL] for op in every if isinstance(op, loop.WeightOp) and POOL in op.attributes
    }
    made = {name: c.GlobalOp(names.weights[name], flat_array(type), weight=name) for name, type in types.items()}
    for name, pool in pools.items():
        made[name].attributes[POOL] = pool
    for name, device in _devices_of_weights(module).items():
        if device != MAIN:
            made[name].attributes[DEVICE] = StringAttr(device)
    return list(made.values())


def _devices_of_weights(module: ModuleOp) -> dict[str, str]:
    """Return the device that reads each weight; `graph-plan-devices` has given each device its own ones, and kernels of
    code generators name theirs themselves."""
    kernels = {func.sym_name.data: func for func in functions(module)}
    generated = [func for func in kernels.values() if EXTERNAL in func.attributes]
    found = {
        op.weight.data: device_of(func) for func in generated for op in walk(func) if isinstance(op, loop.WeightOp)
    }
    for call in [op for op in operations_of_networks(module) if isinstance(op, CallOp)]:
        device = device_of(kernels[call.callee.string_value()])
        for value in call.arguments:
            owner = loop.whole_of(value).owner
            if isinstance(owner, loop.WeightOp) and found.setdefault(owner.weight.data, device) != device:
                raise CompilerBug(f"{owner.weight.data}: {device} and {found[owner.weight.data]} read this weight")
    return found


def _in_place(func: FuncOp) -> frozenset[int]:
    listed = func.attributes.get(IN_PLACE)
    if not isinstance(listed, DenseArrayBase):
        return frozenset()
    return frozenset(int(number) for number in listed.get_values())
