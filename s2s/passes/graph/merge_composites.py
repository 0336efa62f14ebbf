"""Outline the operators that a pattern of an external code generator matches, as a function.

    func.func @main(%x: …) -> … {
      %w = graph.weight "w" …
      %a = graph.matmul %x, %w : …
      %y = graph.clamp %a {min = 0.0 : f64} : …
    }
->
    func.func private @blas_matmul_ops(%x: …, %w: …) -> … attributes {kernel, composite = ["blas.matmul"]} {
      graph.matmul, graph.clamp
    }
    func.func @main(%x: …) -> … {
      %w = graph.weight "w" …
      %y = graph.call @blas_matmul_ops(%x, %w) : …
    }

Operators are looked at from the outputs upwards. The first generator in the order of the option whose pattern matches
decides which operators belong together; others whose patterns match the same operators are named beside it.

Each device has generators of its own, and a composite the device of its operators. Declined for operators in kernels,
and for matches whose inner results are used outside. Constants stay outside.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import DEVICE, network_functions
from s2s.external.modes import Modes
from s2s.external.pattern import Match, match
from s2s.external.registry import codegen_named
from s2s.passes.context import weights_of
from s2s.passes.graph.composites import COMPOSITE, device_running, enabled
from s2s.passes.graph.fuse_ops.names import UniqueNames
from s2s.passes.graph.fuse_ops.outline import outline
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN
from s2s.types.weights import WeightStore


@frozen
class MergeCompositesPass(ModulePass):
    """Outline the matches of all patterns."""

    name = "graph-merge-composites"

    generators: tuple[str, ...] = ()
    """The generators with their modes, as `blas=auto`; generators of another device than the first one as
    `dsp:npu=auto`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        modes, weights = enabled(ctx, self.generators), weights_of(ctx)
        names = UniqueNames([each.sym_name.data for each in op.body.block.ops if isinstance(each, FuncOp)])
        for function in network_functions(op):
            taken: set[Operation] = set()
            for root in reversed(list(function.body.block.ops)):
                found = {} if root in taken else _matches(root, modes.on(device_running(root)))
                if found:
                    taken |= set(next(iter(found.values()))[1].ops)
                    _outline(function, found, names, weights)


def _matches(root: Operation, modes: Modes) -> dict[str, tuple[str, Match]]:
    """The pattern and the match of each generator for the operators that the first one takes."""
    found: dict[str, tuple[str, Match]] = {}
    for generator, _ in modes:
        for name, pattern in codegen_named(generator).patterns():
            matched = match(pattern, root)
            if matched is not None:
                first = next(iter(found.values()))[1] if found else matched
                if matched.ops == first.ops:
                    found[generator] = name, matched
                break
    return found


def _outline(function: FuncOp, found: dict[str, tuple[str, Match]], names: UniqueNames, weights: WeightStore) -> None:
    generator, (pattern, matched) = next(iter(found.items()))
    name = names.make(f"{generator}_{pattern}_ops".replace("-", "_"))
    device = device_running(matched.ops[-1])
    composite = outline(name, matched.ops, weights)
    composite.attributes[COMPOSITE] = ArrayAttr(StringAttr(f"{each}.{pattern}") for each, (pattern, _) in found.items())
    if device != MAIN:
        composite.attributes[DEVICE] = StringAttr(device)
    block = function.parent_block()
    assert block is not None
    block.insert_op_before(composite, function)
