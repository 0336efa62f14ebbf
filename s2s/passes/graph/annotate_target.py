"""Choose who computes each composite, and each operator that belongs to none: our kernels, or a code generator.

    %y = graph.call @blas_matmul_ops(%x, %w) : …
->
    %y = graph.call @blas_matmul_ops(%x, %w) {external = "blas"} : …

The choice is a decision (`s2s/decisions/external.py`): legal is what the generator does not refuse. A generator is
asked with the target of the device that runs the operators, and only about tensors of constant shape. Calls without the
attribute are ours.
"""

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from s2s.analysis.network.functions import EXTERNAL, network_functions
from s2s.analysis.network.varying_values import VaryingValues
from s2s.decisions.chooser import Chooser
from s2s.decisions.external import OURS, ExternalKind, Offer, OfferedGroup
from s2s.dialects import graph
from s2s.external.modes import Modes
from s2s.external.registry import codegen_named
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.composites import (
    Enabled,
    composite_calls,
    composite_of,
    device_running,
    enabled,
    patterns_of,
    target_on,
)
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.devices import MAIN
from s2s.types.weights import WeightStore

NO_PATTERN = "no pattern matches"
VARIES = "its size {size} varies from run to run, and generators take constant ones"
NO_ORDER = "--exact: it adds in an order of its own"


@frozen
class AnnotateTargetPass(ModulePass):
    """Mark the calls that external code generators compute."""

    name = "graph-annotate-target"

    generators: tuple[str, ...] = ()
    """The generators with their modes, as `blas=auto`; generators of another device than the first one as
    `dsp:npu=auto`."""
    target: str = "c"
    targets: tuple[str, ...] = ()
    """The targets of other devices, as `dsp=cortex-m4`, where they differ."""
    exact: bool = False
    """Floats are added in the order of the model."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        generators, weights = enabled(ctx, self.generators), weights_of(ctx)
        varying = VaryingValues(op)
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for function in network_functions(op):
                for each in _subjects(function):
                    call, subject = each if isinstance(each, tuple) else (None, each)
                    device = device_running(subject)
                    offers = _not_asked(generators, device)
                    if call is None or not isinstance(subject, FuncOp):
                        offers += tuple(Offer(name, mode, NO_PATTERN) for name, mode in generators.on(device))
                        chooser.choose(ExternalKind(), OfferedGroup(op, (subject,), offers, device))
                        continue
                    target = target_on(ctx, device, self.target, self.targets)
                    size = varying.size_of([*call.operands, *call.results])
                    refusal = VARIES.format(size=size) if size is not None else None
                    asked = _offers(
                        call, subject, generators.on(device), weights, target, exact=self.exact, refusal=refusal
                    )
                    group = OfferedGroup(op, _operators(subject), (*asked, *offers), device)
                    chosen = chooser.choose(ExternalKind(), group)
                    if chosen != OURS:
                        call.attributes[EXTERNAL] = StringAttr(chosen)


def _subjects(function: FuncOp) -> Iterator[tuple[graph.CallOp, FuncOp] | Operation]:
    """The calls of composites, and the other operators that compute something, in order."""
    composites = dict(composite_calls(function.body.block))
    for op in list(function.body.block.ops):
        if isinstance(op, graph.CallOp) and op in composites:
            yield op, composites[op]
        elif graph.computes(op) and not isinstance(op, graph.StepInterface):
            yield op


def _not_asked(generators: Enabled, device: str) -> tuple[Offer, ...]:
    """What `--why` says of the generators of other devices than the one that runs an operator."""
    asked = [name for name, _ in generators.on(device)]
    place = "--external names" if device == MAIN else "the key external of its table names"
    reason = f"it runs on {device}, and {place} other generators"
    return tuple(Offer(name, "never", reason) for name in generators.names if name not in asked)


def _operators(function: FuncOp) -> tuple[Operation, ...]:
    """The operators of a composite."""
    return tuple(op for op in function.body.block.ops if not op.has_trait(IsTerminator))


def _offers(
    call: graph.CallOp,
    function: FuncOp,
    modes: Modes,
    weights: WeightStore,
    target: Target,
    *,
    exact: bool,
    refusal: str | None,
) -> tuple[Offer, ...]:
    """What each generator says to a composite; with `refusal` none of them is asked."""
    offers: list[Offer] = []
    patterns = patterns_of(function)
    for name, mode in modes:
        if name not in patterns:
            offers.append(Offer(name, mode, NO_PATTERN))
            continue
        generator, composite = codegen_named(name), composite_of(call, function, name, weights)
        no_order = NO_ORDER if exact and not generator.keeps_order else None
        reason = refusal or no_order or generator.unsupported(composite, target)
        if reason is not None:
            offers.append(Offer(name, mode, reason, ours=generator.own_cost(composite, target)))
            continue
        costs = generator.cost(composite, target), generator.own_cost(composite, target)
        offers.append(Offer(name, mode, None, *costs))
    return tuple(offers)
