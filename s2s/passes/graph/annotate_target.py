"""Choose who computes each composite, and each operator that belongs to none: our kernels, or a code generator.

    %y = graph.call @blas_matmul_ops(%x, %w) : …
->
    %y = graph.call @blas_matmul_ops(%x, %w) {external = "blas"} : …

The choice is a decision (`s2s/decisions/external.py`): legal is what the generator does not refuse. Calls without the
attribute are ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from s2s.analysis.network.functions import DEVICE, EXTERNAL
from s2s.decisions.chooser import Chooser
from s2s.decisions.external import OURS, ExternalKind, Offer, OfferedGroup
from s2s.dialects import graph
from s2s.external.modes import Modes
from s2s.external.registry import codegen_named
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.composites import (
    composite_calls,
    composite_of,
    enabled,
    network_functions,
    patterns_of,
)
from s2s.targets import Target
from s2s.types.weights import WeightStore

NO_PATTERN = "no pattern matches"
NO_ORDER = "--exact: it adds in an order of its own"
_NOT_COMPUTED = (graph.WeightOp, graph.ConstantOp, graph.ReshapeOp, *graph.STEPS)


@dataclass(frozen=True)
class AnnotateTargetPass(ModulePass):
    """Mark the calls that external code generators compute."""

    name = "graph-annotate-target"

    generators: tuple[str, ...] = ()
    """The generators with their modes, as `blas=auto`."""
    target: str = "c"
    exact: bool = False
    """Floats are added in the order of the model."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        modes, weights, target = enabled(ctx, self.generators), weights_of(ctx), target_of(ctx, self.target)
        with Chooser(given_of(ctx), target) as chooser:
            for function in network_functions(op):
                for each in _subjects(function):
                    if isinstance(each, tuple):
                        call, composite = each
                        offers = _offers(call, composite, modes, weights, target, exact=self.exact)
                        group = OfferedGroup(op, _operators(composite), offers)
                        chosen = chooser.choose(ExternalKind(), group)
                        if chosen != OURS:
                            call.attributes[EXTERNAL] = StringAttr(chosen)
                    else:
                        device = each.attributes.get(DEVICE)
                        reason = f"it runs on {device.data}" if isinstance(device, StringAttr) else NO_PATTERN
                        offers = tuple(Offer(name, mode, reason) for name, mode in modes)
                        chooser.choose(ExternalKind(), OfferedGroup(op, (each,), offers))


def _subjects(function: FuncOp) -> Iterator[tuple[graph.CallOp, FuncOp] | Operation]:
    """The calls of composites, and the other operators that compute something, in order."""
    composites = dict(composite_calls(function.body.block))
    for op in list(function.body.block.ops):
        if isinstance(op, graph.CallOp) and op in composites:
            yield op, composites[op]
        elif not isinstance(op, _NOT_COMPUTED) and not op.has_trait(IsTerminator):
            yield op


def _operators(function: FuncOp) -> tuple[Operation, ...]:
    """The operators of a composite."""
    return tuple(op for op in function.body.block.ops if not op.has_trait(IsTerminator))


def _offers(
    call: graph.CallOp, function: FuncOp, modes: Modes, weights: WeightStore, target: Target, *, exact: bool
) -> tuple[Offer, ...]:
    """What each generator says to a composite."""
    offers: list[Offer] = []
    patterns = patterns_of(function)
    for name, mode in modes:
        if name not in patterns:
            offers.append(Offer(name, mode, NO_PATTERN))
            continue
        generator, composite = codegen_named(name), composite_of(call, function, name, weights)
        refusal = NO_ORDER if exact and not generator.keeps_order else generator.unsupported(composite, target)
        if refusal is not None:
            offers.append(Offer(name, mode, refusal, ours=generator.own_cost(composite, target)))
            continue
        costs = generator.cost(composite, target), generator.own_cost(composite, target)
        offers.append(Offer(name, mode, None, *costs))
    return tuple(offers)
