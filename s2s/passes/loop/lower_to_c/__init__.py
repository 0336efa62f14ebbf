"""Turn loops over buffers into C functions, and `main` into the function that a program calls.

    func.func private @relu(%y: memref<4xf32>, %x: memref<4xf32>) { loop.for %i = 0 to 4 { … } }
    func.func @main(%arena: memref<16xi8>, %y: memref<4xf32>, %x: memref<4xf32>) { func.call @relu(%y, %x) }
->
    c.func @net_relu(%y: !c.ptr<f32, restrict>, %x: !c.ptr<f32, const, restrict>) { c.for %i = … { … } }
    c.func @net_run(%arena: !c.ptr<!c.named<"void">>, %x: !c.ptr<f32, const>, %y: !c.ptr<f32>) -> s2s_status { … }

Every kernel becomes `<prefix>_<kernel>`, every weight a `c.global` called `<prefix>_<weight>` whose values stay in the
weight store. Two pointers of a kernel are `restrict` unless its attribute `in_place` says that they may be one buffer.
The attribute `doc` of a kernel becomes the comment above it.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from s2s.dialects import c, loop
from s2s.emit.identifiers import c_identifier, unique_identifiers
from s2s.passes.loop.lower_to_c.kernels import lower_kernel
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.network import LowerNetwork, flat_array
from s2s.passes.tensor.lower_to_loop import IN_PLACE

LONGEST_PREFIX = 24
"""Characters of the network's name in C names, so that something else is left of 31."""


@dataclass(frozen=True)
class LowerToCPass(ModulePass):
    name = "loop-lower-to-c"

    prefix: str = "net"
    """What every name outside of functions begins with: the name of the network."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        prefix = c_identifier(self.prefix, LONGEST_PREFIX)
        functions = [func for func in op.ops if isinstance(func, FuncOp)]
        mains = [func for func in functions if any(isinstance(inner, CallOp) for inner in func.body.walk())]
        kernels = [func for func in functions if func not in mains]
        weights = list(dict.fromkeys(inner for inner in op.walk() if isinstance(inner, loop.WeightOp)))
        by_name = {weight.weight.data: weight for weight in weights}
        wanted = [func.sym_name.data for func in kernels] + list(by_name)
        names = unique_identifiers(wanted, prefix=f"{prefix}_", taken={f"{prefix}_run", f"{prefix}_graph"})
        kernel_names = dict(zip(wanted, names[: len(kernels)], strict=False))
        weight_names = dict(zip(by_name, names[len(kernels) :], strict=True))
        made: list[Operation] = [
            c.GlobalOp(weight_names[name], flat_array(weight.result.type), weight=name)
            for name, weight in by_name.items()
        ]
        made += [lower_kernel(func, kernel_names[func.sym_name.data], _in_place(func)) for func in kernels]
        made += [LowerNetwork(Main(func), prefix, kernel_names, weight_names).run() for func in mains]
        for func in functions:
            func.detach()
            func.erase()
        op.body.block.add_ops(made)


def _in_place(func: FuncOp) -> frozenset[int]:
    listed = func.attributes.get(IN_PLACE)
    return (
        frozenset(int(number) for number in listed.get_values()) if isinstance(listed, DenseArrayBase) else frozenset()
    )
